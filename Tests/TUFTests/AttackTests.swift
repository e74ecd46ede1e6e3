import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// Each test is named after the attack (specification §1.5.2, research/ota-peers.md §6).
@Suite("Attacks")
struct AttackTests {
    /// Changes the text of a served document and signs it again with `signer`.
    private func forged<Role: MetadataRole>(
        _ bytes: [UInt8]?, _ signer: TUFSigner?, as role: Role.Type, _ edit: (inout Role) -> Void
    ) throws -> [UInt8] {
        let document = try SignedMetadata<Role>(parsing: try #require(bytes))
        var signed = document.signed
        edit(&signed)
        if let signer { return try SignedMetadata(signed, signers: [signer]).encoded() }
        var unsigned = SignedMetadata(signed)
        for signature in document.signatures { unsigned.add(signature) }
        return unsigned.encoded()
    }

    @Test(
        "arbitrary software: metadata changed without its key is refused, role by role",
        arguments: [
            "2.root.json", "timestamp.json", "1.snapshot.json", "2.targets.json",
            "2.build-0011223344556677.json",
        ])
    func arbitrarySoftware(name: String) async throws {
        let repository = try RepositorySimulator()
        let root = await repository.files["1.root.json"]
        try await repository.publish {
            try $0.editRoot(signers: [repository.rootKey], at: RepositorySimulator.start) { _ in }
        }
        let thief = TUFSigner(try SigningKey.generate())
        let bytes = await repository.files[name]
        let expires = RepositorySimulator.start.adding(days: 9)
        // Unsigned by anyone, with the old signatures on it, and signed by a stranger.
        for signer in [nil, thief] {
            let forged: [UInt8] =
                switch name {
                case "2.root.json":
                    try forged(bytes, signer, as: Root.self) { $0.header.expires = expires }
                case "timestamp.json":
                    try forged(bytes, signer, as: Timestamp.self) { $0.header.expires = expires }
                case "1.snapshot.json":
                    try forged(bytes, signer, as: Snapshot.self) { $0.header.expires = expires }
                default:
                    try forged(bytes, signer, as: Targets.self) { $0.header.expires = expires }
                }
            await repository.serve(name, forged)
            let device = try await Device(repository, root: root)
            let failure = await code {
                try await device.updater.refresh()
                _ = try await device.updater.target(RepositorySimulator.module)
            }
            // The snapshot's digest stands in the timestamp and is looked at first.
            let expected =
                name == "1.snapshot.json"
                ? ["metadata_hash_mismatch", "metadata_length_mismatch"]
                : ["signatures_insufficient"]
            #expect(expected.contains(failure ?? ""), "\(name): \(failure ?? "accepted")")
        }
    }

    @Test("wrong signature: flipping any bit of a signature refuses the document")
    func wrongSignature() async throws {
        let repository = try RepositorySimulator()
        let good = try SignedMetadata<Timestamp>(
            parsing: try #require(await repository.files["timestamp.json"]))
        let signature = try #require(good.signatures.first)
        let raw = try #require(Hex.decode(signature.signature))
        for index in stride(from: 0, to: raw.count, by: 9) {
            var bad = raw
            bad[index] ^= 4
            var document = good
            document.add(MetadataSignature(keyID: signature.keyID, signature: bad.hex))
            await repository.serve("timestamp.json", document.encoded())
            let device = try await Device(repository)
            #expect(
                await code { try await device.updater.refresh() } == "signatures_insufficient")
        }
    }

    @Test("rollback: an older timestamp with good signatures is refused")
    func timestampRollback() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        let old = await repository.files["timestamp.json"]
        try await repository.release(2)
        try await device.updater.refresh()
        await repository.serve("timestamp.json", old)
        #expect(await code { try await device.updater.refresh() } == "metadata_rollback")
        let again = await device.restarted()
        #expect(await code { try await again.refresh() } == "metadata_rollback")
        #expect(try await device.storedVersion("timestamp") == 2)
    }

