import Foundation
import TestSupport

/// A real `patchd` over a folder.
struct PatchdProcess: Sendable {
    struct NotListening: Error { let output: String }

    let process: SpawnedProcess
    let http: RawHTTP

    /// Starts it and waits until it listens; on a thread of its own, because that takes a while.
    static func start(_ folder: TemporaryDirectory) async throws -> PatchdProcess {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try PatchdProcess(folder) })
            }
        }
    }

    private init(_ folder: TemporaryDirectory) throws {
        let output = folder.file("output-\(UUID().uuidString)")
        process = try SpawnedProcess(
            Tools.builtProducts.appendingPathComponent("patchd").path,
            [
                "--data", folder.path + "/data", "--port", "0", "--telemetry-rate", "1000000",
                "--install-rate", "1000000",
            ], output: output)
        let deadline = Date().addingTimeInterval(1_200)
        while true {
            let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            if text.hasSuffix("\n"), let port = text.split(separator: ":").last,
                let number = UInt16(port.dropLast())
            {
                http = RawHTTP(port: number)
                return
            }
            guard Date() < deadline else {
                process.kill()
                _ = process.wait()
                throw NotListening(output: text)
            }
            usleep(5_000)
        }
    }

    /// Ends it with a signal and waits for the end.
    func end(_ signal: Int32) async -> SpawnedProcess.Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                Foundation.kill(process.processIdentifier, signal)
                continuation.resume(returning: process.wait())
            }
        }
    }
}
