import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateFixture
import UpdateTestSupport

/// The boot guard as the engine keeps it on disk.
@Suite struct BootGuardTests {
    let fixture: EngineFixture
    private let one = EngineFixture.digest("one")
    private let two = EngineFixture.digest("two")

    init() throws { fixture = try EngineFixture() }

    private func have(_ text: String, _ sequence: Int) async throws {
        try fixture.app.release(
            EngineFixture.payload(text), version: "1.\(sequence)", sequence: sequence)
        try await fixture.update()
    }

    private func marks() throws -> [String] { try fixture.files.list("boot") }

    @Test("P10: ready belongs to the start that says it, and to what that start activated")
    func P10_boundToItsStart() async throws {
        try await have("one", 1)
        let first = fixture.engine
        try await first.willActivate(one)
        first.didActivate()
        // A later start runs something else before the first one is found to work.
        fixture.restart()
        try await have("two", 2)
        try await fixture.engine.willActivate(two)
        try await first.markReady()
        #expect(try await fixture.engine.open().current?.digest == two)
        #expect(try await fixture.engine.open().current?.isConfirmed == false)
        try await fixture.engine.markReady()
        #expect(try await fixture.engine.open().current?.isConfirmed == true)
    }

    @Test("P10: ready before anything was activated confirms nothing")
    func P10_tooEarly() async throws {
        try await have("one", 1)
        let before = try fixture.disk()
        try await fixture.engine.markReady()
        #expect(try fixture.disk() == before)
    }

    @Test("a start that ends well leaves one small mark, and the next launch removes it")
    func marksAreRemoved() async throws {
        try await have("one", 1)
        for _ in 0..<5 {
            fixture.restart(process: GoneProcess())
            try await fixture.start()
            #expect(try marks().count == 1)
        }
    }

    @Test("a launch with nothing to conclude writes no state")
    func quietLaunch() async throws {
        try await have("one", 1)
        for _ in 0..<12 {
            fixture.restart(process: GoneProcess())
            try await fixture.start()
            fixture.engine.didEnterBackground()
        }
        let before = try fixture.disk()
        for _ in 0..<5 {
            fixture.restart(files: ReadOnlyState(inner: fixture.files), process: GoneProcess())
            #expect(try await fixture.start().state.current?.digest == one)
        }
        #expect(try fixture.disk() == before)
    }

    @Test("where no mark can be kept, only a release that has proved itself runs")
    func noMark() async throws {
        try await have("one", 1)
        fixture.restart(files: FullDisk(inner: fixture.files))
        let full = fixture.engine
        let one = one
        #expect(await fixture.failure { try await full.willActivate(one) } == .diskFull)
        fixture.restart()
        try await fixture.start()
        fixture.restart(files: FullDisk(inner: fixture.files))
        try await fixture.engine.willActivate(one)
        fixture.engine.didActivate()
        fixture.engine.patchedCallBegan()
        // A module that the app ships with was tried with it.
        try await fixture.engine.willActivate(String(repeating: "b", count: 64))
    }

    @Test("P08: an extension leaves no mark and is judged by nobody")
    func P08_extension() async throws {
        try await have("one", 1)
        fixture.restart(process: ExtensionProcess())
        for _ in 0..<3 {
            #expect(try await fixture.engine.launch().state.current?.digest == one)
            try await fixture.engine.willActivate(one)
            fixture.engine.patchedCallBegan()
        }
        #expect(try marks().isEmpty)
    }

    @Test("an activation that failed is taken back: the process's end is not held against it")
    func takenBack() async throws {
        try await have("one", 1)
        fixture.restart(process: GoneProcess())
        try await fixture.start()
        try await fixture.engine.willActivate(two)
        fixture.engine.didNotActivate(two)
        fixture.restart(process: GoneProcess())
        let verdicts = try await fixture.engine.launch().verdicts
        #expect(verdicts.map(\.digest) == [one])
        #expect(verdicts.map(\.reason) == [.crashAfterReady])
    }

