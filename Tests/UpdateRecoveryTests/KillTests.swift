import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateEngine
import UpdateFixture
import UpdateScenarios
import UpdateTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Real processes are ended with SIGKILL at every kind of point where they touch disk or network;
/// another real process then looks at what is there, and a third one goes on.
///
/// `OPENPATCH_KILLS=n` makes it n kills at points drawn at random (`make kills`).
@Suite("Processes killed at every point") struct KillTests {
    @Test(
        "P37: wherever a process is killed, the next one starts whole and nothing was lost",
        arguments: Situation.names)
    func P37_killed(_ name: String) async throws {
        let situation = try await Situation(name)
        let places = try Places(situation)
        let points = try places.points()
        #expect(points.count > 10)
        var random = SeededGenerator()
        var kills = 0
        for point in Self.chosen(points, &random) {
            let problem = try places.killed(at: point.offset)
            #expect(problem == nil, "killed at \(point.offset), \(point.element): \(random)")
            kills += 1
        }
        print("KILLS \(kills) of \(points.count) points in '\(name)'")
    }

    /// Which points of a life to end it at: one of each kind, or as many as were asked for.
    private static func chosen(
        _ points: [String], _ random: inout SeededGenerator
    ) -> [EnumeratedSequence<[String]>.Element] {
        let all = Array(points.enumerated())
        if let wanted = ProcessInfo.processInfo.environment["OPENPATCH_KILLS"].flatMap({ Int($0) })
        {
            let share = (wanted + Situation.names.count - 1) / Situation.names.count
            var chosen = all.shuffled(using: &random)
            while chosen.count < share { chosen += all.shuffled(using: &random) }
            return Array(chosen.prefix(share))
        }
        var seen: Set<String> = []
        return all.filter { seen.insert(Self.kind(of: $0.element)).inserted }
    }

    /// What a point does, whatever the file's digest or process id.
    private static func kind(of point: String) -> String {
        let words = point.split(separator: " ")
        let file = words.last.map(String.init) ?? ""
        let folder = file.split(separator: "/").first.map(String.init) ?? file
        let isNamed = folder == "state.json" || folder == "lock" || folder == "fetch.lock"
        let step = words.dropLast().joined(separator: " ")
        if file == folder, !isNamed, words.count == 2, words[0] == "ask" || words[0] == "answered" {
            return step
        }
        return "\(step) \(folder)"
    }
}

/// Copies of one situation's device, and the processes that live on them.
private struct Places {
    let situation: Situation
    let children: Children

    init(_ situation: Situation) throws {
        self.situation = situation
        children = try Children(
            situation.fixture, fingerprint: situation.settings.fingerprint)
    }

    /// The points of a life that nobody ends.
    func points() throws -> [String] {
        let device = try situation.device(in: children.folder.url)
        let result = try children.run(
            "live", device, "", ["OPENPATCH_TEST_LIST_POINTS": "1"])
        let lines = result.output.split(separator: "\n")
        return lines.filter { $0.hasPrefix("point ") }.map { String($0.dropFirst(6)) }
    }

    /// Ends a life at a point; the problem that remains, if there is one.
    func killed(at point: Int) throws -> String? {
        let device = try situation.device(in: children.folder.url)
        defer { try? FileManager.default.removeItem(at: device) }
        let dying = try children.run(
            "live", device, "", ["OPENPATCH_TEST_KILL_AT": "\(point)"])
        // A life may have a few points less when the network hands out larger pieces.
        guard dying.signal == SIGKILL || dying.status == 0 else {
            return "it was not killed: \(dying)"
        }
        var problems = situation.problems(in: try children.report(device))
        let next = try children.run("live", device)
        if next.status != 0 { problems.append("the next life fails: \(next)") }
        problems += situation.unfinished(try children.report(device))
        return problems.isEmpty ? nil : problems.joined(separator: "; ")
    }
}
