import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// A state that cannot be used is left alone.
@Suite struct StateTests {
    let fixture: EngineFixture

    init() throws {
        fixture = try EngineFixture()
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
    }

    @Test(
        "P24: a state that cannot be read is neither used nor replaced, and nothing is asked",
        arguments: [
            "", "{", "[]", "{\"v\":1}", "\u{0}\u{1}", "{\"v\":1,\"device_id\":5,\"builds\":{}}",
        ])
    func P24_unreadable(_ text: String) async throws {
        try fixture.files.writeAtomically(Array(text.utf8), to: "state.json")
        let engine = fixture.engine
        #expect(await fixture.failure { _ = try await engine.open() } == .stateUnreadable)
        #expect(await fixture.failure { _ = try await engine.check() } == .stateUnreadable)
        #expect(try fixture.files.read("state.json", maximumSize: 100) == Array(text.utf8))
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("a state of a newer SDK is left alone")
    func tooNew() async throws {
        let text = "{\"v\":2,\"device_id\":\"x\",\"builds\":{}}"
        try fixture.files.writeAtomically(Array(text.utf8), to: "state.json")
        let engine = fixture.engine
        #expect(await fixture.failure { _ = try await engine.open() } == .stateTooNew)
        #expect(try fixture.files.read("state.json", maximumSize: 100) == Array(text.utf8))
    }

    @Test("reasons that a later version gave, and fractions of seconds, do not make it unreadable")
    func laterReasons() async throws {
        try await fixture.update()
        var state = try fixture.state()
        let build = PublishedApp.fingerprint
        state.builds[build]?.failed["d"] = FailedRelease(
            reason: .trapped, retryGeneration: 0, expires: 2_000_000_000)
        var text = String(decoding: state.encoded(), as: UTF8.self)
        for (old, new) in [
            ("\"trapped\"", "\"met_a_dragon\""), ("2000000000", "2000000000.75"),
            ("\"reason\":\"update_stable\"", "\"reason\":\"as_the_oracle_said\""),
        ] {
            #expect(text.contains(old), "\(old)")
            text = text.replacingOccurrences(of: old, with: new)
        }
        try fixture.files.writeAtomically(Array(text.utf8), to: "state.json")
        fixture.restart()
        let own = try await fixture.engine.open()
        #expect(own.current?.version == "1.1")
        #expect(own.failed["d"]?.expires == 2_000_000_000)
        #expect(try await fixture.engine.check().decision.reason == .upToDate)
    }

    @Test("a state folder that cannot be made or written says so; nothing is asked")
    func unwritable() async throws {
        try fixture.folder.write("x", to: "plain")
        fixture.restart(files: LocalFileStore(folder: fixture.folder.file("plain/state")))
        let engine = fixture.engine
        #expect(try await engine.launch().state == BuildState())
        #expect(await fixture.failure { _ = try await engine.check() } == .stateUnwritable)
        #expect(await fixture.failure { _ = try await engine.fetch() } == .stateUnwritable)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("a state folder that turns read-only keeps what it has and takes nothing new")
    func turnsReadOnly() async throws {
        try await fixture.update()
        let before = try fixture.disk()
        try fixture.app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        fixture.restart(files: ReadOnlyFiles(inner: fixture.files))
        let engine = fixture.engine
        #expect(await fixture.failure { _ = try await engine.check() } == .stateUnwritable)
        #expect(try fixture.disk() == before)
    }

    @Test("a full disk is told from a read-only one, and the payloads stay as they were")
    func diskFull() async throws {
        try await fixture.update()
        let before = try fixture.disk()
        try fixture.app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        fixture.restart(files: FullDisk(inner: fixture.files))
        let engine = fixture.engine
        #expect(await fixture.failure { _ = try await engine.fetch() } == .diskFull)
        #expect(try fixture.disk()[1...] == before[1...])
        #expect(try await engine.open().staged == nil)
    }

    @Test("an extension reads what the app has and changes nothing")
    func appExtension() async throws {
        fixture.restart(process: ExtensionProcess())
        #expect(try await fixture.engine.open() == BuildState())
        #expect(try fixture.files.list(".").isEmpty)
        fixture.restart()
        try await fixture.update()
        fixture.restart(process: ExtensionProcess())
        let engine = fixture.engine
        let slot = try #require(try await engine.open().current)
        #expect(try await engine.payload(of: slot) == EngineFixture.payload("one"))
        #expect(await fixture.failure { _ = try await engine.check() } == .extensionReadsOnly)
        #expect(await fixture.failure { _ = try await engine.fetch() } == .extensionReadsOnly)
        let before = try fixture.disk()
        try await engine.didFail(slot.digest, because: .trapped)
        #expect(try fixture.disk() == before)
    }

    @Test("P19: a process that sits on the state holds a start up for a bounded time only")
    func P19_stuckWriter() async throws {
        try await fixture.update()
        let before = try fixture.disk()
        let lock = try fixture.files.lock("lock", wait: false)
        fixture.settings.patience = 0.05
        fixture.restart()
        let engine = fixture.engine
        #expect(try await engine.launch().state.current?.version == "1.1")
        #expect(
            await fixture.failure { try await engine.didFail("x", because: .trapped) }
                == .stateBusy)
        #expect(try fixture.disk() == before)
        lock?.release()
        try await engine.didFail("x", because: .trapped)
    }

    @Test("two engines on one folder never lose each other's changes")
    func twoWriters() async throws {
        try await fixture.update()
        let other = UpdateEngine(
            settings: fixture.settings, kind: fixture.kind,
            environment: UpdateEngine.Environment(files: fixture.files, clock: fixture.clock))
        let engine = fixture.engine
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    try await (index % 2 == 0 ? engine : other)
                        .didFail("digest \(index)", because: .trapped)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await engine.open().failed.count == 40)
    }
}

