import Foundation
import PatchCrypto
import Rollout
import TUF
import TUFRepository
import Testing
import UpdateEngine
import UpdateFixture
import UpdateTestSupport

/// Keys are stolen, revoked and replaced; the app in the field has root 1 built in.
@Suite struct KeyDrillTests {
    let fixture: EngineFixture
    var app: PublishedApp { fixture.app }
    let thief: TUFSigner

    /// A device that runs release 1, and a thief who has the release key.
    init() async throws {
        fixture = try EngineFixture()
        thief = fixture.app.releaseSigner
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
        try await fixture.update()
    }

    func running() async throws -> String? { try await fixture.engine.open().current?.version }
    func check() async -> Reason? {
        await fixture.failure { _ = try await fixture.engine.check() }
    }
    func freshKey() throws -> TUFSigner { TUFSigner(try SigningKey.generate()) }

    @Test("S05: after root 2 the new release key's work is taken and the old one's refused")
    func S05_rotation() async throws {
        try app.replaceReleaseKey(try freshKey())
        try app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        fixture.restart()
        try await fixture.update()
        #expect(try await running() == "1.2")
        let evil = EngineFixture.payload("evil")
        let path = "modules/\(PublishedApp.fingerprint.prefix(16))/9.9.wasm"
        try app.forge(app.role, [TargetFile(path: path, contents: evil)], signer: thief)
        #expect(await check() == .metadataInvalid)
        #expect(try await running() == "1.2")
    }

    @Test("S06: what a revoked key released stays running, but cannot be installed again")
    func S06_revoked() async throws {
        try app.replaceReleaseKey(try freshKey())
        try app.unlist(version: "1.1")
        #expect(await check() == nil)
        #expect(try await running() == "1.1", "it was honest when it was taken")
        #expect(try await !fixture.anotherInstall().check().isUpdate)
        // Until the floor is raised, in the same way.
        try app.editRoot { $0.openPatch?.minSequence = 2 }
        try await fixture.update()
        #expect(try await running() == nil)
    }

    @Test("many roots on, an app that ships the first one still follows")
    func longChain() async throws {
        for _ in 0..<12 { try app.replaceReleaseKey(try freshKey()) }
        try app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        #expect(try await fixture.anotherInstall().check().release?.version == "1.2")
        try await fixture.update()
        #expect(try await running() == "1.2")
    }

    @Test("a thief who counted the head's number to its end is undone by replacing the key")
    func headCountedToTheEnd() async throws {
        try app.setHead { $0.headSequence = 1 << 53 }
        #expect(await check() == nil)
        try app.replaceReleaseKey(try freshKey())
        try app.setHead { $0.headSequence = 5 }
        try app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        try await fixture.update()
        #expect(try await running() == "1.2")
    }
}
