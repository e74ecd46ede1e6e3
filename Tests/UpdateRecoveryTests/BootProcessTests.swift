import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateFixture
import UpdateScenarios
import UpdateTestSupport

/// The boot guard over real processes that really end.
@Suite("Boot guard over real processes") struct BootProcessTests {
    let fixture: EngineFixture
    let children: Children
    let device: URL

    /// A device that runs 1.2, which has not proved itself, after 1.1, which has.
    init() async throws {
        fixture = try EngineFixture()
        children = try Children(fixture)
        device = children.folder.file("device")
        try publish(1)
        #expect(try children.run("live", device).status == 0)
        try publish(2)
        fixture.restart(files: LocalFileStore(folder: device))
        try await fixture.update()
    }

    private func publish(_ number: Int) throws {
        try fixture.app.release(
            EngineFixture.payload("\(number)"), version: "1.\(number)", sequence: number)
    }

    private func start(_ how: String) throws -> StartReport {
        if how == "hang" {
            let process = try children.spawn("start", device, how)
            // Whoever waits for a window that never comes ends the app by hand.
            let log = children.folder.url
            while try !hangs(log) { usleep(2000) }
            process.kill()
            return try Children.decode(process.wait())
        }
        return try Children.decode(children.run("start", device, how))
    }

    private func hangs(_ folder: URL) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("output-") }
            .contains {
                let text = try? String(
                    contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
                return text?.hasSuffix("hangs\n") == true
            }
    }

    private let one = EngineFixture.digest("1")
    private let two = EngineFixture.digest("2")

    @Test(
        "P11: a release whose start crashes or hangs is run twice, then the one before it",
        arguments: [["crash", "crash"], ["crash-in-activation", "crash"], ["hang", "crash"]])
    func P11_twice(_ endings: [String]) throws {
        #expect(try start(endings[0]).runs == two)
        let second = try start(endings[1])
        #expect(second.runs == two)
        #expect(second.verdicts == ["start_unclean counted"])
        let third = try start("ready")
        #expect(third.runs == one)
        #expect(third.verdicts.count == 1)
        #expect(try children.report(device).failed == [two])
    }

    @Test(
        "P07: ends that are not the release's fault leave it running for ever",
        arguments: ["background", "unused-crash", "unused", "ready", "ready-then-crash"])
    func P07_innocent(_ how: String) throws {
        for _ in 0..<5 { #expect(try start(how).runs == two) }
        #expect(try start("ready").runs == two)
        #expect(try children.report(device).failed.isEmpty)
    }

    @Test("three clean ends confirm a release that is hardly ever called")
    func rarelyCalled() throws {
        for _ in 0..<3 { #expect(try !start("unused").isConfirmed) }
        #expect(try start("unused").isConfirmed)
    }

    @Test("a crash after ready is reported at the next start, and the release stays")
    func crashAfterReady() throws {
        #expect(try start("ready-then-crash").verdicts.isEmpty)
        let next = try start("ready")
        #expect(next.verdicts == ["crash_after_ready reported"])
        #expect(next.runs == two)
    }

    @Test("P17: when the release before crashes too, native code alone runs")
    func P17_safeMode() throws {
        for expected in [two, two, one, one] { #expect(try start("crash").runs == expected) }
        let safe = try start("crash")
        #expect(safe.runs == nil)
        #expect(safe.isSafeMode)
        #expect(try start("crash").isSafeMode)
    }

    @Test("P13: a crash loop ends and the fixed release arrives, with no module loaded on the way")
    func P13_recovery() throws {
        for _ in 0..<4 { _ = try start("crash") }
        #expect(try start("crash").isSafeMode)
        try publish(3)
        #expect(try children.run("live", device).status == 0)
        let found = try start("ready")
        #expect(found.runs == EngineFixture.digest("3"))
        #expect(!found.isSafeMode)
    }

    @Test("P12: a banned release is offered again once the head's retry generation is raised")
    func P12_retry() throws {
        for _ in 0..<2 { _ = try start("crash") }
        #expect(try start("ready").runs == one)
        #expect(try children.run("live", device).status == 0)
        #expect(try start("ready").runs == one)
        try fixture.app.setHead { $0.retryGeneration += 1 }
        #expect(try children.run("live", device).status == 0)
        #expect(try start("ready").runs == two)
    }

    @Test("P08: a process that still runs is not taken for one that crashed")
    func P08_twoProcesses() throws {
        let running = try children.spawn("start", device, "hang")
        defer {
            running.kill()
            _ = running.wait()
        }
        while try !hangs(children.folder.url) { usleep(2000) }
        for _ in 0..<4 {
            let report = try start("background")
            #expect(report.runs == two)
            #expect(report.verdicts.isEmpty)
        }
        #expect(try children.report(device).failed.isEmpty)
    }
}
