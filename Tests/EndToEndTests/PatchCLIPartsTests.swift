import CommandLineKit
import Foundation
import PatchCompiler
import PatchCrypto
import PatchPlatform
import TUF
import TUFRepository
import TestSupport
import Testing

@testable import patchcli

@Suite struct KeyStoreTests {
    private func store(_ folder: TemporaryDirectory) -> KeyStore {
        KeyStore(environment: ["XDG_CONFIG_HOME": folder.path])
    }

    private func mode(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("a key is made once, kept from others, and comes back the same")
    func keys() throws {
        let folder = try TemporaryDirectory("keys")
        let store = store(folder)
        let (made, isNew) = try store.obtain("pak_1", .targets)
        let (again, isNewAgain) = try store.obtain("pak_1", .targets)
        #expect(isNew && !isNewAgain)
        #expect(made.tufKey.keyID == again.tufKey.keyID)
        #expect(made.path == folder.path + "/openpatch/keys/pak_1/targets.pem")
        #expect(try mode(made.path) == 0o600)
        #expect(try mode(folder.path + "/openpatch/keys/pak_1") == 0o700)
        #expect(try store.list("pak_1").map(\.role) == [.targets])
        #expect(try store.list("pak_2").isEmpty)
    }

    @Test("without XDG_CONFIG_HOME keys lie in ~/.config, and a relative one is not taken")
    func places() {
        #expect(
            KeyStore(environment: ["HOME": "/home/a"]).folder.path
                == "/home/a/.config/openpatch")
        #expect(
            KeyStore(environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "rel"]).folder.path
                == "/home/a/.config/openpatch")
    }

    @Test("a token from the environment goes before the stored one")
    func tokens() throws {
        let folder = try TemporaryDirectory("tokens")
        let store = store(folder)
        #expect(throws: CommandFailure.self) { try store.token("pak_1", environment: [:]) }
        try store.store(token: "stored", for: "pak_1")
        #expect(try store.token("pak_1", environment: [:]) == "stored")
        #expect(try store.token("pak_1", environment: ["OPENPATCH_TOKEN": "ci"]) == "ci")
        #expect(try store.token("pak_1", environment: ["OPENPATCH_TOKEN": ""]) == "stored")
        #expect(try mode(folder.path + "/openpatch/tokens/pak_1") == 0o600)
    }

    @Test("a missing and a damaged key say where they were looked for")
    func missing() throws {
        let folder = try TemporaryDirectory("missing-keys")
        let store = store(folder)
        do {
            _ = try store.require("pak_1", .root)
            Issue.record("a key that does not exist was found")
        } catch let failure as CommandFailure {
            #expect(failure.code == "key_missing" && failure.exit == .configuration)
            #expect(failure.why?.contains("/openpatch/keys/pak_1/root.pem") == true)
        }
        try folder.write("not a key", to: "openpatch/keys/pak_1/root.pem")
        do {
            _ = try store.require("pak_1", .root)
            Issue.record("a damaged key was read")
        } catch let failure as CommandFailure {
            #expect(failure.code == "key_unreadable")
        }
    }
}

@Suite struct ConfigurationFileTests {
    @Test("what is written is what is read, and nothing is written twice")
    func roundTrip() throws {
        let folder = try TemporaryDirectory("configuration")
        let configuration = ProjectConfiguration(
            appID: "3f2b1c00-0000-4000-8000-000000000001", appKey: "pak_0123456789ab",
            name: "A \"quoted\" name, ä", server: "https://example.com/x/", channel: "beta",
            platform: "ios", sources: [.init(module: "App", path: "Sources/App")],
            guest: ["Guest"], resources: "Resources")
        #expect(try ConfigurationFile.write(configuration, in: folder.url))
        #expect(!(try ConfigurationFile.write(configuration, in: folder.url)))
        #expect(try ProjectConfiguration(folder: folder.url) == configuration)
    }

