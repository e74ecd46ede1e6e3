import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Every call of the outbox to the file system fails in turn.
@Suite("The outbox over a disk that fails") struct OutboxFaultTests {
    let folder: TemporaryDirectory
    let receiver: EventReceiver
    let transport = URLSessionTransport()

    init() throws {
        folder = try TemporaryDirectory("outbox-faults")
        receiver = try EventReceiver()
    }

    private func event() -> TelemetryEvent {
        TelemetryEvent(.trap, at: 1000, fingerprint: "ab12", sdk: "test")
    }

    /// Records and sends; the ids of the events that were said to be kept.
    private func live(_ files: any FileStore) async -> (kept: [String], lost: Int) {
        let outbox = Outbox(files: files, clock: ManualClock())
        var kept: [String] = []
        for _ in 0..<3 {
            let event = event()
            do {
                try await outbox.record(event)
                kept.append(event.id)
            } catch { #expect(error is UpdateError) }
        }
        _ = await outbox.send(to: receiver.url, transport: transport)
        return (kept, outbox.lost)
    }

    @Test(
        "whatever call fails, what was kept arrives, what was not is counted, and the next goes on",
        arguments: [FileError.Code.failed, .diskFull, .unreadable])
    func sweep(_ code: FileError.Code) async throws {
        let whole = FaultyFileStore(folder: folder.file("whole"))
        _ = await live(whole)
        let calls = whole.count
        #expect(calls > 10)
        for call in 0..<calls {
            let device = folder.file("\(code.rawValue) \(call)")
            var plan = FaultyFileStore.Plan()
            plan.call = call
            plan.code = code
            let (kept, dropped) = await live(FaultyFileStore(folder: device, plan))
            #expect(kept.count + dropped >= 3, "call \(call)")
            let next = await live(LocalFileStore(folder: device))
            #expect(next.kept.count == 3, "call \(call)")
            let lost = Set(kept + next.kept).subtracting(try receiver.ids())
            #expect(lost.isEmpty, "lost at call \(call)")
        }
    }
}