    @Test("marks of another build, and half of one, are removed and say nothing")
    func strangeMarks() async throws {
        try await have("one", 1)
        fixture.settings.fingerprint = String(repeating: "d", count: 64)
        fixture.restart(process: GoneProcess())
        try await fixture.engine.willActivate(one)
        fixture.settings.fingerprint = PublishedApp.fingerprint
        try fixture.files.writeAtomically(Array("{\"v\":1,".utf8), to: "boot/1073741824-half")
        fixture.restart(process: GoneProcess())
        let plan = try await fixture.engine.launch()
        #expect(plan.verdicts.isEmpty)
        #expect(plan.state.current?.digest == one)
        #expect(try marks().isEmpty)
    }

    @Test("P24: a launch on a device without a state makes none, nor an id")
    func P24_nothingMinted() async throws {
        #expect(try await fixture.engine.launch().state == BuildState())
        #expect(try await fixture.engine.deviceID() == nil)
        #expect(try fixture.files.list(".").isEmpty)
    }

    @Test(
        "P25: a state folder that the system emptied costs a download, not the updates",
        arguments: ["all of it", "only the state", "only the payloads"])
    func P25_purged(_ what: String) async throws {
        try await have("one", 1)
        switch what {
        case "only the state": try fixture.files.remove("state.json")
        case "only the payloads": try fixture.files.remove("slots")
        default:
            for name in try fixture.files.list(".") { try fixture.files.remove(name) }
        }
        fixture.restart()
        let plan = try await fixture.engine.launch()
        if let lost = plan.state.current {
            let engine = fixture.engine
            #expect(
                await fixture.failure { _ = try await engine.payload(of: lost) } == .slotMissing)
            try await fixture.engine.didFail(lost.digest, because: .slotMissing)
        }
        #expect(try await fixture.engine.open().current == nil)
        try await fixture.update()
        let slot = try #require(try await fixture.engine.open().current)
        #expect(try await fixture.engine.payload(of: slot) == EngineFixture.payload("one"))
        #expect(try fixture.files.list("slots") == [one])
    }

    @Test("P15: whatever is published, what fetch made ready is what the next start runs")
    func P15_oneSelection() async throws {
        var random = SeededGenerator()
        var published: [String] = []
        for step in 1...25 {
            if published.isEmpty || Bool.random(using: &random) {
                published.append(
                    try fixture.app.release(
                        EngineFixture.payload("p\(step)"), version: "1.\(step)", sequence: step))
            } else {
                let earlier = published.randomElement(using: &random)
                try fixture.app.setHead { $0.stable = earlier }
            }
            fixture.restart(process: GoneProcess())
            _ = try await fixture.engine.check()
            let staged = try await fixture.engine.fetch()
            fixture.restart(process: GoneProcess())
            let plan = try await fixture.engine.launch()
            #expect(plan.state.staged == staged, "\(random)")
            guard case .release(let slot) = staged else { continue }
            _ = try await fixture.engine.payload(of: slot)
            try await fixture.engine.willActivate(slot.digest)
            try await fixture.engine.didActivateStaged()
            fixture.engine.didActivate()
            fixture.engine.didEndCleanly()
            fixture.restart(process: GoneProcess())
            let runs = try await fixture.engine.launch().state.current?.digest
            #expect(runs == slot.digest, "\(random)")
            #expect(try await !fixture.engine.check().isUpdate, "\(random)")
        }
    }
}

/// The state cannot be written, everything else can.
private struct ReadOnlyState: FileStore {
    let inner: LocalFileStore
    private func refuse(_ name: String) throws {
        if name == "state.json" || name == "lock" { throw FileError(.readOnly, name: name) }
    }
    func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        try inner.read(name, maximumSize: maximumSize)
    }
    func writeAtomically(_ bytes: [UInt8], to name: String) throws {
        try refuse(name)
        try inner.writeAtomically(bytes, to: name)
    }
    func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        try inner.openForWriting(name, appending: appending)
    }
    func move(_ name: String, to target: String) throws { try inner.move(name, to: target) }
    func remove(_ name: String) throws { try inner.remove(name) }
    func list(_ folder: String) throws -> [String] { try inner.list(folder) }
    func size(of name: String) throws -> Int? { try inner.size(of: name) }
    func freeBytes() -> UInt64? { inner.freeBytes() }
    func lock(_ name: String, wait: Bool) throws -> FileLock? {
        try refuse(name)
        return try inner.lock(name, wait: wait)
    }
}
