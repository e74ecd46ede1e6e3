import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// What a server does with metadata from outside before it signs freshness.
@Suite("Uploads")
struct UploadTests {
    private let now = RepositorySimulator.start

    /// The server's own editor and a publisher's, from the same state.
    private func pair(
        _ repository: RepositorySimulator
    ) async throws -> (server: RepositoryEditor, publisher: RepositoryEditor) {
        let files = await repository.files
        let server = try await RepositoryEditor.load { files[$0] }
        return (server, server)
    }

    private func files(_ editor: RepositoryEditor) -> [String: [UInt8]] {
        Dictionary(editor.changes.map { ($0.name, $0.bytes) }) { $1 }
    }

    private func release(
        _ publisher: inout RepositoryEditor, _ repository: RepositorySimulator, _ version: Int = 2
    ) throws {
        let path = "modules/0011223344556677/\(version).wasm"
        try publisher.setTargets(
            [TargetFile(path: path, contents: [UInt8(version)])], in: RepositorySimulator.build,
            signers: [repository.releaseKey], at: now)
    }

    @Test("a release is taken, its new targets are named, and freshness can be signed")
    func release() async throws {
        let repository = try RepositorySimulator()
        var (server, publisher) = try await pair(repository)
        try release(&publisher, repository)
        let outcome = try server.accept(files(publisher), at: now)
        #expect(outcome.roles == [RepositorySimulator.build])
        #expect(outcome.newTargets.map(\.path) == ["modules/0011223344556677/2.wasm"])
        try server.signFreshness(signers: [repository.freshnessKey], at: now)
        #expect(server.changes.last?.name == "timestamp.json")
        #expect(server.snapshot?.signed[role: RepositorySimulator.build]?.version == 3)
    }

    @Test("the same upload again changes nothing and is no error")
    func again() async throws {
        let repository = try RepositorySimulator()
        var (server, publisher) = try await pair(repository)
        try release(&publisher, repository)
        _ = try server.accept(files(publisher), at: now)
        server.clearChanges()
        let outcome = try server.accept(files(publisher), at: now)
        #expect(outcome.roles.isEmpty && outcome.newTargets.isEmpty)
        #expect(server.changes.isEmpty)
    }

    @Test("the first upload of a new app: targets and a build role beside the root it knows")
    func firstUpload() async throws {
        let repository = try RepositorySimulator()
        let original = await repository.editor
        var server = try await RepositoryEditor.load(trustedRoot: original.root.encoded()) { _ in
            nil
        }
        var publisher = server
        try publisher.editTargets(signers: [repository.releaseKey], at: now)
        publisher.clearChanges()
        try publisher.registerBuild(
            fingerprint: "ab", signers: [repository.releaseKey], at: now)
        // Version 2 of the targets without version 1 is no first version.
        #expect(await code { _ = try server.accept(files(publisher), at: now) } == "upload_refused")
        publisher = server
        try publisher.editTargets(signers: [repository.releaseKey], at: now)
        let outcome = try server.accept(files(publisher), at: now)
        #expect(outcome.roles == ["targets"])
        publisher.clearChanges()
        try publisher.registerBuild(fingerprint: "ab", signers: [repository.releaseKey], at: now)
        #expect(try server.accept(files(publisher), at: now).roles == ["build-ab", "targets"])
    }

