import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// Several keys are replaced by one call, and the repository is whole at once.
@Suite struct KeyReplacementTests {
    let start = RepositorySimulator.start

    private func key() throws -> TUFSigner { TUFSigner(try SigningKey.generate()) }

    @Test("one call gives a server another freshness key and another ops key")
    func serverKeys() async throws {
        let repository = try RepositorySimulator()
        let (root, release) = (repository.rootKey, repository.releaseKey)
        let ops = try key()
        let path = BrakesRole.modulePath(channel: "production")
        let brake = TargetFile(path: path, contents: Array("brake".utf8))
        try await repository.publish {
            try $0.delegateBrakes(to: [ops.key], signers: [release], at: start)
            try $0.setBrakes([brake], signers: [ops], at: start)
        }
        let device = try await Device(repository)
        #expect(try await device.updater.target(path) == brake)

        let (newOps, newFresh) = (try key(), try key())
        try await repository.publish(freshness: [newFresh]) {
            try $0.replaceServerKeys(
                freshness: [newFresh.key], ops: ([newOps.key], [newOps]), rootSigners: [root],
                releaseSigners: [release], at: start)
        }
        try await device.updater.refresh()
        #expect(try await device.updater.target(path) == brake)
        let set = try #require(await device.updater.trusted)
        #expect(
            set.root.signed.version == 2
                && set.root.signed[.snapshot].keyIDs == [newFresh.key.keyID])
        // The old keys sign nothing any more.
        await #expect(throws: TUFError.self) {
            try await repository.publish(freshness: [repository.freshnessKey])
        }
        await #expect(throws: TUFError.self) {
            try await repository.publish(freshness: [newFresh]) {
                try $0.setBrakes([], signers: [ops], at: start)
            }
        }
    }

    @Test("a server takes a replaced release key as one upload, and nothing less of it")
    func uploadedWhole() async throws {
        let repository = try RepositorySimulator()
        let server = await repository.editor
        var developer = server
        let new = try key()
        try developer.replaceReleaseKeys(
            [new.key], signers: [new], rootSigners: [repository.rootKey], at: start)
        let files = Dictionary(
            uniqueKeysWithValues: developer.changes.map { ($0.name, $0.bytes) })
        #expect(
            files.keys.sorted() == [
                "2.root.json", "3.build-0011223344556677.json", "3.targets.json",
            ])
        for missing in files.keys {
            var trial = server
            #expect(throws: TUFError.self, "without \(missing)") {
                _ = try trial.accept(files.filter { $0.key != missing }, at: start)
            }
        }
        var whole = server
        _ = try whole.accept(files, at: start)
        #expect(whole.root.signed.version == 2)
    }

    @Test("who is asked to sign brakes without the delegation's key is refused")
    func foreignOps() async throws {
        let repository = try RepositorySimulator()
        let release = repository.releaseKey
        var editor = await repository.editor
        let ops = try key()
        #expect(throws: TUFError.self, "nothing is delegated yet") {
            try editor.setBrakes([], signers: [ops], at: start)
        }
        try editor.delegateBrakes(to: [ops.key], signers: [release], at: start)
        let version = editor.targets?.signed.version
        try editor.delegateBrakes(to: [ops.key], signers: [release], at: start)
        #expect(editor.targets?.signed.version == version, "the same again changes nothing")
        #expect(throws: TUFError.self) {
            try editor.setBrakes([], signers: [release], at: start)
        }
        try editor.setBrakes([], signers: [ops], at: start)
        #expect(editor.delegated[BrakesRole.name]?.signed.version == 1)
        #expect(
            editor.delegated[BrakesRole.name]?.signed.expires == start.adding(days: 30),
            "the term of brakes")
    }
}
