import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

@Suite("The client's workflow")
struct WorkflowTests {
    @Test("a first check fetches each role once and finds the target through its build role")
    func firstCheck() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        #expect(try await device.updater.refresh() == .refreshed)
        #expect(
            await repository.takeRequests()
                == ["2.root.json", "timestamp.json", "1.snapshot.json", "2.targets.json"])
        let target = try #require(try await device.updater.target(RepositorySimulator.module))
        #expect(target.custom?["sequence"] == 1)
        #expect(await repository.takeRequests() == ["2.build-0011223344556677.json"])
        let bytes = try await device.updater.download(target, from: repository)
        #expect(bytes == Array("module one".utf8))
        #expect(
            await repository.takeRequests()
                == ["modules/0011223344556677/\(target.sha256 ?? "").1.wasm"])
    }

    @Test("a check with nothing new is one conditional request")
    func notModified() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        _ = try await device.updater.target(RepositorySimulator.module)
        _ = await repository.takeRequests()
        #expect(try await device.updater.refresh() == .notModified)
        #expect(await repository.takeRequests() == ["timestamp.json?"])
        let again = await device.restarted()
        #expect(try await again.refresh() == .notModified)
        #expect(try await again.target(RepositorySimulator.module) != nil)
        #expect(await repository.takeRequests() == ["timestamp.json?"])
    }

    @Test("a new release is fetched with the timestamp that said so, unchanged roles are not")
    func newRelease() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        try await repository.release(2)
        _ = await repository.takeRequests()
        #expect(try await device.updater.refresh() == .refreshed)
        #expect(try await device.updater.target("modules/0011223344556677/2.wasm") != nil)
        #expect(
            await repository.takeRequests() == [
                "timestamp.json?", "2.root.json", "2.snapshot.json",
                "3.build-0011223344556677.json",
            ])
    }

    @Test("an expired stored timestamp asks for everything again, even of a server that says 304")
    func expiredStored() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        device.clock.time = RepositorySimulator.start.adding(days: 8)
        try await repository.publish(at: device.clock.time)
        await repository.setAlwaysNotModified(true)
        #expect(try await device.updater.refresh() == .refreshed)
        #expect(try await device.storedVersion("timestamp") == 2)
    }

    @Test("what is stored is enough to find targets without network")
    func offline() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        #expect(await code { try await device.updater.loadStored() } == "metadata_unavailable")
        try await device.updater.refresh()
        _ = try await device.updater.target(RepositorySimulator.module)
        await repository.setDown(true)
        let again = await device.restarted()
        try await again.loadStored()
        #expect(try await again.target(RepositorySimulator.module) != nil)
        #expect(await code { try await again.refresh() } == "download_failed")
        #expect(try await again.target(RepositorySimulator.module) != nil)
    }

    @Test("a failed check leaves the trusted state usable, and the next check succeeds")
    func recovery() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        try await repository.release(2)
        let good = await repository.state
        for (name, expected) in [
            ("timestamp.json", "json_damaged"), ("2.snapshot.json", "metadata_length_mismatch"),
        ] {
            await repository.serve(name, Array("<html>captive portal</html>".utf8))
            #expect(await code { try await device.updater.refresh() } == expected)
            #expect(try await device.updater.target(RepositorySimulator.module) != nil)
            await repository.restore(good)
        }
        try await device.updater.refresh()
        #expect(try await device.updater.target("modules/0011223344556677/2.wasm") != nil)
    }

    @Test("a damaged cache costs a download, never the check")
    func damagedCache() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        _ = try await device.updater.target(RepositorySimulator.module)
        for name in await device.cache.names {
            let whole = await device.cache.load(name)
            for bad: [UInt8] in [[], [0xFF, 0xFE], Array("{}".utf8)] {
                await device.cache.store(name, bad)
                let again = await device.restarted()
                try await again.refresh()
                #expect(try await again.target(RepositorySimulator.module) != nil, "\(name)")
                await device.cache.store(name, whole ?? [])
            }
        }
    }

    @Test("a cache that cannot be written is an error with a code")
    func readOnlyCache() async throws {
        struct ReadOnly: MetadataCache {
            struct Refused: Error {}
            func load(_ name: String) -> [UInt8]? { nil }
            func store(_ name: String, _ bytes: [UInt8]) throws { throw Refused() }
            func remove(_ name: String) throws { throw Refused() }
        }
        let repository = try RepositorySimulator()
        let root = await repository.files["1.root.json"]
        let updater = TUFUpdater(
            bootstrap: root, fetcher: repository, cache: ReadOnly(),
            now: { RepositorySimulator.start })
        #expect(await code { try await updater.refresh() } == "cache_failed")
    }

    @Test("without a root of its own or of the cache nothing is trusted")
    func noRoot() async throws {
        let repository = try RepositorySimulator()
        let cache = MemoryMetadataCache()
        let updater = TUFUpdater(
            bootstrap: nil, fetcher: repository, cache: cache, now: { RepositorySimulator.start })
        #expect(await code { try await updater.refresh() } == "no_trusted_root")
        await cache.store("root.json", await repository.files["1.root.json"] ?? [])
        try await updater.refresh()
    }

    @Test("checks and searches that run at once do not mix their documents")
    func concurrency() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 2..<12 {
                group.addTask { try await repository.release(round) }
                group.addTask { try await device.updater.refresh() }
                group.addTask {
                    _ = try await device.updater.target(RepositorySimulator.module)
                }
            }
            // A release in the middle of a check may take a file away from under it; never more.
            while let result = await group.nextResult() {
                if case .failure(let error) = result { throw error }
            }
        }
        try await device.updater.refresh()
        #expect(try await device.updater.target("modules/0011223344556677/11.wasm") != nil)
    }

    @Test("a target that no role lists is nil, not an error")
    func unknownTarget() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        #expect(try await device.updater.target("modules/0011223344556677/9.wasm") == nil)
        #expect(try await device.updater.target("modules/ffffffffffffffff/1.wasm") == nil)
        #expect(try await device.updater.target("") == nil)
    }

    @Test("the targets of a build role are listed, without those outside its delegation")
    func listedTargets() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await repository.release(2)
        let listed = try #require(
            try await device.updater.targets(ofRole: RepositorySimulator.build))
        #expect(
            listed.map(\.path) == [
                "modules/0011223344556677/1.wasm", "modules/0011223344556677/2.wasm",
            ])
        #expect(try await device.updater.targets(ofRole: "build-ffffffffffffffff") == nil)
    }

    @Test("a release costs a device no more than 16 KB of metadata")
    func wireSize() async throws {
        let repository = try RepositorySimulator()
        let release = repository.releaseKey
        try await repository.publish { editor in
            try editor.editTargets(signers: [release], at: RepositorySimulator.start) { targets in
                for index in 0..<200 {
                    targets.delegations?.set(
                        BuildRole.delegation(
                            fingerprint: SHA256.hash("build \(index)").hex,
                            keys: RoleKeys(keyIDs: [release.key.keyID])), keys: [release.key])
                }
            }
            for delegation in try #require(editor.targets?.signed.delegations).roles
            where editor.delegated[delegation.name] == nil {
                try editor.setTargets(
                    [], in: delegation.name, signers: [release], at: RepositorySimulator.start)
            }
        }
        let device = try await Device(repository)
        try await device.updater.refresh()
        try await repository.release(2)
        let before = await repository.state
        _ = await repository.takeRequests()
        try await device.updater.refresh()
        _ = try await device.updater.target("modules/0011223344556677/2.wasm")
        let bytes = await repository.takeRequests().map { before[$0]?.count ?? 0 }.reduce(0, +)
        // The timestamp was asked for conditionally, hence not found under that name.
        let timestamp = before["timestamp.json"]?.count ?? 0
        #expect(bytes + timestamp <= 16_384, "200 builds: \(bytes + timestamp) bytes")
    }
}
