import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

/// Longer lives of a repository.
@Suite("A repository over time")
struct EditorScenarioTests {
    private let now = RepositorySimulator.start

    @Test("three years of monthly releases, renewals and one lost key: a device follows it all")
    func threeYears() async throws {
        let repository = try RepositorySimulator()
        let device = try await Device(repository)
        var release = repository.releaseKey
        for month in 1...36 {
            let time = now.adding(days: month * 30)
            device.clock.time = time
            if month == 10 {
                // The release key is lost; root names another one.
                let next = TUFSigner(try SigningKey.generate())
                try await repository.publish(at: time) { editor in
                    try editor.editRoot(signers: [repository.rootKey], at: time) {
                        $0.setKeys([next.key], of: .targets)
                    }
                    try editor.editTargets(signers: [next], at: time)
                    try editor.registerBuild(
                        fingerprint: RepositorySimulator.fingerprint, signers: [next], at: time)
                    try editor.setTargets(
                        [], in: RepositorySimulator.build, signers: [next], at: time)
                }
                release = next
            }
            let signer = release
            let path = "modules/0011223344556677/\(month).wasm"
            try await repository.publish(at: time) { editor in
                try editor.setTargets(
                    [TargetFile(path: path, contents: [UInt8(month)])],
                    removing: ["modules/0011223344556677/\(month - 3).wasm"],
                    in: RepositorySimulator.build, signers: [signer], at: time)
                // The top-level targets are signed again when their own expiry nears.
                if let targets = editor.targets?.signed,
                    targets.expires < time.adding(days: 90)
                {
                    try editor.editTargets(signers: [signer], at: time)
                }
            }
            try await device.updater.refresh()
            #expect(try await device.updater.target(path) != nil, "month \(month)")
            if month > 4 {
                let gone = "modules/0011223344556677/\(month - 3).wasm"
                #expect(try await device.updater.target(gone) == nil)
            }
        }
        #expect(await device.updater.trusted?.root.signed.version == 2)
        // A device that comes out of a drawer after three years.
        let drawer = try await Device(repository)
        drawer.clock.time = device.clock.time
        try await drawer.updater.refresh()
        #expect(try await drawer.updater.target("modules/0011223344556677/36.wasm") != nil)
    }

    @Test("after the release key changed, registering the build again gives it the new key")
    func buildFollowsKey() async throws {
        let repository = try RepositorySimulator()
        var editor = await repository.editor
        let new = TUFSigner(try SigningKey.generate())
        try editor.editRoot(signers: [repository.rootKey], at: now) {
            $0.setKeys([new.key], of: .targets)
        }
        try editor.registerBuild(
            fingerprint: RepositorySimulator.fingerprint, signers: [new], at: now)
        let delegations = try #require(editor.targets?.signed.delegations)
        #expect(delegations.role(RepositorySimulator.build)?.keys.keyIDs == [new.key.keyID])
        #expect(Array(delegations.keys.keys) == [new.key.keyID])
        // The role itself still has to be signed by it.
        try editor.setTargets([], in: RepositorySimulator.build, signers: [new], at: now)
        try editor.signFreshness(signers: [repository.freshnessKey], at: now)
    }

