import Foundation
import WebAssembly
import WebAssemblyWASI

/// What became of one program.
public struct SuiteResult: Sendable {
    /// Why a program failed.
    public struct Failure: Sendable {
        /// A stable name, in snake case: the engine's, or `exit_code` or `output`.
        public let code: String
        /// What happened, as a sentence.
        public let text: String
    }

    /// The program's name.
    public let program: String
    /// Why it failed; nil when it did what it must.
    public let failure: Failure?
    /// The end of what it printed as an error, which is where Rust says what it expected.
    public let complaint: String
}

extension SuiteProgram {
    /// Runs the program in the engine, its root folder copied into a file system in memory.
    ///
    /// Whatever it does costs bounded time and memory; the host's files are only read.
    public func run() -> SuiteResult {
        let out = Printed()
        let err = Printed()
        let failure = failure(out, err)
        return SuiteResult(
            program: name, failure: failure,
            complaint: String(err.text.suffix(400)).trimmingCharacters(in: .newlines))
    }

    private func failure(_ out: Printed, _ err: Printed) -> SuiteResult.Failure? {
        do {
            let bytes = [UInt8](try Data(contentsOf: file))
            let module = try parseWasm(bytes: bytes)
            if let unknownOperation {
                return .init(
                    code: "operation", text: "the runner cannot do '\(unknownOperation)'")
            }
            let code = try execute(module, out, err)
            if code != exitCode {
                return .init(
                    code: "exit_code", text: "ended with exit code \(code), not \(exitCode)")
            }
        } catch let trap as Trap {
            return .init(code: trap.code, text: "trapped: \(trap.reason.message)")
        } catch let error as WasmUnsupportedProposal {
            return .init(code: error.code, text: error.message)
        } catch {
            return .init(code: "error", text: "\(error)")
        }
        for (stream, expected) in printed.sorted(by: { $0.key < $1.key }) {
            let found = stream == "stderr" ? err.text : out.text
            if found != expected {
                return .init(
                    code: "output",
                    text: "printed '\(found.prefix(80))' to \(stream), not "
                        + "'\(expected.prefix(80))'")
            }
        }
        return nil
    }

    private func execute(_ module: Module, _ out: Printed, _ err: Printed) throws -> UInt32 {
        var host = WASIHost()
        host.standardOutput = { out.append($0) }
        host.standardError = { err.append($0) }
        host.maximumSleep = 2_000_000_000
        let wasi = try WASIBridgeToHost(
            args: [file.lastPathComponent] + arguments, environment: environment, host: host,
            fileSystem: try root.map { try Self.copy(of: $0) })
        let limits = CallLimits(timeoutNanoseconds: 60_000_000_000)
        let store = Store(engine: Engine())
        var imports = Imports()
        wasi.link(to: &imports, store: store)
        let instance = try module.instantiate(store: store, imports: imports)
        return try wasi.start(instance, limits: limits)
    }

    /// A file system in memory that holds what a folder does.
    private static func copy(of folder: URL) throws -> WASIFileSystem {
        let system = WASIFileSystem()
        let walk = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: [])
        let start = folder.resolvingSymlinksInPath().pathComponents.count
        while let file = walk?.nextObject() as? URL {
            let path = file.resolvingSymlinksInPath().pathComponents.dropFirst(start)
                .joined(separator: "/")
            if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                try system.makeDirectory(path)
            } else {
                try system.write([UInt8](try Data(contentsOf: file)), to: path)
            }
        }
        return system
    }
}

/// What a program printed, to a bound.
private final class Printed {
    private var bytes: [UInt8] = []

    func append(_ more: [UInt8]) {
        if bytes.count < 1 << 20 { bytes += more }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
