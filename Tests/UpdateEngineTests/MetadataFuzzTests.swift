import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Every document that a check reads × every kind of damage: refused with a reason, what runs and
/// what is remembered stays, and the next whole answer is taken as if nothing had been.
///
/// `OPENPATCH_FUZZ_SECONDS` makes it last (Scripts/fuzz-metadata.sh).
@Suite(.serialized) struct MetadataFuzzTests {
    /// A device that runs release 1; the tree has since got a new root, a new build role with
    /// release 2, brakes, and all that follows.
    private final class World {
        let folder: TemporaryDirectory
        let app: PublishedApp
        let transport: TreeTransport
        let settings: UpdateSettings
        let clock: ManualClock
        private(set) var start: [String: [UInt8]] = [:]
        private(set) var documents: [String: [UInt8]] = [:]

        init() async throws {
            folder = try TemporaryDirectory("fuzz")
            app = try PublishedApp(folder.file("site"))
            transport = TreeTransport(folder.file("site"))
            clock = ManualClock(now: Double(app.now.secondsSince1970))
            settings = UpdateSettings(
                appKey: PublishedApp.appKey, appID: PublishedApp.appID, platform: "linux",
                channel: "production", fingerprint: PublishedApp.fingerprint,
                baseURL: URL(string: "http://127.0.0.1/"), trust: .root(app.rootBytes))
            try app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
            let device = Device(self, start)
            try await device.update()
            start = device.files.contents
            try app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
            try app.setBrake { $0.caps = ["x": 1] }
            try app.editRoot { $0.header.unrecognized["x-note"] = "two" }
            _ = transport.takeRequests()
            try await Device(self, start).check()
            for name in Set(transport.takeRequests()) {
                let site = folder.file("site").path
                guard let walker = FileManager.default.enumerator(atPath: site) else { continue }
                for case let path as String in walker where path.hasSuffix("/" + name) {
                    documents[name] = FileManager.default.contents(atPath: site + "/" + path)
                        .map { [UInt8]($0) }
                }
            }
        }
    }

    private struct Device {
        let files: MemoryFileStore
        let engine: UpdateEngine

        init(_ world: World, _ start: [String: [UInt8]]) {
            files = MemoryFileStore(start, locksIn: world.folder.file("locks"))
            engine = UpdateEngine(
                settings: world.settings, kind: AnyPayload(),
                environment: UpdateEngine.Environment(
                    files: files, transport: world.transport, clock: world.clock))
        }

        @discardableResult
        func check() async throws -> UpdateEngine.Check { try await engine.check() }

        func update() async throws {
            guard try await check().isUpdate else { return }
            _ = try await engine.fetch()
            try await engine.didActivateStaged()
        }
    }

    private static var seconds: Double {
        ProcessInfo.processInfo.environment["OPENPATCH_FUZZ_SECONDS"].flatMap(Double.init) ?? 0
    }

    @Test("any damage to any document is refused with a reason, and nothing of it stays")
    func damage() async throws {
        var generator = SeededGenerator()
        let world = try await World()
        // root 2, timestamp, snapshot, targets, build role, brakes role, head, brake
        #expect(world.documents.count == 8, "\(world.documents.keys.sorted())")
        let names = world.documents.keys.sorted()
        let deadline = Date().addingTimeInterval(Self.seconds)
        var rounds = 0
        repeat {
            for name in names {
                for kind in MetadataDamage.allCases {
                    rounds += 1
                    let good = world.documents[name] ?? []
                    let bad = kind.apply(to: good, using: &generator)
                    try await check(world, name, bad, "\(kind) in \(name); \(generator)")
                }
            }
        } while Date() < deadline
        print("metadata fuzz: \(rounds) damaged documents; \(generator)")
    }

    private func check(
        _ world: World, _ name: String, _ bad: [UInt8], _ about: String
    ) async throws {
        let device = Device(world, world.start)
        let before = try await device.engine.open()
        world.transport.replace([name: bad])
        defer { world.transport.replace([:]) }
        do {
            // Only damage that means the same (a blank, an unsigned member) is taken.
            let found = try await device.check()
            #expect(found.release?.version == "1.2", "\(about)")
        } catch let error as UpdateError {
            let bands: [Reason.Band] = [.trust, .network, .decide, .download]
            #expect(bands.contains(error.reason.band), "\(error) \(about)")
            #expect(!error.context.contains("Swift."), "raw error: \(error) \(about)")
        } catch {
            Issue.record("not an UpdateError: \(error) \(about)")
        }
        let after = try await device.engine.open()
        #expect(after.current == before.current && after.staged == nil, "\(about)")
        #expect(after.failed.isEmpty, "\(about)")
        world.transport.replace([:])
        let whole = try await device.check()
        #expect(whole.release?.version == "1.2", "nothing stays: \(about)")
    }

    @Test("damage that the right key has signed is refused as well, or read as what it says")
    func signedDamage() async throws {
        var generator = SeededGenerator()
        let world = try await World()
        let app = world.app
        let build = PublishedApp.fingerprint.prefix(16)
        let headPath = "heads/production/module/\(build).json"
        let head = try #require(world.documents.first { $0.key.contains(".\(build).json") }).value
        let brake = try #require(world.documents.first { $0.key.hasSuffix(".module.json") }).value
        let deadline = Date().addingTimeInterval(Self.seconds)
        repeat {
            for kind in MetadataDamage.allCases {
                let badHead = kind.apply(to: head, using: &generator)
                try app.list(TargetFile(path: headPath, contents: badHead), badHead)
                try await judge(world, "head \(kind); \(generator)")
                try app.list(TargetFile(path: headPath, contents: head), head)
                try app.setBrake(kind.apply(to: brake, using: &generator))
                try await judge(world, "brake \(kind); \(generator)")
                try app.setBrake(brake)
            }
        } while Date() < deadline
        #expect(try await Device(world, world.start).check().release?.version == "1.2")
    }

    private func judge(_ world: World, _ about: String) async throws {
        let device = Device(world, world.start)
        do {
            let found = try await device.check()
            // Whatever a damaged statement says, only what the role lists can be reached.
            let version = found.release?.version
            #expect(version == nil || version == "1.2", "\(about)")
        } catch let error as UpdateError {
            let bands: [Reason.Band] = [.trust, .network, .decide]
            #expect(bands.contains(error.reason.band), "\(error) \(about)")
        }
        #expect(try await device.engine.open().current?.version == "1.1", "\(about)")
    }

    @Test("an answer without end is cut off near its limit, whichever document it stands for")
    func endless() async throws {
        let fixture = try EngineFixture()
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
        let parts = [
            "2.root.json", "timestamp.json", ".snapshot.json", ".targets.json", ".build-",
            ".brakes.json", "/heads/", "/brakes/",
        ]
        for part in parts {
            // Each is fetched again.
            try fixture.app.setHead { _ in }
            try fixture.app.setBrake { _ in }
            try fixture.server.setFaults([part: .endless])
            fixture.restart()
            let reason = await fixture.failure { _ = try await fixture.engine.check() }
            #expect(reason == .answerTooLarge, "\(part)")
        }
        try fixture.server.setFaults([:])
        #expect(try await fixture.engine.check().isUpdate)
        // The longest document may have 5 MB; the rest is what the system's buffers hold and what
        // comes before the connection has ended.
        let sizes = fixture.server.endlessSizes
        #expect(sizes.allSatisfy { $0 < 256 << 20 }, "\(sizes)")
        print("answers without end were cut off after \(sizes) bytes")
    }
}
