import Foundation
import WebAssembly
import WebAssemblyWASI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// A host as the first seed describes it, on our engine: the calls are the seed's, only the two
// imports differ.

/// A loaded greeting module.
final class GreetingModule {
    private let instance: Instance

    init(wasmBytes: [UInt8]) throws {
        let engine = Engine()
        let store = Store(engine: engine)
        let wasi = try WASIBridgeToHost()
        var imports = Imports()
        wasi.link(to: &imports, store: store)
        let module = try parseWasm(bytes: wasmBytes)
        instance = try module.instantiate(store: store, imports: imports)
        try wasi.initialize(instance)
    }

    /// Reads the greeting one byte per call.
    func greeting() throws -> String {
        guard let length = instance.exports[function: "greeting_len"],
            let byte = instance.exports[function: "greeting_byte"]
        else { throw RunnerError.exportMissing }
        guard case .i32(let raw) = try length.invoke([]).first else {
            throw RunnerError.badResult
        }
        let count = Int32(bitPattern: raw)
        guard count >= 0 else { throw RunnerError.badResult }
        var bytes: [UInt8] = []
        for index in 0..<count {
            guard case .i32(let value) = try byte.invoke([.i32(UInt32(index))]).first else {
                throw RunnerError.badResult
            }
            bytes.append(UInt8(truncatingIfNeeded: Int32(bitPattern: value)))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Passes a name in and a greeting out through the guest's memory, by pointer and length.
    func makeGreeting(name: String) throws -> String {
        guard let allocate = instance.exports[function: "guest_alloc"],
            let make = instance.exports[function: "make_greeting"],
            let free = instance.exports[function: "guest_free"],
            let memory = instance.exports[memory: "memory"]
        else { throw RunnerError.exportMissing }
        let nameBytes = Array(name.utf8)
        guard
            case .i32(let input) = try allocate.invoke([.i32(UInt32(nameBytes.count))]).first
        else { throw RunnerError.badResult }
        memory.withUnsafeMutableBufferPointer(offset: UInt(input), count: nameBytes.count) {
            $0.copyBytes(from: nameBytes)
        }
        guard
            case .i64(let packed) =
                try make.invoke([.i32(input), .i32(UInt32(nameBytes.count))]).first
        else { throw RunnerError.badResult }
        let output = UInt(packed >> 32)
        let count = Int(packed & 0xffff_ffff)
        var result: [UInt8] = []
        memory.withUnsafeMutableBufferPointer(offset: output, count: count) {
            result = Array($0)
        }
        try free.invoke([.i32(input), .i32(UInt32(nameBytes.count))])
        try free.invoke([.i32(UInt32(output)), .i32(UInt32(count))])
        return String(decoding: result, as: UTF8.self)
    }
}

enum RunnerError: Error {
    case exportMissing
    case badResult
}

/// What a screen shows. A module replaces the running one only after it has given its greeting.
@MainActor
final class GreetingStore {
    private(set) var text = "loading..."
    private(set) var failure: String?
    private var running: GreetingModule?

    func load(from bytes: [UInt8]) {
        do {
            let module = try GreetingModule(wasmBytes: bytes)
            text = try module.greeting()
            running = module
            failure = nil
        } catch {
            failure = "failed: \(error)"
        }
    }

    /// The greeting as the running module tells it now.
    func currentGreeting() throws -> String? { try running?.greeting() }
}

/// Fetches whatever module a server offers.
actor UpdateClient {
    private let latestURL: URL

    init(latestURL: URL) { self.latestURL = latestURL }

    /// Loads the latest module into `store`.
    /// - Returns: whether it was fetched; when not, the module loaded before keeps running.
    func fetchLatest(into store: GreetingStore) async -> Bool {
        do {
            let (data, response) = try await URLSession.shared.data(from: latestURL)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { return false }
            await store.load(from: [UInt8](data))
            return true
        } catch {
            return false
        }
    }
}