    @Test("rollback: a newer timestamp that names an older snapshot is refused")
    func snapshotRollback() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await repository.release(2)
        try await device.updater.refresh()
        // The freshness key is stolen: the attacker signs a timestamp for the old snapshot.
        let forged = try forged(
            await repository.files["timestamp.json"], repository.freshnessKey, as: Timestamp.self
        ) {
            $0.header.version += 1
            $0.snapshot = MetaFile(version: 1)
        }
        await repository.serve("timestamp.json", forged)
        #expect(await code { try await device.updater.refresh() } == "metadata_rollback")
    }

    @Test("rollback: a newer snapshot that names older targets, or hides a role, is refused")
    func targetsRollback() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await repository.release(2)
        try await device.updater.refresh()
        let state = await repository.state
        let edits: [(inout Snapshot) -> Void] = [
            { $0[role: RepositorySimulator.build]?.version = 2 },
            { $0[role: RepositorySimulator.build] = nil },
            { $0[role: "targets"]?.version = 1 },
        ]
        for edit in edits {
            let snapshot = try forged(
                state["2.snapshot.json"], repository.freshnessKey, as: Snapshot.self
            ) {
                $0.header.version = 3
                edit(&$0)
            }
            let timestamp = try forged(
                state["timestamp.json"], repository.freshnessKey, as: Timestamp.self
            ) {
                $0.header.version += 1
                $0.snapshot = MetaFile(version: 3)
            }
            await repository.serve("3.snapshot.json", snapshot)
            await repository.serve("timestamp.json", timestamp)
            let again = await device.restarted()
            #expect(await code { try await again.refresh() } == "metadata_rollback")
            #expect(try await device.storedVersion("snapshot") == 2)
        }
    }

    @Test("rollback on a fresh install: targets below the build's floor are refused")
    func floors() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository) { $0.minimumTargetsVersion = 3 }
        #expect(await code { try await device.updater.refresh() } == "below_floor")
        try await repository.publish {
            try $0.editRoot(signers: [repository.rootKey], at: RepositorySimulator.start) {
                $0.openPatch?.minTargetsVersion = 3
            }
        }
        let plain = try await Device(repository)
        #expect(await code { try await plain.updater.refresh() } == "below_floor")
        let conforming = try await Device(repository) { $0.obeysRootFloors = false }
        #expect(await code { try await conforming.updater.refresh() } == nil)
        try await repository.publish {
            try $0.editTargets(signers: [repository.releaseKey], at: RepositorySimulator.start)
        }
        #expect(await code { try await plain.updater.refresh() } == nil)
    }

    @Test("freeze: metadata past its expiry is refused, role by role")
    func freeze() async throws {
        let start = RepositorySimulator.start
        let ages: [(days: Int, role: String, renews: [String])] = [
            (8, "timestamp", []),
            (366, "targets", ["freshness"]),
            (366, RepositorySimulator.build, ["freshness", "targets"]),
            (3 * 365 + 1, "root", ["freshness", "targets", "build"]),
        ]
        for age in ages {
            let repository = try RepositorySimulator()
            let now = start.adding(days: age.days)
            if age.renews.contains("freshness") {
                try await repository.publish(at: now) { editor in
                    if age.renews.contains("targets") {
                        try editor.editTargets(signers: [repository.releaseKey], at: now)
                    }
                    if age.renews.contains("build") {
                        try editor.setTargets(
                            [], in: RepositorySimulator.build, signers: [repository.releaseKey],
                            at: now)
                    }
                }
            }
            let device = try await Device(repository)
            device.clock.time = now
            do {
                try await device.updater.refresh()
                _ = try await device.updater.target(RepositorySimulator.module)
                Issue.record("\(age.role) was accepted after \(age.days) days")
            } catch let error as TUFError {
                #expect(error.code == "metadata_expired")
                #expect(error.role == age.role)
            }
        }
    }

    @Test("freeze: a server that always answers 'not modified' is found out at the expiry")
    func freezeByNotModified() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        await repository.setAlwaysNotModified(true)
        device.clock.time = RepositorySimulator.start.adding(days: 6)
        #expect(try await device.updater.refresh() == .notModified)
        device.clock.time = RepositorySimulator.start.adding(days: 7)
        #expect(await code { try await device.updater.refresh() } == "metadata_expired")
    }

    @Test("expired metadata may be read for restrictions, and says that it is expired")
    func collectsExpired() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository) { $0.expiryPolicy = .collect }
        device.clock.time = RepositorySimulator.start.adding(days: 400)
        try await device.updater.refresh()
        _ = try await device.updater.target(RepositorySimulator.module)
        #expect(
            await device.updater.trusted?.expiredRoles
                == ["timestamp", "snapshot", "targets", RepositorySimulator.build])
    }

    @Test("mix and match: a snapshot of another state under the right version is refused")
    func mixAndMatch() async throws {
        let repository = try RepositorySimulator()
        try await repository.release(2)
        let other = try forged(
            await repository.files["2.snapshot.json"], repository.freshnessKey, as: Snapshot.self
        ) { $0.header.expires = $0.expires.adding(seconds: 1) }
        await repository.serve("2.snapshot.json", other)
        let device = try await Device(repository)
        #expect(await code { try await device.updater.refresh() } == "metadata_hash_mismatch")
    }

    @Test("mix and match: targets and build roles of another version than the snapshot's")
    func wrongVersions() async throws {
        let repository = try RepositorySimulator()
        try await repository.release(2)
        let old = await repository.files["2.build-0011223344556677.json"]
        await repository.serve("3.build-0011223344556677.json", old)
        let device = try await Device(repository)
        try await device.updater.refresh()
        #expect(
            await code { _ = try await device.updater.target(RepositorySimulator.module) }
                == "metadata_version_mismatch")
        await repository.serve("2.targets.json", await repository.files["1.targets.json"])
        let fresh = try await Device(repository)
        #expect(await code { try await fresh.updater.refresh() } == "metadata_version_mismatch")
    }

    @Test("wrong kind: metadata of one role served as another is refused")
    func wrongKind() async throws {
        let repository = try RepositorySimulator()
        let state = await repository.state
        for (name, other) in [
            ("timestamp.json", "1.snapshot.json"), ("2.targets.json", "1.snapshot.json"),
            ("2.root.json", "timestamp.json"),
        ] {
            await repository.serve(name, state[other])
            let device = try await Device(repository)
            #expect(await code { try await device.updater.refresh() } == "metadata_wrong_type")
            await repository.restore(state)
        }
    }

    @Test("endless data: files longer than allowed are refused, however they are announced")
    func endlessData() async throws {
        let names = ["2.root.json", "timestamp.json", "1.snapshot.json", "2.targets.json"]
        for name in names {
            let repository = try RepositorySimulator()
            await repository.setEndless([name])
            let device = try await Device(repository)
            #expect(await code { try await device.updater.refresh() } == "metadata_too_large")
        }
        // A fetcher that does not keep to the bound is caught by the client.
        let repository = try RepositorySimulator()
        await repository.serve("timestamp.json", [UInt8](repeating: 0x20, count: 20_000))
        let device = try await Device(repository)
        #expect(await code { try await device.updater.refresh() } == "metadata_too_large")
    }

    @Test("endless data, wrong size, wrong hash: a target that is not the signed one is refused")
    func wrongTarget() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        let target = try #require(try await device.updater.target(RepositorySimulator.module))
        let path = try target.filePath(consistentSnapshot: true)
        for (bytes, expected) in [
            (Array("module one!".utf8), "target_too_large"),
            (Array("module on".utf8), "target_length_mismatch"),
            (Array("module 0ne".utf8), "target_hash_mismatch"),
            ([], "target_length_mismatch"),
        ] {
            await repository.serveTarget(path, bytes)
            #expect(
                await code { _ = try await device.updater.download(target, from: repository) }
                    == expected)
        }
        await repository.serveTarget(path, nil)
        #expect(
            await code { _ = try await device.updater.download(target, from: repository) }
                == "download_failed")
        var check = TargetCheck(target)
        try check.update(Array("module".utf8))
        #expect(throws: TUFError.self) { try check.update([UInt8](repeating: 0, count: 100)) }
    }

    @Test("a delegated role's word counts for its own paths only")
    func foreignPaths() async throws {
        let repository = try RepositorySimulator()
        // The release key of one build signs a target of another build into its role.
        let foreign = TargetFile(path: "modules/ffffffffffffffff/1.wasm", contents: [1])
        let forgedRole = try forged(
            await repository.files["2.build-0011223344556677.json"], repository.releaseKey,
            as: Targets.self
        ) { $0.targets[foreign.path] = foreign }
        await repository.serve("2.build-0011223344556677.json", forgedRole)
        let device = try await Device(repository)
        #expect(try await device.updater.target(foreign.path) == nil)
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
        let listed = try await device.updater.targets(ofRole: RepositorySimulator.build)
        #expect(listed?.map(\.path) == [RepositorySimulator.module])
    }

    @Test("a path that would leave the folder is never turned into a file name")
    func pathTraversal() {
        for path in [
            "../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "a\\b", "a\u{0}b", "", "a/",
            String(repeating: "x", count: 2000),
        ] {
            let target = TargetFile(path: path, contents: [1])
            #expect(throws: TUFError.self, "\(path)") {
                try target.filePath(consistentSnapshot: true)
            }
        }
        #expect(throws: Never.self) {
            try TargetFile(path: "a..b/.hidden/c", contents: []).filePath(consistentSnapshot: false)
        }
    }
}