/// Everything can be read, nothing written.
struct ReadOnlyFiles: FileStore {
    let inner: LocalFileStore
    private func refuse(_ name: String) -> FileError {
        FileError(.readOnly, name: name, systemError: EROFS)
    }
    func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        try inner.read(name, maximumSize: maximumSize)
    }
    func writeAtomically(_ bytes: [UInt8], to name: String) throws { throw refuse(name) }
    func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        throw refuse(name)
    }
    func move(_ name: String, to target: String) throws { throw refuse(name) }
    func remove(_ name: String) throws { throw refuse(name) }
    func list(_ folder: String) throws -> [String] { try inner.list(folder) }
    func size(of name: String) throws -> Int? { try inner.size(of: name) }
    func freeBytes() -> UInt64? { inner.freeBytes() }
    func lock(_ name: String, wait: Bool) throws -> FileLock? { throw refuse(name) }
}

/// A disk on which payloads no longer fit.
struct FullDisk: FileStore {
    let inner: LocalFileStore
    func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        try inner.read(name, maximumSize: maximumSize)
    }
    func writeAtomically(_ bytes: [UInt8], to name: String) throws {
        try inner.writeAtomically(bytes, to: name)
    }
    func writeVerifiable(_ bytes: [UInt8], to name: String) throws {
        if name.hasPrefix("slots/") { throw FileError(.diskFull, name: name) }
        try inner.writeVerifiable(bytes, to: name)
    }
    func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        throw FileError(.diskFull, name: name)
    }
    func move(_ name: String, to target: String) throws { try inner.move(name, to: target) }
    func remove(_ name: String) throws { try inner.remove(name) }
    func list(_ folder: String) throws -> [String] { try inner.list(folder) }
    func size(of name: String) throws -> Int? { try inner.size(of: name) }
    func freeBytes() -> UInt64? { inner.freeBytes() }
    func lock(_ name: String, wait: Bool) throws -> FileLock? {
        try inner.lock(name, wait: wait)
    }
}
