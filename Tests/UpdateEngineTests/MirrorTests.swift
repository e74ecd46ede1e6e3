import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import UpdateEngine

/// A tree has several places. All that any of them serves is verified, so none need be trusted.
@Suite struct MirrorTests {
    let fixture: EngineFixture
    let other: FaultServer

    init() throws {
        fixture = try EngineFixture()
        // A second server over a copy of the tree, which is made anew by `mirror()`.
        let copy = fixture.folder.file("copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        other = try FaultServer(copy)
        fixture.settings.mirrors = [other.baseURL]
        fixture.restart()
    }

    /// Long enough for a busy machine to answer, short enough to wait for one that never does.
    private func hurry() {
        fixture.settings.network.metadataDeadline = 20
        fixture.restart()
    }

    private func mirror() throws {
        let from = fixture.folder.file("site/apps")
        let to = fixture.folder.file("copy/apps")
        try? FileManager.default.removeItem(at: to)
        try FileManager.default.copyItem(at: from, to: to)
    }

    private func release(_ text: String, _ sequence: Int) throws {
        try fixture.app.release(
            EngineFixture.payload(text), version: "1.\(sequence)", sequence: sequence)
    }

    private func running() async throws -> String? {
        try await fixture.engine.open().current?.version
    }

    @Test("while the first place answers, the others are not asked")
    func firstOnly() async throws {
        try release("one", 1)
        try mirror()
        try await fixture.update()
        #expect(try await running() == "1.1")
        #expect(other.requests.isEmpty)
    }

    @Test(
        "P42: with the vendor's host gone, blocked or broken, everything comes from a mirror",
        arguments: ["gone", "403", "500", "page", "stall"])
    func P42_blocked(_ how: String) async throws {
        try release("one", 1)
        try mirror()
        switch how {
        case "gone": fixture.server.stop()
        case "403": try fixture.server.setFaults(["/": .status(403)])
        case "500": try fixture.server.setFaults(["/": .status(500)])
        case "stall":
            hurry()
            try fixture.server.setFaults(["/": .stall])
        default:
            // What a captive portal does.
            let files = FileManager.default.enumerator(
                at: fixture.app.folder, includingPropertiesForKeys: [.isRegularFileKey])
            for case let file as URL in files ?? .init() {
                let isFile = try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
                if isFile == true { try Data("<html>Please log in".utf8).write(to: file) }
            }
        }
        try await fixture.update()
        #expect(try await running() == "1.1")
    }

    @Test("P20: a host that swallows every packet does not hold up an update from the next mirror")
    func P20_blackHole() async throws {
        try release("one", 1)
        try mirror()
        let hole = try BlackHole()
        fixture.settings.baseURL = hole.url
        hurry()
        try await fixture.update()
        #expect(try await running() == "1.1")
        // One wait, for the metadata; the mirror that answered is asked first afterwards.
        #expect(other.requests.contains { $0.contains("/modules/") })

        fixture.settings.mirrors = []
        fixture.settings.network.metadataDeadline = 0.2
        fixture.restart()
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .serverTimedOut)
    }

