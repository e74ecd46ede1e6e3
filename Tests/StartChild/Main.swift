import Foundation
import PatchCrypto
import PatchPlatform
import PatchSDK
import PatchSDKWASI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A small app, for what is to be known of its start.
///
/// - `prepare FOLDER BYTES`: lays a device's state with a downloaded module of that size; or, with
///   `prepare FOLDER FILE`, with the module in a file.
/// - `start FOLDER [URL]`: starts with what is on the device, calls it once, and says `started`;
///   with a URL it then looks for an update.
/// - `plain`: the same app without the SDK.
/// - `measure FOLDER RUNS`: both by turns, and what the one takes beyond the other.
@main enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.count) {
        case ("prepare", 4): try prepare(arguments[2], arguments[3])
        case ("start", 3...): try await start(arguments[2], arguments.dropFirst(3).first)
        case ("plain", 2): say("started", since: LiveClock().monotonicNanoseconds())
        case ("measure", 4):
            try Measurement(folder: arguments[2], runs: Int(arguments[3]) ?? 0).run()
        default:
            print("usage: start-child prepare|start|plain|measure …")
            exit(64)
        }
    }

    static let key = "pak_start"

    private static func start(_ folder: String, _ url: String?) async throws {
        let begun = LiveClock().monotonicNanoseconds()
        var configuration = PatchConfiguration(
            appKey: key, apiBaseURL: url.flatMap { URL(string: $0) }, fingerprint: "fp",
            channelName: "production", autoApply: false)
        configuration.stateFolder = URL(fileURLWithPath: folder)
        configuration.plainModules = WASIPlainModules()
        // What is told goes to disk behind the start, on a thread of its own and at no certain time.
        configuration.telemetry = .off
        if url != nil { configuration.trust = .insecureForLocalDevelopment }
        Patch.configure(configuration)
        var outcome = "fallback"
        if case .activated(let version) = await Patch.shared.start() { outcome = version }
        let answer = try Patch.shared.call("answer", returning: Int32.self)
        say("started \(outcome) \(answer)", since: begun)
        // A trace then shows that it would have seen the network.
        if url != nil { _ = try? await Patch.shared.checkForUpdate() }
    }

    /// One write, so that a trace of the process shows the moment.
    private static func say(_ text: String, since begun: UInt64) {
        let nanoseconds = LiveClock().monotonicNanoseconds() - begun
        let line = Array("\(text) \(nanoseconds)\n".utf8)
        _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }

    private static func prepare(_ folder: String, _ what: String) throws {
        let module: [UInt8]
        if let size = Int(what) {
            module = SyntheticModule.bytes(size)
        } else {
            module = [UInt8](try Data(contentsOf: URL(fileURLWithPath: what)))
        }
        let digest = SHA256.hash(module).hex
        let files = LocalFileStore(folder: URL(fileURLWithPath: folder))
        try files.writeAtomically(module, to: "slots/\(digest)")
        let state = """
            {"v":1,"device_id":"6f1b7c9a-0000-4000-8000-000000000001","builds":{"fp":{"failed":{},\
            "heads":{},"retry_generation":0,"has_written_data":false,"current":{"digest":\
            "\(digest)","size":\(module.count),"version":"1.1","sequence":1,"channel":\
            "production","data_epoch":0,"confirmed":true}}}}
            """
        try files.writeAtomically(Array(state.utf8), to: "state.json")
        print("\(module.count) bytes, \(digest)")
    }
}