    @Test("a threshold of two release keys binds builds as well")
    func twoReleaseKeys() async throws {
        let repository = try RepositorySimulator()
        let second = TUFSigner(try SigningKey.generate())
        let both = [repository.releaseKey, second]
        var editor = await repository.editor
        try editor.editRoot(signers: [repository.rootKey], at: now) {
            $0.setKeys(both.map(\.key), threshold: 2, of: .targets)
        }
        #expect(
            await code { try editor.editTargets(signers: [second], at: now) }
                == "signatures_insufficient")
        try editor.editTargets(signers: both, at: now)
        try editor.registerBuild(fingerprint: "ffffffffffffffff", signers: both, at: now)
        let role = editor.targets?.signed.delegations?.role("build-ffffffffffffffff")
        #expect(role?.keys.threshold == 2)
        #expect(
            await code {
                try editor.setTargets(
                    [], in: "build-ffffffffffffffff", signers: [second], at: now)
            } == "signatures_insufficient")
    }

    @Test("expiry follows the plan: static trees hold thirty days, brakes thirty, roots longer")
    func plans() async throws {
        let repository = try RepositorySimulator()
        var editor = await repository.editor
        editor.expiryPlan = .staticTree
        try editor.signFreshness(signers: [repository.freshnessKey], at: now)
        #expect(editor.timestamp?.signed.expires == now.adding(days: 30))
        editor.expiryPlan.rootDays = 10
        try editor.editRoot(signers: [repository.rootKey], at: now) { _ in }
        #expect(editor.root.signed.expires == now.adding(days: 10))
        try editor.delegate(
            to: DelegatedRole(
                name: BrakesRole.name, keys: RoleKeys(keyIDs: [repository.releaseKey.key.keyID]),
                scope: .paths(["brakes/*/*.json", "brakes/*/bundle/*.json"])),
            keys: [repository.releaseKey.key], signers: [repository.releaseKey], at: now)
        #expect(editor.delegated[BrakesRole.name]?.signed.expires == now.adding(days: 30))
    }

    @Test("freshness without targets, or of an empty plan, says what is missing")
    func incomplete() throws {
        let (root, other) = (
            TUFSigner(try SigningKey.generate()), TUFSigner(try SigningKey.generate())
        )
        var editor = try RepositoryEditor(
            .init(rootKeys: [root.key], targetsKeys: [other.key], freshnessKeys: [other.key]),
            signers: [root], at: now)
        do {
            try editor.signFreshness(signers: [other], at: now)
            Issue.record("it signed")
        } catch { #expect((error as? TUFError)?.code == "repository_incomplete") }
        #expect(throws: TUFError.self) {
            try RepositoryEditor(
                .init(rootKeys: [root.key], targetsKeys: [other.key], freshnessKeys: [other.key]),
                signers: [other], at: now)
        }
        var plan = RepositoryEditor.RootPlan(
            rootKeys: [root.key, other.key], targetsKeys: [other.key], freshnessKeys: [other.key])
        plan.rootThreshold = 2
        #expect(throws: TUFError.self) { try RepositoryEditor(plan, signers: [root], at: now) }
        #expect(throws: Never.self) {
            try RepositoryEditor(plan, signers: [root, other], at: now)
        }
    }

    @Test("an edit that fails in the middle changes nothing")
    func failedEdits() async throws {
        struct ChangedMyMind: Error {}
        let repository = try RepositorySimulator()
        var editor = await repository.editor
        let before = editor.targets?.encoded()
        #expect(throws: ChangedMyMind.self) {
            try editor.editTargets(signers: [repository.releaseKey], at: now) { targets in
                targets.targets = [:]
                throw ChangedMyMind()
            }
        }
        #expect(throws: ChangedMyMind.self) {
            try editor.editRoot(signers: [repository.rootKey], at: now) { _ in
                throw ChangedMyMind()
            }
        }
        #expect(editor.targets?.encoded() == before && editor.changes.isEmpty)
    }

    @Test("whoever uploads what, the server's tree stays one that clients accept")
    func uploadModel() async throws {
        var generator = SeededGenerator()
        for _ in 0..<4 {
            let repository = try RepositorySimulator()
            let device = try await Device(repository)
            let thief = TUFSigner(try SigningKey.generate())
            var stale = await repository.editor
            var accepted = 0
            for step in 0..<20 {
                var server = await repository.editor
                var publisher = Bool.random(using: &generator) ? server : stale
                if Int.random(in: 0..<4, using: &generator) == 0 { stale = server }
                publisher.clearChanges()
                let signer =
                    Int.random(in: 0..<4, using: &generator) == 0
                    ? thief : repository.releaseKey
                let path = "modules/0011223344556677/\(step).wasm"
                // What cannot be signed by the rules is signed by hand.
                let current = try #require(publisher.delegated[RepositorySimulator.build]).signed
                var next = current
                next.header.version += Int.random(in: 0...2, using: &generator)
                next.targets[path] = TargetFile(path: path, contents: [UInt8(step)])
                if Int.random(in: 0..<5, using: &generator) == 0 { next.header.expires = now }
                if Int.random(in: 0..<5, using: &generator) == 0 { next.role = "targets" }
                let document = try SignedMetadata(next, signers: [signer])
                let name = MetadataFileName.of(
                    role: RepositorySimulator.build, version: next.header.version)
                do {
                    _ = try server.accept([name: document.encoded()], at: now)
                    accepted += 1
                    try await repository.publish { editor in
                        editor = server
                    }
                } catch {
                    #expect(error is TUFError, "\(generator)")
                    #expect(server.changes.isEmpty, "\(generator)")
                }
                try await device.updater.refresh()
                #expect(
                    try await device.updater.target(RepositorySimulator.module) != nil,
                    "\(generator)")
            }
            #expect(accepted > 0, "\(generator)")
        }
    }

    @Test("a snapshot's fields of others survive our signing it")
    func foreignSnapshotMembers() async throws {
        let repository = try RepositorySimulator()
        var snapshot = try #require(await repository.editor.snapshot).signed
        snapshot.header.unrecognized["x-note"] = "kept"
        snapshot.meta["targets.json"]?.unrecognized["x-size"] = 5
        try await repository.publish { editor in
            editor.snapshot = try SignedMetadata(snapshot, signers: [repository.freshnessKey])
            try editor.setTargets(
                [], in: RepositorySimulator.build, signers: [repository.releaseKey], at: now)
        }
        let published = try #require(await repository.editor.snapshot).signed
        #expect(published.version == 2)
        #expect(published.header.unrecognized["x-note"] == "kept")
    }
}