    @Test("all that is done before the first upload goes up at once, each role as version 1")
    func everythingAtOnce() async throws {
        let repository = try RepositorySimulator()
        let original = await repository.editor
        var server = try await RepositoryEditor.load(trustedRoot: original.root.encoded()) { _ in
            nil
        }
        var publisher = server
        try publisher.editTargets(signers: [repository.releaseKey], at: now)
        try publisher.registerBuild(fingerprint: "ab", signers: [repository.releaseKey], at: now)
        try publisher.registerBuild(fingerprint: "cd", signers: [repository.releaseKey], at: now)
        try publisher.setTargets(
            [TargetFile(path: "modules/ab/1.wasm", contents: [1])], in: "build-ab",
            signers: [repository.releaseKey], at: now)
        #expect(
            files(publisher).keys.sorted() == [
                "1.build-ab.json", "1.build-cd.json", "1.targets.json",
            ])
        let outcome = try server.accept(files(publisher), at: now)
        #expect(outcome.newTargets.map(\.path) == ["modules/ab/1.wasm"])
        try server.signFreshness(signers: [repository.freshnessKey], at: now)
    }

    @Test("of two publishers from one state the second is told so")
    func conflict() async throws {
        let repository = try RepositorySimulator()
        var (server, first) = try await pair(repository)
        var second = first
        try release(&first, repository, 2)
        try release(&second, repository, 3)
        _ = try server.accept(files(first), at: now)
        #expect(await code { _ = try server.accept(files(second), at: now) } == "upload_refused")
    }

    @Test("a version that skips ahead is refused, so nobody fast-forwards a role")
    func skipped() async throws {
        let repository = try RepositorySimulator()
        var (server, publisher) = try await pair(repository)
        try release(&publisher, repository)
        publisher.clearChanges()
        try release(&publisher, repository, 3)
        let last = files(publisher)
        #expect(last.keys.sorted() == ["4.build-0011223344556677.json"])
        #expect(await code { _ = try server.accept(last, at: now) } == "upload_refused")
    }

    @Test("signatures of others, expired metadata and foreign paths are refused")
    func badUploads() async throws {
        let repository = try RepositorySimulator()
        let (server, _) = try await pair(repository)
        let thief = TUFSigner(try SigningKey.generate())
        let current = try #require(server.delegated[RepositorySimulator.build]).signed
        let cases: [(signer: TUFSigner, code: String, edit: (inout Targets) -> Void)] = [
            (thief, "signatures_insufficient", { _ in }),
            (repository.rootKey, "signatures_insufficient", { _ in }),
            (repository.freshnessKey, "signatures_insufficient", { _ in }),
            (repository.releaseKey, "metadata_expired", { $0.header.expires = self.now }),
            (
                repository.releaseKey, "target_path_refused",
                { $0.targets["x"] = TargetFile(path: "x", contents: []) }
            ),
            (
                repository.releaseKey, "target_path_refused",
                {
                    let path = "modules/0011223344556677/.."
                    $0.targets[path] = TargetFile(path: path, contents: [])
                }
            ),
            (
                repository.releaseKey, "upload_refused",
                {
                    $0.header.version = 2
                    $0.targets = [:]
                }
            ),
            (repository.releaseKey, "upload_refused", { $0.header.version = 1 << 53 }),
        ]
        for (signer, expected, edit) in cases {
            var editor = server
            var next = current
            next.header.version = 3
            edit(&next)
            let bytes = try SignedMetadata(next, signers: [signer]).encoded()
            let name = "3.build-0011223344556677.json"
            let failure = await code { _ = try editor.accept([name: bytes], at: now) }
            #expect(failure == expected)
            #expect(editor.changes.isEmpty)
        }
    }

    @Test(
        "files that are not the publisher's to send are refused",
        arguments: [
            "timestamp.json", "9.snapshot.json", "9.timestamp.json", "root.json", "../x.json",
            "x", "3.build-unknown.json", "0.targets.json", "01.root.json",
        ])
    func foreignFiles(name: String) async throws {
        let repository = try RepositorySimulator()
        var (server, publisher) = try await pair(repository)
        try release(&publisher, repository)
        let bytes = try #require(publisher.changes.first).bytes
        let failure = await code { _ = try server.accept([name: bytes], at: now) }
        #expect(failure == "upload_refused" || failure == "role_not_delegated")
    }

    @Test("bytes that are no metadata are refused with a code", arguments: [0, 1, 100, 20_000])
    func garbage(size: Int) async throws {
        let repository = try RepositorySimulator()
        var (server, _) = try await pair(repository)
        for name in ["2.root.json", "3.targets.json", "3.build-0011223344556677.json"] {
            let failure = await code {
                _ = try server.accept([name: [UInt8](repeating: 0x5B, count: size)], at: now)
            }
            #expect(failure?.hasPrefix("json_") == true)
        }
    }

    @Test("a new root is taken with the roles that its new keys sign, and not without them")
    func rotation() async throws {
        let repository = try RepositorySimulator()
        var (server, publisher) = try await pair(repository)
        let newKey = TUFSigner(try SigningKey.generate())
        try publisher.editRoot(signers: [repository.rootKey], at: now) {
            $0.setKeys([newKey.key], of: .targets)
        }
        #expect(await code { _ = try server.accept(files(publisher), at: now) } == "upload_refused")
        try publisher.editTargets(signers: [newKey], at: now)
        let outcome = try server.accept(files(publisher), at: now)
        #expect(outcome.roles == ["root", "targets"])
        try server.signFreshness(signers: [repository.freshnessKey], at: now)
    }

    @Test("a root of another app is refused")
    func otherApp() async throws {
        let repository = try RepositorySimulator()
        var (server, publisher) = try await pair(repository)
        try publisher.editRoot(signers: [repository.rootKey], at: now) {
            $0.openPatch?.appID = "another"
        }
        #expect(await code { _ = try server.accept(files(publisher), at: now) } == "upload_refused")
    }

    @Test("a delegation without its role's metadata is refused, the brakes excepted")
    func unsignedDelegation() async throws {
        let repository = try RepositorySimulator()
        let (server, _) = try await pair(repository)
        for (name, accepted) in [("build-x", false), (BrakesRole.name, true)] {
            var editor = server
            var publisher = server
            try publisher.editTargets(signers: [repository.releaseKey], at: now) {
                $0.delegations?.set(
                    DelegatedRole(
                        name: name, keys: RoleKeys(keyIDs: [repository.freshnessKey.key.keyID]),
                        scope: .paths(["brakes/*/*"])), keys: [repository.freshnessKey.key])
            }
            let failure = await code { _ = try editor.accept(files(publisher), at: now) }
            #expect((failure == nil) == accepted)
        }
    }
}