    @Test("a mirror that is behind is passed over, one that is ahead is taken")
    func behind() async throws {
        try release("one", 1)
        try mirror()
        try await fixture.update()
        try release("two", 2)
        try await fixture.update()
        // The first place fails now, and the mirror knows older metadata than this device.
        try fixture.server.setFaults(["/": .status(500)])
        fixture.restart()
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .serverRefused)
        #expect(try await running() == "1.2")
        try fixture.server.setFaults([:])
        try release("three", 3)
        try mirror()
        try fixture.server.setFaults(["/": .status(500)])
        try await fixture.update()
        #expect(try await running() == "1.3")
    }

    @Test("P39: an older head from a cache on the way is passed over for a fresher place")
    func P39_staleCache() async throws {
        try release("one", 1)
        try mirror()
        try release("two", 2)
        try await fixture.update()
        // The first place goes back in time, as an edge cache may.
        let site = fixture.folder.file("site/apps")
        let fresh = fixture.folder.file("fresh")
        try FileManager.default.moveItem(at: site, to: fresh)
        try FileManager.default.moveItem(at: fixture.folder.file("copy/apps"), to: site)
        #expect(
            await fixture.failure { _ = try await fixture.engine.check() } == .metadataRolledBack)
        #expect(try await running() == "1.2")
        try FileManager.default.moveItem(at: fresh, to: fixture.folder.file("copy/apps"))
        #expect(try await fixture.engine.check().decision.reason == .upToDate)
    }

    @Test(
        "a payload that the first place lost, or spoils, comes from the next",
        arguments: [true, false])
    func payloadElsewhere(_ isLost: Bool) async throws {
        try release("one", 1)
        try mirror()
        if isLost {
            try fixture.server.setFaults(["/modules/": .status(404)])
        } else {
            let file = try fixture.app.payloadFile(version: "1.1")
            var bytes = try Data(contentsOf: file)
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: file)
        }
        try await fixture.update()
        #expect(try await running() == "1.1")
        #expect(other.requests.filter { $0.contains("/modules/") }.count == 1)
    }

    @Test("what one mirror began another one ends")
    func continuedElsewhere() async throws {
        try release("one", 1)
        try mirror()
        try fixture.server.setFaults(["/modules/": .cutPercent(40)])
        let begun = fixture.clock.monotonicNanoseconds()
        try await fixture.update()
        #expect(try await running() == "1.1")
        let request = other.requests.first { $0.contains("/modules/") }
        #expect(request?.hasPrefix("206") == true, "\(other.requests)")
        // From mirror to mirror there is no pause.
        #expect(fixture.clock.monotonicNanoseconds() == begun)
    }

    @Test("a tag is shown only to the place that gave it")
    func tags() async throws {
        try release("one", 1)
        try mirror()
        try await fixture.update()
        try fixture.server.setFaults(["/": .status(500)])
        fixture.restart()
        _ = try await fixture.engine.check()
        // Both serve the same bytes under the same tag; asked with it, the other would say 304.
        #expect(other.requests.first { $0.contains("timestamp") }?.hasPrefix("200") == true)
    }

    @Test("the place that answered last is asked first for ten minutes, then the first one again")
    func order() throws {
        let bases = ["a", "b", "c"].compactMap { URL(string: "https://\($0).example/") }
        let mirrors = Mirrors(bases, memory: 600)
        #expect(mirrors.order(at: 0) == bases)
        mirrors.didAnswer(bases[2], at: 100)
        #expect(mirrors.order(at: 699) == [bases[2], bases[0], bases[1]])
        mirrors.didAnswer(bases[2], at: 600)
        #expect(mirrors.order(at: 700) == bases)
        mirrors.didAnswer(bases[1], at: 800)
        #expect(mirrors.order(at: 799) == bases, "the clock was turned back")
        mirrors.didAnswer(bases[1], at: 900)
        mirrors.didAnswer(bases[0], at: 901)
        #expect(mirrors.order(at: 902) == bases)
    }

    @Test("pauses double, differ, stay within bounds and respect the server")
    func backoff() {
        let random = SeededRandom(seed: 7)
        let backoff = Backoff(first: 1, longest: 60)
        for failures in 1...80 {
            let middle = min(60, Double(1 << min(failures - 1, 30)))
            let pause = backoff.pause(after: failures, retryAfter: nil, random: random)
            #expect(pause >= middle * 0.5 && pause <= middle * 1.5)
        }
        let pauses = Set(
            (0..<50).map { _ in backoff.pause(after: 3, retryAfter: nil, random: random) })
        #expect(pauses.count > 20)
        #expect(backoff.pause(after: 1, retryAfter: 30, random: random) == 30)
    }
}
