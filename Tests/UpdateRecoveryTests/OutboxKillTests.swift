import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateEngine
import UpdateFixture
import UpdateTestSupport

/// Real processes that record and send events are ended with SIGKILL wherever they touch disk or
/// network. `OPENPATCH_KILLS=n` makes it n kills (`make kills`).
@Suite("The outbox of processes that are killed") struct OutboxKillTests {
    private let folder: TemporaryDirectory
    private let receiver: EventReceiver
    private let child = Tools.builtProducts.appendingPathComponent("update-child").path

    init() throws {
        folder = try TemporaryDirectory("outbox-kills")
        receiver = try EventReceiver()
    }

    private func live(_ environment: [String: String] = [:]) throws -> SpawnedProcess.Result {
        try SpawnedProcess(
            child, ["outbox", folder.file("device").path, receiver.url.absoluteString],
            environment: environment, output: folder.file("output")
        ).wait()
    }

    private func lines(_ result: SpawnedProcess.Result, _ prefix: String) -> [String] {
        result.output.split(separator: "\n").filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    @Test(
        "P55: no event that was kept is lost, wherever processes are killed, and each counts once")
    func P55_kills() throws {
        var random = SeededGenerator()
        let points = lines(try live(["OPENPATCH_TEST_LIST_POINTS": "1"]), "point ")
        #expect(points.count > 40)
        var kept = Set(try receiver.ids())
        #expect(kept.count == 6)
        let wanted =
            ProcessInfo.processInfo.environment["OPENPATCH_KILLS"].flatMap { Int($0) } ?? 40
        // Every second kill hits a point of sending, which are few.
        let sending = points.indices.filter {
            points[$0].contains("ask") || points[$0].contains("answer")
        }
        var kills = 0
        while kills < wanted {
            let point =
                kills % 2 == 0
                ? Int.random(in: points.indices, using: &random)
                : sending.randomElement(using: &random) ?? 0
            let dying = try live(["OPENPATCH_TEST_KILL_AT": "\(point)"])
            kept.formUnion(lines(dying, "kept "))
            kills += 1
            guard kills % 10 == 0 || kills == wanted else { continue }
            // A life that nobody ends sends what the killed ones left.
            let next = try live()
            kept.formUnion(lines(next, "kept "))
            #expect(next.status == 0, "\(random): \(next)")
            #expect(lines(next, "outcome ").last != nil, "\(random): \(next)")
            let ids = try receiver.ids()
            #expect(kept.subtracting(ids).isEmpty, "lost after \(kills) kills, \(random)")
            // An event that was written and not yet said to be kept may arrive as well; at most one
            // for each kill.
            #expect(Set(ids).subtracting(kept).count <= kills)
        }
        let files = LocalFileStore(folder: folder.file("device"))
        #expect(try files.size(of: "outbox/events.jsonl") == nil)
        let installs = Set(try receiver.bodies().compactMap { $0["install_id"] as? String })
        #expect(installs.count == 1)
        let ids = try receiver.ids()
        print(
            "KILLS \(kills) of \(points.count) points in 'outbox'; \(Set(ids).count) events, "
                + "\(ids.count - Set(ids).count) sent again under the same ids")
    }
}
