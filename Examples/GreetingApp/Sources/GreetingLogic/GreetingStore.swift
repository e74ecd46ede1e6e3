import PatchSDK

#if canImport(Combine)
    import Combine
#endif

/// Holds the text that the screen shows. The screen does not know where it comes from.
@MainActor
public final class GreetingStore {
    /// The greeting now.
    public private(set) var text = "loading…" {
        willSet { announce() }
    }

    private let patch: Patch
    private var observation: PatchObservation?

    /// A store that reads anew whenever another release runs.
    public init(_ patch: Patch = .shared) {
        self.patch = patch
        observation = patch.onReleaseChange { [weak self] _ in
            Task { @MainActor in self?.read() }
        }
    }

    deinit { observation?.cancel() }

    /// Starts the SDK and shows the first greeting; the network is not waited for.
    public func start() async {
        await patch.start()
        read()
    }

    /// Reads the greeting from the module that runs, or falls back to native code.
    public func read() {
        text = (try? Self.greeting(patch)) ?? "Hello from native code"
    }

    /// The greeting, byte by byte, as a module without an allocator hands it out.
    static func greeting(_ patch: Patch) throws -> String {
        let count = try patch.call("greeting_len", returning: Int32.self)
        var bytes: [UInt8] = []
        for index in 0..<max(0, min(count, 10_000)) {
            let byte = try patch.call("greeting_byte", index, returning: Int32.self)
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func announce() {
        #if canImport(Combine)
            objectWillChange.send()
        #endif
    }
}

#if canImport(Combine)
    extension GreetingStore: ObservableObject {}
#endif