    @Test("a new project's sources, guest and resources are found")
    func layout() throws {
        let folder = try TemporaryDirectory("layout")
        try folder.write("", to: "Sources/App/A.swift")
        try folder.write("", to: "Sources/Guest/g.swift")
        try folder.write("", to: "Sources/NotSwift/readme.md")
        try folder.write("", to: "Sources/App/Resources/x")
        let layout = ProjectLayout(folder: folder.url)
        #expect(layout.sources == [.init(module: "App", path: "Sources/App")])
        #expect(layout.guest == ["Sources/Guest"])
        #expect(layout.resources == "Sources/App/Resources")
    }

    @Test("the app's configuration keeps what is not known yet out")
    func resources() throws {
        let folder = try TemporaryDirectory("resources")
        let resources = AppResources(folder: folder.url)
        #expect(resources.configuration == nil)
        let written = AppResources.Configuration(
            app_key: "pak_1", app_id: "id", api_base_url: nil, channel: "production",
            platform: "linux", fingerprint: nil, embedded_sequence: 0,
            floors: .init(min_targets_version: 1, min_sequence: 0))
        try resources.write(written)
        #expect(resources.configuration == written)
        let text = try String(
            contentsOf: folder.file("patch-config.json"), encoding: .utf8)
        #expect(!text.contains("fingerprint") && !text.contains("api_base_url"))
    }
}

@Suite struct StaticRepositoryTests {
    private struct Fixture {
        let folder: TemporaryDirectory
        let repository: StaticRepository
        let release: TUFSigner
        var editor: RepositoryEditor

        init() async throws {
            folder = try TemporaryDirectory("tree")
            let root = TUFSigner(try SigningKey.generate())
            let release = TUFSigner(try SigningKey.generate())
            let freshness = TUFSigner(try SigningKey.generate())
            self.release = release
            editor = try RepositoryEditor(
                .init(
                    rootKeys: [root.key], targetsKeys: [release.key],
                    freshnessKeys: [freshness.key], openPatch: .init(appID: "app")),
                signers: [root], at: .now, expiryPlan: .staticTree)
            try editor.editTargets(signers: [release], at: .now)
            repository = StaticRepository(
                folder: folder.file("tree"), trustedRoot: editor.root.encoded()
            ) { freshness }
            _ = try await repository.publish(editor, targets: []) { _ in }
        }
    }

    @Test("what is published is read back, files readable for a web server")
    func roundTrip() async throws {
        let fixture = try await Fixture()
        var editor = try await fixture.repository.load()
        let target = NewTarget(path: "modules/x/1.wasm", bytes: [1, 2, 3])
        try editor.editTargets(signers: [fixture.release], at: .now) {
            $0.targets[target.file.path] = target.file
        }
        #expect(try await fixture.repository.publish(editor, targets: [target]) { _ in })
        let again = try await fixture.repository.load()
        let found = try #require(again.listedTargets.first)
        #expect(try await fixture.repository.read(found) == [1, 2, 3])
        let place = try found.filePath(consistentSnapshot: true)
        for name in ["tree/targets/\(place)", "tree/metadata/timestamp.json"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: fixture.folder.file(name).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
        }
    }

