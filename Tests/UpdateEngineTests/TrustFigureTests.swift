import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import RolloutGates
import TUF
import TestSupport
import Testing
import UpdateEngine
import UpdateFixture
import UpdateTestSupport

/// What a check costs in a large repository: 100 builds, each with the releases that stay live of a
/// hundred. Sizes are held here; times are held in release builds (Scripts/trust-figures.sh).
@Suite(.serialized) struct TrustFigureTests {
    static let builds = 100

    /// A release as `patchcli` describes it, with a surface of some size.
    private static func release(_ fingerprint: String, _ sequence: Int) -> Release {
        var release = Release(
            appID: PublishedApp.appID, platform: "linux", version: "1.\(sequence)",
            sequence: sequence, fingerprint: fingerprint,
            raw: RawPayload(sha256: SHA256.hash("\(fingerprint) \(sequence)").hex, size: 131_072))
        release.needs = (0..<4).map {
            SurfaceNeed(
                id: String(SHA256.hash("id \($0)").hex.prefix(16)),
                sig: String(SHA256.hash("sig \($0)").hex.prefix(16)))
        }
        release.capabilities = ["log.write", "clock.now"]
        release.commit = String(SHA256.hash("commit \(sequence)").hex.prefix(40))
        release.notes = "Fixes the price of what is sold by weight."
        return release
    }

    /// One build's targets after a hundred releases: the stable one and three to return to.
    private static func targets(_ fingerprint: String, upTo last: Int) throws -> [TargetFile] {
        try (last - 3...last).map { sequence in
            let release = release(fingerprint, sequence)
            let custom = try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release)))
            return TargetFile(
                path: "modules/\(fingerprint.prefix(16))/\(release.version).wasm", length: 40_000,
                hashes: ["sha256": SHA256.hash("packed \(sequence)").hex], custom: custom.object)
        }
    }

    /// A device of one build, the tree that it asks, and the app's last release.
    private final class World {
        let folder: TemporaryDirectory
        let app: PublishedApp
        let transport: TreeTransport
        var settings: UpdateSettings
        let files: MemoryFileStore

        init() throws {
            folder = try TemporaryDirectory("figures")
            app = try PublishedApp(folder.file("site"))
            transport = TreeTransport(folder.file("site"))
            files = MemoryFileStore(locksIn: folder.file("locks"))
            settings = UpdateSettings(
                appKey: PublishedApp.appKey, appID: PublishedApp.appID, platform: "linux",
                channel: "production", fingerprint: PublishedApp.fingerprint,
                baseURL: URL(string: "http://127.0.0.1/"), trust: .root(app.rootBytes))
            settings.capabilities = ["log", "clock"]
            let others = (1..<builds).map { SHA256.hash("build \($0)").hex }
            try app.registerBuilds(others) { try TrustFigureTests.targets($0, upTo: 100) }
            try app.setBrake { _ in }
            try publish(99)
        }

        func publish(_ last: Int) throws {
            let fingerprint = PublishedApp.fingerprint
            try app.list(try TrustFigureTests.targets(fingerprint, upTo: last))
            let digests = (last - 3...last).map {
                TrustFigureTests.release(fingerprint, $0).raw.sha256
            }
            try app.setHead { head in
                head.stable = digests[3]
                head.returnable = [digests[2], digests[1], digests[0]]
            }
        }

        func engine() -> UpdateEngine {
            UpdateEngine(
                settings: settings, kind: AnyPayload(),
                environment: UpdateEngine.Environment(
                    files: files, transport: transport,
                    clock: ManualClock(now: Double(app.now.secondsSince1970))))
        }
    }

    @Test("metadata for one new release is at most 16 KB among 100 builds with 100 releases each")
    func metadataSize() async throws {
        let world = try World()
        _ = try await world.engine().check()
        try world.publish(100)
        _ = world.transport.takeRequests()
        _ = world.transport.takeBytes()
        let found = try await world.engine().check()
        #expect(found.release?.sequence == 100)
        let requests = world.transport.takeRequests()
        let body = world.transport.takeBytes()
        // What the answers' heads add on a real host: status, date, type, length, tag.
        let wire = body + requests.count * 250
        print(
            "metadata for one new release: \(requests.count) requests, \(body) bytes of "
                + "bodies, about \(wire) on the wire: \(requests)")
        #expect(wire <= 16 << 10)
    }

    @Test("verifying a whole change takes at most 10 ms, a check with nothing new 2 ms of CPU")
    func times() async throws {
        let world = try World()
        var changes: [Double] = []
        var first: [Double] = []
        var later: [Double] = []
        for round in 0..<12 {
            let engine = world.engine()
            _ = try await engine.check()
            try world.publish(round % 2 == 0 ? 100 : 99)
            changes.append(try await Self.cpu { _ = try await engine.check() })
            world.transport.answersNotModified.withLock { $0 = true }
            let fresh = world.engine()
            first.append(try await Self.cpu { _ = try await fresh.check() })
            later.append(try await Self.cpu { _ = try await fresh.check() })
            world.transport.answersNotModified.withLock { $0 = false }
        }
        func median(_ list: [Double]) -> Double { list.sorted()[list.count / 2] }
        print(
            "CPU, median of \(changes.count): whole change \(median(changes)) ms, nothing new "
                + "\(median(first)) ms in a new process, \(median(later)) ms later")
        #if !DEBUG
            #expect(median(changes) <= 10)
            #expect(median(first) <= 2)
            #expect(median(later) <= 2)
        #endif
    }

    /// CPU time of this process in milliseconds.
    private static func cpu(_ body: () async throws -> Void) async rethrows -> Double {
        let start = clock()
        try await body()
        return Double(clock() - start) * 1000 / Double(CLOCKS_PER_SEC)
    }
}
