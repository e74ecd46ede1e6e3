import Foundation
import PatchPlatform
import UpdateEngine
import UpdateScenarios

/// A life of an app that records events and sends some: `outbox FOLDER URL`. It says which events are
/// kept before it goes on, so that a test knows what must not be lost.
enum Telling {
    static func live(folder: URL, url: URL) async throws {
        let killer = Killer(ProcessInfo.processInfo.environment)
        let files = LocalFileStore(folder: folder) { killer.pass("\($0.rawValue) \($1)") }
        let transport = KillableTransport(killer)
        let outbox = Outbox(files: files)
        for index in 0..<6 {
            let event = TelemetryEvent(
                .trap, at: 1000 + Double(index), fingerprint: "ab12", sdk: "test")
            try await outbox.record(event)
            FileHandle.standardOutput.write(Data("kept \(event.id)\n".utf8))
            if index % 3 == 2 { _ = await outbox.send(to: url, transport: transport) }
        }
        let outcome = await outbox.send(to: url, transport: transport)
        FileHandle.standardOutput.write(Data("outcome \(outcome)\n".utf8))
        killer.printPoints()
    }
}

/// What memory a download takes: `memory …`.
enum MemoryUse {
    /// The resident memory of this process in bytes; nil where the system does not say.
    static var resident: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Fetches what is published, and prints how much more memory it took at most until the last
    /// byte was there.
    static func measure(
        settings: UpdateSettings, environment: UpdateEngine.Environment
    ) async throws {
        var large = settings
        large.maximumPayload = 256 << 20
        let engine = UpdateEngine(
            settings: large, kind: PlainPayload(), environment: environment)
        guard try await engine.check().isUpdate else { return }
        let before = resident ?? 0
        let most = Lock((memory: before, received: 0))
        _ = try await engine.fetch(onBytes: { received, total in
            most.withLock { most in
                if received - most.received > 1 << 20 || received == total {
                    most.received = received
                    most.memory = max(most.memory, resident ?? 0)
                }
            }
        })
        let (memory, received) = most.withLock { $0 }
        print("grew \(memory - before) while \(received) arrived")
    }
}