    @Test("a publisher that began from an older state is refused")
    func conflict() async throws {
        let fixture = try await Fixture()
        let start = try await fixture.repository.load()
        var one = start
        var two = start
        try one.editTargets(signers: [fixture.release], at: .now)
        try two.editTargets(signers: [fixture.release], at: .now)
        _ = try await fixture.repository.publish(one, targets: []) { _ in }
        await #expect(throws: ServerRefusal.self) {
            try await fixture.repository.publish(two, targets: []) { _ in }
        }
    }

    @Test("damaged metadata is named with its file and with the command that helps")
    func damagedMetadata() async throws {
        let fixture = try await Fixture()
        let file = fixture.folder.file("tree/metadata/timestamp.json")
        try Data("<html>".utf8).write(to: file)
        do {
            _ = try await fixture.repository.load()
            Issue.record("rubbish was loaded")
        } catch let failure as CommandFailure {
            #expect(failure.code == "json_damaged" && failure.exit == .dataError)
            #expect(failure.why?.contains(file.path) == true, "\(failure)")
            #expect(failure.fix?.hasPrefix("git checkout -- ") == true, "\(failure)")
        }
    }

    @Test("two publishers exclude each other, and the second is told of the first")
    func lock() throws {
        let folder = try TemporaryDirectory("lock")
        let (tree, scratch) = (folder.file("tree"), folder.file("out"))
        func take() throws -> TreeLock { try TreeLock.take(on: tree, noting: scratch) }
        func names(_ place: URL) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: place.path)
        }
        let held = try take()
        #expect(try names(tree).isEmpty)
        do {
            _ = try take()
            Issue.record("the lock was taken twice")
        } catch let failure as CommandFailure {
            #expect(failure.code == "tree_locked")
            #expect(failure.why?.contains("process ") == true)
        }
        held.release()
        #expect(try names(scratch).isEmpty)
        try Data().write(to: tree.appendingPathComponent("publish.owner"))
        try take().release()
        #expect(try names(tree).isEmpty && names(scratch).isEmpty)
    }

    @Test("a damaged target is not read")
    func damaged() async throws {
        let fixture = try await Fixture()
        var editor = try await fixture.repository.load()
        let target = NewTarget(path: "modules/x/1.wasm", bytes: [1, 2, 3])
        try editor.editTargets(signers: [fixture.release], at: .now) {
            $0.targets[target.file.path] = target.file
        }
        _ = try await fixture.repository.publish(editor, targets: [target]) { _ in }
        let place = try target.file.filePath(consistentSnapshot: true)
        try Data([1, 2, 4]).write(to: fixture.folder.file("tree/targets/\(place)"))
        await #expect(throws: TUFError.self) { try await fixture.repository.read(target.file) }
    }

    @Test("targets come first, the root late, the timestamp last")
    func order() {
        let names = ["timestamp.json", "2.root.json", "3.snapshot.json", "2.targets.json"]
        let sorted = names.sorted { TreeWriter.order($0) < TreeWriter.order($1) }
        #expect(sorted.last == "timestamp.json" && sorted[2] == "2.root.json")
    }
}

@Suite struct ExplainTests {
    @Test("errors of other modules end with the code that scripts rely on")
    func exitCodes() {
        func exit(_ error: any Error) -> ExitCode? { Explain.failure(error)?.exit }
        let url = URL(fileURLWithPath: "/")
        #expect(exit(PatchProjectError(.configurationMissing, "x")) == .configuration)
        #expect(exit(PatchProjectError(.buildUnknown, "x")) == .fingerprintMismatch)
        #expect(exit(PatchProjectError(.nativeChange, "x")) == .cannotShip)
        #expect(exit(PatchProjectError(.cannotShip, "x")) == .cannotShip)
        #expect(exit(PatchProjectError(.nothingChanged, "x")) == .unreachable)
        #expect(exit(HTTPError(.unreachable, url: url)) == .unavailable)
        #expect(exit(ServerRefusal(status: 401, code: "x", message: "")) == .noPermission)
        #expect(exit(ServerRefusal(status: 409, code: "x", message: "")) == .temporaryFailure)
        #expect(exit(ServerRefusal(status: 422, code: "x", message: "")) == .dataError)
        #expect(exit(ServerRefusal(status: 500, code: "x", message: "")) == .unavailable)
        #expect(exit(TUFError(.signaturesInsufficient, "x")) == .noPermission)
        #expect(exit(TUFError(.metadataRollback, "x")) == .dataError)
        #expect(exit(CancellationError()) == nil)
    }

    @Test("codes come through unchanged")
    func codes() {
        #expect(Explain.failure(PatchProjectError(.nativeChange, "x"))?.code == "native_change")
        #expect(Explain.failure(TUFError(.belowFloor, "x"))?.code == "below_floor")
        let refusal = ServerRefusal(status: 409, code: "sequence_taken", message: "m")
        #expect(Explain.failure(refusal)?.code == "sequence_taken")
    }

    @Test("a server is named with or without its API path")
    func addresses() {
        for text in ["http://a:1", "http://a:1/", "http://a:1/api/v1", "http://a:1/api/v1/"] {
            #expect(ServerClient.apiBase(text)?.absoluteString == "http://a:1/api/v1", "\(text)")
        }
        for text in ["", "a:1", "ftp://a", "http://", "nonsense"] {
            #expect(ServerClient.apiBase(text) == nil, "\(text)")
        }
    }
}
