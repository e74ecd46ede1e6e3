import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

@Suite("Writing a repository")
struct RepositoryEditorTests {
    private let now = RepositorySimulator.start

    private func loaded(_ repository: RepositorySimulator) async throws -> RepositoryEditor {
        let files = await repository.files
        return try await RepositoryEditor.load { files[$0] }
    }

    @Test("what is written is loaded back equal")
    func loadBack() async throws {
        let repository = try RepositorySimulator()
        try await repository.release(2)
        let editor = try await loaded(repository)
        let original = await repository.editor
        #expect(editor.root.encoded() == original.root.encoded())
        #expect(editor.targets?.encoded() == original.targets?.encoded())
        #expect(editor.snapshot?.encoded() == original.snapshot?.encoded())
        #expect(editor.timestamp?.encoded() == original.timestamp?.encoded())
        #expect(
            editor.delegated.mapValues { $0.encoded() }
                == original.delegated.mapValues { $0.encoded() })
        #expect(editor.changes.isEmpty)
    }

    @Test("expired metadata can be loaded, to be signed again")
    func loadExpired() async throws {
        let repository = try RepositorySimulator()
        var editor = try await loaded(repository)
        try editor.signFreshness(
            signers: [repository.freshnessKey], at: now.adding(days: 10_000))
        #expect(editor.timestamp?.signed.version == 2)
    }

    @Test("a repository that lacks a file, or has a damaged one, is named as such")
    func loadBroken() async throws {
        let repository = try RepositorySimulator()
        let files = await repository.files
        #expect(
            await code { _ = try await RepositoryEditor.load { _ in nil } }
                == "repository_incomplete")
        for name in ["1.snapshot.json", "2.targets.json", "2.build-0011223344556677.json"] {
            let failure = await code {
                _ = try await RepositoryEditor.load { $0 == name ? nil : files[$0] }
            }
            #expect(failure == "repository_incomplete")
            let damaged = await code {
                _ = try await RepositoryEditor.load { $0 == name ? [0x7B] : files[$0] }
            }
            #expect(damaged != nil && damaged?.hasPrefix("not") == false)
        }
        let fresh = try await RepositoryEditor.load { $0 == "1.root.json" ? files[$0] : nil }
        #expect(fresh.targets == nil)
    }

    @Test("a release signs its build role, snapshot and timestamp, in that order, and no more")
    func releaseFiles() async throws {
        let repository = try RepositorySimulator()
        var editor = try await loaded(repository)
        let target = TargetFile(path: "modules/0011223344556677/2.wasm", contents: [2])
        try editor.setTargets(
            [target], in: RepositorySimulator.build, signers: [repository.releaseKey], at: now)
        #expect(editor.changes.map(\.name) == ["3.build-0011223344556677.json"])
        try editor.signFreshness(signers: [repository.freshnessKey], at: now)
        #expect(
            editor.changes.map(\.name) == [
                "3.build-0011223344556677.json", "2.snapshot.json", "timestamp.json",
            ])
    }

    @Test("changes before publishing make one new version of a role, changes after it the next")
    func oneVersion() async throws {
        let repository = try RepositorySimulator()
        var editor = try await loaded(repository)
        let signers = [repository.releaseKey]
        for path in ["modules/0011223344556677/2.wasm", "modules/0011223344556677/3.wasm"] {
            try editor.setTargets(
                [TargetFile(path: path, contents: [2])], in: RepositorySimulator.build,
                signers: signers, at: now)
            try editor.signFreshness(signers: [repository.freshnessKey], at: now)
        }
        #expect(
            editor.changes.map(\.name) == [
                "3.build-0011223344556677.json", "2.snapshot.json", "timestamp.json",
            ])
        #expect(editor.timestamp?.signed.version == 2)
        #expect(editor.delegated[RepositorySimulator.build]?.signed.targets.count == 3)
        editor.clearChanges()
        try editor.setTargets([], in: RepositorySimulator.build, signers: signers, at: now)
        try editor.signFreshness(signers: [repository.freshnessKey], at: now)
        #expect(
            editor.changes.map(\.name) == [
                "4.build-0011223344556677.json", "3.snapshot.json", "timestamp.json",
            ])
        // Roots stay one by one: each is signed by the one before.
        for _ in 0..<2 { try editor.editRoot(signers: [repository.rootKey], at: now) { _ in } }
        #expect(editor.changes.map(\.name).prefix(2) == ["2.root.json", "3.root.json"])
    }

    @Test("renewing freshness of an unchanged repository signs the timestamp alone")
    func renewal() async throws {
        let repository = try RepositorySimulator()
        var editor = try await loaded(repository)
        try editor.signFreshness(signers: [repository.freshnessKey], at: now)
        #expect(editor.changes.map(\.name) == ["timestamp.json"])
        editor.clearChanges()
        // Near its expiry the snapshot is renewed too.
        try editor.signFreshness(signers: [repository.freshnessKey], at: now.adding(days: 3))
        #expect(editor.changes.map(\.name) == ["2.snapshot.json", "timestamp.json"])
        #expect(editor.snapshot?.signed.expires == now.adding(days: 10))
    }

    @Test("the defaults of expiry are those of the design")
    func expiry() async throws {
        let repository = try RepositorySimulator()
        let editor = await repository.editor
        #expect(editor.root.signed.expires == now.adding(days: 3 * 365))
        #expect(editor.targets?.signed.expires == now.adding(days: 365))
        #expect(
            editor.delegated[RepositorySimulator.build]?.signed.expires == now.adding(days: 365))
        #expect(editor.snapshot?.signed.expires == now.adding(days: 7))
        #expect(editor.timestamp?.signed.expires == now.adding(days: 7))
        #expect(ExpiryPlan.staticTree.freshnessDays == 30)
    }

    @Test("the snapshot states versions only, the timestamp pins the snapshot's bytes")
    func entries() async throws {
        let repository = try RepositorySimulator()
        let editor = await repository.editor
        for file in try #require(editor.snapshot).signed.meta.values {
            #expect(file.length == nil && file.hashes == nil)
        }
        let snapshot = try #require(await repository.files["1.snapshot.json"])
        let entry = try #require(editor.timestamp).signed.snapshot
        #expect(entry.length == snapshot.count)
        #expect(entry.hashes == ["sha256": SHA256.hash(snapshot).hex])
    }

    @Test("root carries x_openpatch in its signed part, two keys of threshold one")
    func rootForm() async throws {
        let repository = try RepositorySimulator()
        let bytes = try #require(await repository.files["1.root.json"])
        let signed = try #require(try JSONValue(parsing: bytes)["signed"])
        #expect(
            signed["x_openpatch"] == [
                "app_id": "8c7d1a52-0000-4000-8000-000000000001", "min_sequence": 0,
                "min_targets_version": 0,
            ])
        #expect(signed["consistent_snapshot"] == true)
        #expect(signed["roles"]?["root"]?["keyids"]?.array?.count == 2)
        #expect(signed["roles"]?["root"]?["threshold"] == 1)
        #expect(signed["keys"]?.object?.count == 4)
    }

    @Test("a build is registered once; its delegation is terminating and covers its own paths")
    func buildRole() async throws {
        let repository = try RepositorySimulator()
        var editor = try await loaded(repository)
        let name = try editor.registerBuild(
            fingerprint: RepositorySimulator.fingerprint, signers: [repository.releaseKey], at: now)
        #expect(name == RepositorySimulator.build && editor.changes.isEmpty)
        let role = try #require(editor.targets?.signed.delegations?.role(name))
        #expect(role.terminating)
        for path in [
            "modules/0011223344556677/1.wasm", "deltas/0011223344556677/aabbccdd-11223344",
            "heads/production/module/0011223344556677.json",
            "heads/beta/bundle/web/0011223344556677.json",
        ] { #expect(role.covers(path), "\(path)") }
        for path in [
            "modules/1.wasm", "modules/ffffffffffffffff/1.wasm", "modules/0011223344556677/a/b",
            "heads/production/module/ffffffffffffffff.json", "brakes/production/module.json",
        ] { #expect(!role.covers(path), "\(path)") }
        try editor.registerBuild(
            fingerprint: "ffeeddccbbaa99887766", signers: [repository.releaseKey], at: now)
        #expect(
            editor.changes.map(\.name) == ["1.build-ffeeddccbbaa9988.json", "3.targets.json"])
    }

    @Test("targets outside the role's paths, or with unsafe paths, are not signed")
    func refusedTargets() async throws {
        let repository = try RepositorySimulator()
        for path in ["modules/ffffffffffffffff/1.wasm", "../x", "modules/0011223344556677/../x"] {
            var editor = try await loaded(repository)
            let failure = await code {
                try editor.setTargets(
                    [TargetFile(path: path, contents: [1])], in: RepositorySimulator.build,
                    signers: [repository.releaseKey], at: now)
            }
            #expect(failure == "target_path_refused")
            #expect(editor.changes.isEmpty)
        }
        var editor = try await loaded(repository)
        #expect(
            await code {
                try editor.setTargets(
                    [], in: "build-unknown", signers: [repository.releaseKey], at: now)
            } == "role_not_delegated")
    }

    @Test("each key makes the changes that root gives it, and no others")
    func wrongKeys() async throws {
        let repository = try RepositorySimulator()
        let (root, release, fresh) = (
            repository.rootKey, repository.releaseKey, repository.freshnessKey
        )
        var editor = try await loaded(repository)
        for signer in [release, fresh] {
            #expect(
                await code { try editor.editRoot(signers: [signer], at: now) { _ in } }
                    == "signatures_insufficient")
        }
        for signer in [root, fresh] {
            #expect(
                await code { try editor.editTargets(signers: [signer], at: now) }
                    == "signatures_insufficient")
            #expect(
                await code {
                    try editor.setTargets(
                        [], in: RepositorySimulator.build, signers: [signer], at: now)
                } == "signatures_insufficient")
        }
        for signer in [root, release] {
            #expect(
                await code { try editor.signFreshness(signers: [signer], at: now) }
                    == "key_unusable")
        }
        #expect(editor.changes.isEmpty)
    }

    @Test("a role that lost its delegation stays listed, so that clients accept the snapshot")
    func removedDelegation() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        try await repository.publish { editor in
            try editor.editTargets(signers: [repository.releaseKey], at: now) {
                $0.delegations = Delegations()
            }
        }
        try await device.updater.refresh()
        #expect(try await device.updater.target(RepositorySimulator.module) == nil)
    }
}
