import Foundation
import PatchCompression
import PatchCrypto
import PatchDelta
import PatchPlatform
import Rollout
import TUF
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Updates through deltas, from whatever the device holds; and without them, whatever is wrong.
@Suite struct DeltaTests {
    let fixture: EngineFixture
    init() throws { fixture = try EngineFixture() }

    /// A payload that differs from the others of this kind in a few bytes.
    private func payload(_ text: String) -> [UInt8] {
        var bytes = EngineFixture.payload("base")
        bytes.replaceSubrange(1000..<1000 + text.utf8.count, with: Array(text.utf8))
        return bytes
    }

    private func release(
        _ text: String, _ sequence: Int, from bases: [String] = [],
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws {
        try fixture.app.release(
            payload(text), version: "1.\(sequence)", sequence: sequence,
            deltasFrom: bases.map(payload), change)
    }

    /// Takes the update, and says what it took.
    private func update(to version: String) async throws -> DownloadReport {
        try await fixture.update()
        let own = try await fixture.engine.open()
        #expect(own.current?.version == version)
        if let slot = own.current {
            let digest = SHA256.hash(try await fixture.engine.payload(of: slot)).hex
            #expect(digest == slot.digest)
        }
        #expect(try fixture.files.list("incoming").isEmpty)
        return try #require(await fixture.engine.lastDownload)
    }

    private var requests: [String] {
        fixture.server.requests.filter { $0.contains("/modules/") || $0.contains("/deltas/") }
    }

    @Test("an update comes as a delta of what runs")
    func fromCurrent() async throws {
        try release("one", 1)
        try await fixture.update()
        try release("two", 2, from: ["one"])
        fixture.server.forgetRequests()
        let report = try await update(to: "1.2")
        #expect(report.isDelta && report.bytes < 150 && report.deltaProblem == nil)
        #expect(requests.count == 1 && requests[0].contains("/deltas/"))
    }

    @Test("any slot will do, also that of the release before")
    func fromPrevious() async throws {
        try release("one", 1)
        try await fixture.update()
        try release("two", 2)
        try await fixture.update()
        try release("three", 3, from: ["one"])
        #expect(try await update(to: "1.3").isDelta)
    }

    @Test("the first update is a delta of what the app shipped with, which is read only for that")
    func fromShipped() async throws {
        let shipped = payload("shipped")
        let reads = Lock(0)
        fixture.settings.baseModule = {
            reads.withLock { $0 += 1 }
            return shipped
        }
        fixture.restart()
        try release("one", 1, from: ["shipped", "never"])
        #expect(try await update(to: "1.1").isDelta)
        #expect(reads.withLock { $0 } == 1)
        try release("two", 2, from: ["one"])
        #expect(try await update(to: "1.2").isDelta)
        try release("three", 3)
        #expect(try await !update(to: "1.3").isDelta)
        #expect(reads.withLock { $0 } == 1)
    }

    @Test("the smallest of several deltas is taken, and none that is larger than the whole")
    func smallest() async throws {
        let far = EngineFixture.payload("far") + EngineFixture.payload("base").prefix(1000)
        fixture.settings.baseModule = { far }
        fixture.restart()
        try release("one", 1)
        try await fixture.update()
        try fixture.app.release(
            payload("two"), version: "1.2", sequence: 2, deltasFrom: [far, payload("one")])
        #expect(try await update(to: "1.2").bytes < 150)
        try fixture.app.release(
            payload("three"), version: "1.3", sequence: 3, deltasFrom: [far]
        ) { $0 += [UInt8](repeating: 1, count: 10_000) }
        fixture.server.forgetRequests()
        #expect(try await !update(to: "1.3").isDelta)
        #expect(!requests.contains { $0.contains("/deltas/") })
    }

    @Test("without a base, or with a spoiled one, the whole payload comes")
    func noBase() async throws {
        try release("one", 1, from: ["never"])
        #expect(try await update(to: "1.1") == report(of: 1))
        try release("two", 2, from: ["one"])
        _ = try await fixture.engine.check()
        let slot = fixture.folder.file("state/slots/\(SHA256.hash(payload("one")).hex)")
        try Data([1, 2, 3]).write(to: slot)
        #expect(try await !update(to: "1.2").isDelta)
        fixture.settings.baseModule = { nil }
        fixture.restart()
        try release("three", 3, from: ["shipped"])
        #expect(try await !update(to: "1.3").isDelta)
    }

    private func report(of sequence: Int) async throws -> DownloadReport {
        var report = DownloadReport()
        report.bytes = try Data(contentsOf: fixture.app.payloadFile(version: "1.\(sequence)")).count
        report.seconds = await fixture.engine.lastDownload?.seconds ?? 0
        return report
    }

    @Test(
        "P41: whatever is wrong with a delta, the whole payload follows in the same run",
        arguments: ["gone", "refused", "damaged", "longer", "endless", "cut"])
    func P41_deltaBreaks(_ how: String) async throws {
        try release("one", 1)
        try await fixture.update()
        try release("two", 2, from: ["one"])
        var expected = Reason.serverRefused
        switch how {
        case "gone": try fixture.server.setFaults(["/deltas/": .status(404)])
        case "refused": try fixture.server.setFaults(["/deltas/": .status(503)])
        case "longer":
            try fixture.server.setFaults(["/deltas/": .grow(by: 1)])
            expected = .sizeMismatch
        case "endless":
            try fixture.server.setFaults(["/deltas/": .endless])
            expected = .sizeMismatch
        case "cut":
            try fixture.server.setFaults(["/deltas/": .cut(after: 1)])
            expected = .answerCutOff
        default:
            let folder = fixture.app.folder.appendingPathComponent("targets/deltas")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension != "" {
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count - 1] ^= 1
                try bytes.write(to: file)
            }
            expected = .digestMismatch
        }
        fixture.server.forgetRequests()
        let report = try await update(to: "1.2")
        #expect(!report.isDelta)
        #expect(report.deltaProblem?.reason == expected)
        #expect(requests.last?.contains("/modules/") == true)
        #expect(
            report.bytes >= (try Data(contentsOf: fixture.app.payloadFile(version: "1.2")).count))
    }

    @Test(
        "P41, S10: a signed delta that leads elsewhere, grows or explodes costs nothing but its bytes",
        arguments: ["other base", "other payload", "grows", "bomb", "noise"])
    func P41_signedButWrong(_ how: String) async throws {
        try release("one", 1)
        try await fixture.update()
        let base = payload("one")
        let wrong: [UInt8]
        var expected = Reason.deltaFailed
        switch how {
        case "other base":
            wrong = try #require(try Delta.make(from: payload("x"), to: payload("two")))
        case "other payload":
            wrong = try #require(try Delta.make(from: base, to: payload("six")))
            expected = .digestMismatch
        case "grows":
            wrong = try #require(try Delta.make(from: base, to: payload("two") + [0]))
        case "bomb":
            let made = try #require(try Delta.make(from: base, to: payload("two")))
            wrong =
                Array(made[..<Delta.headerSize])
                + (try Brotli.compress([UInt8](repeating: 0, count: 32 << 20), quality: 5))
        default: wrong = EngineFixture.payload("noise").prefix(100).map { $0 }
        }
        try release("two", 2, from: ["one"]) { $0 = wrong }
        let report = try await update(to: "1.2")
        #expect(!report.isDelta && report.deltaProblem?.reason == expected)
    }

    @Test("a delta that was cut off is continued at the next attempt")
    func resumed() async throws {
        fixture.settings.network.rounds = 1
        fixture.restart()
        try release("one", 1)
        try await fixture.update()
        try release("two", 2, from: ["one"])
        _ = try await fixture.engine.check()
        try fixture.server.setFaults([
            "/deltas/": .cutPercent(60), "/modules/": .status(503),
        ])
        // The whole payload was tried in its place, so nothing of the delta is left by now.
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == .serverRefused)
        fixture.settings.network.rounds = 3
        fixture.restart()
        let report = try await update(to: "1.2")
        #expect(report.isDelta && report.isResumed)
    }

    @Test("after many updates by delta the disk is as full as after two")
    func P36_flat() async throws {
        for sequence in 1...12 {
            try release("\(sequence)", sequence, from: sequence > 1 ? ["\(sequence - 1)"] : [])
            #expect(try await update(to: "1.\(sequence)").isDelta == (sequence > 1))
        }
        #expect(try fixture.files.list("slots").count == 2)
    }
}
