import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// What clients see while somebody publishes, and what is left when he is interrupted.
@Suite("Publishing")
struct PublishingTests {
    private let now = RepositorySimulator.start

    @Test("a crash after any file of a release leaves the old or the new state served, whole")
    func interruptedRelease() async throws {
        let reference = try RepositorySimulator()
        var editor = await reference.editor
        let path = "modules/0011223344556677/2.wasm"
        try editor.setTargets(
            [TargetFile(path: path, contents: [2])], in: RepositorySimulator.build,
            signers: [reference.releaseKey], at: now)
        try editor.signFreshness(signers: [reference.freshnessKey], at: now)
        let files = editor.changes
        #expect(files.count == 3)
        let before = await reference.state
        for written in 0...files.count {
            await reference.restore(before)
            for file in files.prefix(written) { await reference.serve(file.name, file.bytes) }
            let device = try await Device(reference)
            try await device.updater.refresh()
            let isNew = try await device.updater.target(path) != nil
            #expect(isNew == (written == files.count), "after \(written) files")
            #expect(try await device.updater.target(RepositorySimulator.module) != nil)
            // And a device that was there before goes on from it when publishing is completed.
            for file in files { await reference.serve(file.name, file.bytes) }
            try await device.updater.refresh()
            #expect(try await device.updater.target(path) != nil)
        }
    }

    @Test("a crash after any file of a key rotation strands nobody once it is completed")
    func interruptedRotation() async throws {
        let repository = try RepositorySimulator()
        let newFreshness = TUFSigner(try SigningKey.generate())
        let newRelease = TUFSigner(try SigningKey.generate())
        var editor = await repository.editor
        try editor.editRoot(signers: [repository.rootKey], at: now) {
            $0.setKeys([newFreshness.key], of: .snapshot)
            $0.setKeys([newFreshness.key], of: .timestamp)
            $0.setKeys([newRelease.key], of: .targets)
        }
        try editor.editTargets(signers: [newRelease], at: now)
        try editor.signFreshness(signers: [newFreshness], at: now)
        let files = editor.changes
        #expect(
            files.map(\.name)
                == ["2.root.json", "3.targets.json", "2.snapshot.json", "timestamp.json"])
        let before = await repository.state
        for written in 0...files.count {
            await repository.restore(before)
            let device = try await Device(repository)
            try await device.updater.refresh()
            for file in files.prefix(written) { await repository.serve(file.name, file.bytes) }
            // In between a check may fail; what the device runs stays findable.
            _ = try? await device.updater.refresh()
            #expect(try await device.updater.target(RepositorySimulator.module) != nil)
            for file in files { await repository.serve(file.name, file.bytes) }
            try await device.updater.refresh()
            #expect(await device.updater.trusted?.targets?.signed.version == 3)
            let fresh = try await Device(repository)
            try await fresh.updater.refresh()
        }
    }

    @Test("old metadata stays valid for a device that is in the middle of a check")
    func releaseDuringCheck() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        try await device.updater.refresh()
        try await repository.release(2)
        // The device has the old timestamp; the old snapshot, targets and build role are still
        // there under their own names.
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
        for name in ["1.snapshot.json", "2.targets.json", "2.build-0011223344556677.json"] {
            #expect(await repository.files[name] != nil)
        }
    }

    @Test("every file name of a tree can be parsed back to role and version")
    func names() async throws {
        let repository = try RepositorySimulator()
        for name in await repository.files.keys {
            let (role, version) = try #require(MetadataFileName.parse(name))
            #expect(MetadataFileName.of(role: role, version: version) == name)
        }
        for name in ["x", "x.txt", ".json", "1..json", "a/b.json", "%zz.json", "1.%2G.json"] {
            #expect(MetadataFileName.parse(name) == nil, "\(name)")
        }
        #expect(MetadataFileName.parse("0.root.json")?.role == "0.root")
        #expect(MetadataFileName.parse("01.root.json")?.role == "01.root")
        #expect(MetadataFileName.parse("99999999999999999999.root.json")?.version == nil)
    }

    @Test("a signer at a distance (a KMS) signs what a private key in memory would")
    func remoteSigner() async throws {
        let repository = try RepositorySimulator()
        let key = try SigningKey.generate(.p256)
        let remote = TUFSigner(key: TUFKey(key.publicKey)) { try key.sign($0) }
        try await repository.publish { editor in
            try editor.editRoot(signers: [repository.rootKey], at: now) {
                $0.setKeys([repository.releaseKey.key, remote.key], of: .targets)
            }
            try editor.editTargets(signers: [remote], at: now)
        }
        let device = try await Device(repository)
        try await device.updater.refresh()
        #expect(
            await device.updater.trusted?.targets?.signatures.map(\.keyID) == [remote.key.keyID])
    }

    @Test("a signer that fails leaves the repository as it was, with an error that says who")
    func failingSigner() async throws {
        struct NoToken: Error {}
        let repository = try RepositorySimulator()
        var editor = await repository.editor
        let broken = TUFSigner(key: repository.releaseKey.key) { _ in throw NoToken() }
        do {
            try editor.editTargets(signers: [broken], at: now)
            Issue.record("it signed")
        } catch let error as TUFError {
            #expect(error.code == "signing_failed")
            #expect(error.message.contains("NoToken"))
            #expect(error.message.contains(repository.releaseKey.key.keyID.prefix(8)))
        }
        #expect(editor.changes.isEmpty && editor.targets?.signed.version == 2)
    }

    @Test("two keys of two are needed when root says so, and can sign one after the other")
    func twoOfTwo() async throws {
        let repository = try RepositorySimulator()
        var root = await repository.editor.root.signed
        root.header.version = 2
        root[.root].threshold = 2
        var document = SignedMetadata(root)
        try document.sign(with: repository.rootKey)
        await repository.serve("2.root.json", document.encoded())
        let early = try await Device(repository)
        #expect(await code { try await early.updater.refresh() } == "signatures_insufficient")
        // The second holder signs the same file on another machine.
        var second = try SignedMetadata<Root>(parsing: document.encoded())
        try second.sign(with: repository.backupKey)
        await repository.serve("2.root.json", second.encoded())
        let device = try await Device(repository)
        try await device.updater.refresh()
        #expect(await device.updater.trusted?.root.signed.version == 2)
    }

    @Test("setting keys forgets those that no role lists any more, and never repeats one")
    func keyTable() throws {
        let keys = try (0..<3).map { _ in TUFKey(try SigningKey.generate().publicKey) }
        var root = Root(
            header: MetadataHeader(version: 1, expires: now), keys: [], roles: [:])
        for role in TopLevelRole.allCases { root.setKeys([keys[0]], of: role) }
        root.setKeys([keys[1], keys[1], keys[2]], threshold: 2, of: .root)
        #expect(root[.root].keyIDs == [keys[1].keyID, keys[2].keyID])
        #expect(root.keys.count == 3)
        for role in [TopLevelRole.timestamp, .snapshot, .targets] {
            root.setKeys([keys[1]], of: role)
        }
        #expect(root.keys[keys[0].keyID] == nil)
        #expect(root.keys(of: .targets) == [keys[1]])

        var delegations = Delegations()
        let role = DelegatedRole(
            name: "a", keys: RoleKeys(keyIDs: [keys[0].keyID]), scope: .paths(["*"]))
        delegations.set(role, keys: [keys[0]])
        var changed = role
        changed.keys.keyIDs = [keys[1].keyID]
        delegations.set(changed, keys: [keys[1]])
        #expect(delegations.roles == [changed])
        #expect(Array(delegations.keys.keys) == [keys[1].keyID])
    }
}
