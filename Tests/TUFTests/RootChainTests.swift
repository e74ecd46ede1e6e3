import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

@Suite("The root chain")
struct RootChainTests {
    private let start = RepositorySimulator.start

    @Test("a device with root 1 follows a chain of several roots and keeps each")
    func longChain() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        for _ in 0..<5 {
            try await repository.publish {
                try $0.editRoot(signers: [repository.rootKey], at: start) { _ in }
            }
        }
        _ = await repository.takeRequests()
        try await device.updater.refresh()
        #expect(await device.updater.trusted?.root.signed.version == 6)
        #expect(try await device.storedVersion("root") == 6)
        // Another start goes on from what is stored: one request for the next root.
        try await repository.publish()
        _ = await repository.takeRequests()
        try await device.restarted().refresh()
        #expect(await repository.takeRequests() == ["timestamp.json?", "7.root.json"])
    }

    @Test("a chain longer than allowed ends the check, and the next check goes on")
    func tooLong() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository) { $0.maximumRootRotations = 3 }
        for _ in 0..<5 {
            try await repository.publish {
                try $0.editRoot(signers: [repository.rootKey], at: start) { _ in }
            }
        }
        #expect(await code { try await device.updater.refresh() } == "root_chain_too_long")
        #expect(try await device.storedVersion("root") == 4)
    }

    @Test("a revoked release key signs nothing any more: S05")
    func revokedReleaseKey() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        let stolen = repository.releaseKey
        let newKey = TUFSigner(try SigningKey.generate())
        // The thief's release, prepared with the stolen key.
        var thief = await repository.editor
        try thief.editTargets(signers: [stolen], at: start)

        try await repository.publish { editor in
            try editor.editRoot(signers: [repository.rootKey], at: start) {
                $0.setKeys([newKey.key], of: .targets)
            }
            try editor.editTargets(signers: [newKey], at: start) { targets in
                targets.delegations?.set(
                    BuildRole.delegation(
                        fingerprint: RepositorySimulator.fingerprint,
                        keys: RoleKeys(keyIDs: [newKey.key.keyID])), keys: [newKey.key])
            }
            try editor.setTargets([], in: RepositorySimulator.build, signers: [newKey], at: start)
        }
        try await device.updater.refresh()
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
        let keys = await device.updater.trusted?.root.signed.keys
        #expect(keys?[stolen.key.keyID] == nil)

        // Now the mirror serves the thief's targets under the version that is asked for.
        let honest = await repository.state
        let forged = try #require(thief.changes.first { $0.role == "targets" })
        #expect(forged.name == "3.targets.json")
        await repository.serve(forged.name, forged.bytes)
        let fresh = try await Device(repository)
        #expect(await code { try await fresh.updater.refresh() } == "signatures_insufficient")
        // Nor does a build role count that the stolen key signs.
        await repository.restore(honest)
        let role = "3.\(RepositorySimulator.build).json"
        let build = try SignedMetadata<Targets>(parsing: try #require(honest[role]))
        await repository.serve(role, try SignedMetadata(build.signed, signers: [stolen]).encoded())
        let other = try await Device(repository)
        #expect(
            await code { _ = try await other.updater.target(RepositorySimulator.module) }
                == "signatures_insufficient")
    }

    @Test("the backup root key alone can issue the next root")
    func backupKey() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        let newRoot = TUFSigner(try SigningKey.generate())
        try await repository.publish { editor in
            try editor.editRoot(signers: [repository.backupKey], at: start) {
                $0.setKeys([repository.backupKey.key, newRoot.key], of: .root)
            }
        }
        try await device.updater.refresh()
        #expect(await device.updater.trusted?.root.signed.version == 2)
        // The lost key is out: a root 3 by it alone is refused.
        await #expect(throws: TUFError.self) {
            try await repository.publish { editor in
                try editor.editRoot(signers: [repository.rootKey], at: start) { _ in }
            }
        }
    }

    @Test("a new root must be signed by the old keys and by its own")
    func bothSignatures() async throws {
        let repository = try RepositorySimulator()
        let stranger = TUFSigner(try SigningKey.generate())
        var next = await repository.editor.root.signed
        next.header.version = 2
        next.setKeys([stranger.key], of: .root)
        for signers in [[repository.rootKey], [stranger], []] {
            await repository.serve(
                "2.root.json", try SignedMetadata(next, signers: signers).encoded())
            let device = try await Device(repository)
            #expect(
                await code { try await device.updater.refresh() } == "signatures_insufficient")
            #expect(try await device.storedVersion("root") == nil)
        }
        await repository.serve(
            "2.root.json",
            try SignedMetadata(next, signers: [repository.rootKey, stranger]).encoded())
        let device = try await Device(repository)
        try await device.updater.refresh()
        #expect(try await device.storedVersion("root") == 2)
    }

    @Test("a root that skips a version or repeats one is refused")
    func skippedVersion() async throws {
        let repository = try RepositorySimulator()
        for version in [1, 3, 1 << 53] {
            var next = await repository.editor.root.signed
            next.header.version = version
            await repository.serve(
                "2.root.json", try SignedMetadata(next, signers: [repository.rootKey]).encoded())
            let device = try await Device(repository)
            #expect(
                await code { try await device.updater.refresh() } == "metadata_version_mismatch")
        }
    }

    @Test("an expired root in the middle of the chain is no obstacle, an expired last one is")
    func expiredIntermediate() async throws {
        let repository = try RepositorySimulator()
        let now = start.adding(days: 4 * 365)
        try await repository.publish(at: now) { editor in
            try editor.editRoot(signers: [repository.rootKey], at: start) { _ in }
            try editor.editRoot(signers: [repository.rootKey], at: now) { _ in }
            try editor.editTargets(signers: [repository.releaseKey], at: now)
        }
        let device = try await Device(repository)
        device.clock.time = now
        try await device.updater.refresh()
        device.clock.time = now.adding(days: 4 * 365)
        #expect(await code { try await device.updater.refresh() } == "metadata_expired")
    }

    @Test("fast forward: after a huge version by a stolen freshness key, a new key recovers")
    func fastForward() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        let honest = await repository.state
        // The thief signs versions as high as they go, and the device takes them.
        let snapshot = try SignedMetadata(
            Snapshot(
                header: MetadataHeader(version: 1 << 53, expires: start.adding(days: 7)),
                meta: [
                    "targets.json": MetaFile(version: 2),
                    "\(RepositorySimulator.build).json": MetaFile(version: 1 << 53),
                ]), signers: [repository.freshnessKey])
        let timestamp = try SignedMetadata(
            Timestamp(
                header: MetadataHeader(version: 1 << 53, expires: start.adding(days: 7)),
                snapshot: MetaFile(version: 1 << 53)), signers: [repository.freshnessKey])
        await repository.serve("9007199254740992.snapshot.json", snapshot.encoded())
        await repository.serve("timestamp.json", timestamp.encoded())
        try await device.updater.refresh()
        #expect(try await device.storedVersion("timestamp") == 1 << 53)
        // Without a new key the honest state is a rollback for this device.
        await repository.restore(honest)
        #expect(await code { try await device.updater.refresh() } == "metadata_rollback")
        // Root replaces the key; the honest versions count again (§5.3.11).
        let newKey = TUFSigner(try SigningKey.generate())
        try await repository.publish(freshness: [newKey]) { editor in
            try editor.editRoot(signers: [repository.rootKey], at: start) {
                $0.setKeys([newKey.key], of: .snapshot)
                $0.setKeys([newKey.key], of: .timestamp)
            }
        }
        try await device.updater.refresh()
        #expect(try await device.storedVersion("timestamp") == 2)
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
    }

    @Test("keys rotated between the timestamp's answer and root's: the check still succeeds")
    func rotationInBetween() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        let stale = try await { () async throws -> [UInt8] in
            try await repository.release(2)
            return try #require(await repository.files["timestamp.json"])
        }()
        let newKey = TUFSigner(try SigningKey.generate())
        try await repository.publish(freshness: [newKey]) { editor in
            try editor.editRoot(signers: [repository.rootKey], at: start) {
                $0.setKeys([newKey.key], of: .snapshot)
                $0.setKeys([newKey.key], of: .timestamp)
            }
        }
        let racing = RacingFetcher(repository: repository, firstTimestamp: stale)
        let updater = TUFUpdater(
            bootstrap: await repository.files["1.root.json"], fetcher: racing, cache: device.cache,
            now: { RepositorySimulator.start })
        try await updater.refresh()
        #expect(try await updater.target("modules/0011223344556677/2.wasm") != nil)
    }

    /// Answers the first request for the timestamp with an older one.
    private actor RacingFetcher: MetadataFetcher {
        let repository: RepositorySimulator
        var firstTimestamp: [UInt8]?

        init(repository: RepositorySimulator, firstTimestamp: [UInt8]) {
            self.repository = repository
            self.firstTimestamp = firstTimestamp
        }

        func fetch(
            _ name: String, maximumLength: Int, ifNoneMatch validator: String?
        ) async throws -> FetchResult {
            if name == "timestamp.json", let first = firstTimestamp {
                firstTimestamp = nil
                return .found(first, validator: "\"old\"")
            }
            return try await repository.fetch(
                name, maximumLength: maximumLength, ifNoneMatch: validator)
        }
    }
}
