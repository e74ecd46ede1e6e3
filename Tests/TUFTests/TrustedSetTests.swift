import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// The rules without I/O, one by one and in every order.
@Suite("The trusted set")
struct TrustedSetTests {
    private let now = RepositorySimulator.start

    private struct Files {
        let root: [UInt8]
        let timestamp: [UInt8]
        let snapshot: [UInt8]
        let targets: [UInt8]
        let build: [UInt8]
    }

    private func files(_ repository: RepositorySimulator) async throws -> Files {
        let editor = await repository.editor
        return Files(
            root: editor.root.encoded(), timestamp: try #require(editor.timestamp).encoded(),
            snapshot: try #require(editor.snapshot).encoded(),
            targets: try #require(editor.targets).encoded(),
            build: try #require(editor.delegated[RepositorySimulator.build]).encoded())
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? TUFError)?.code ?? "other" }
    }

    @Test("documents in order are trusted one after the other")
    func inOrder() async throws {
        let files = try await files(RepositorySimulator())
        var set = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        #expect(set.timestamp == nil && set.snapshot == nil && set.targets == nil)
        #expect(try set.updateTimestamp(files.timestamp))
        try set.updateSnapshot(files.snapshot)
        try set.updateTargets(files.targets)
        let delegations = try #require(set.targets?.signed.delegations)
        let build = try set.verifyDelegatedTargets(
            files.build, role: RepositorySimulator.build, delegations: delegations)
        #expect(build.signed.target(at: RepositorySimulator.module) != nil)
        #expect(set.expiredRoles.isEmpty)
    }

    @Test("documents out of order are refused as such, never trusted")
    func outOfOrder() async throws {
        let files = try await files(RepositorySimulator())
        var set = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        #expect(code { try set.updateSnapshot(files.snapshot) } == "wrong_order")
        #expect(code { try set.updateTargets(files.targets) } == "wrong_order")
        try set.updateTimestamp(files.timestamp)
        #expect(code { try set.updateTargets(files.targets) } == "wrong_order")
        #expect(code { try set.updateRoot(files.root) } == "wrong_order")
        try set.updateSnapshot(files.snapshot)
        #expect(code { try set.updateTimestamp(files.timestamp) } == "wrong_order")
        #expect(code { try set.updateRoot(files.root) } == "wrong_order")
        try set.updateTargets(files.targets)
        #expect(code { try set.updateSnapshot(files.snapshot) } == "wrong_order")
    }

    @Test("a trusted root that its own keys have not signed is refused")
    func unsignedRoot() async throws {
        let repository = try RepositorySimulator()
        let root = await repository.editor.root.signed
        #expect(
            code {
                _ = try TrustedMetadataSet(
                    trustedRoot: SignedMetadata(root).encoded(), at: now)
            } == "signatures_insufficient")
        let stranger = TUFSigner(try SigningKey.generate())
        #expect(
            code {
                _ = try TrustedMetadataSet(
                    trustedRoot: SignedMetadata(root, signers: [stranger]).encoded(), at: now)
            } == "signatures_insufficient")
    }

    @Test("an expired trusted root may still be followed by a newer one")
    func expiredRoot() async throws {
        let repository = try RepositorySimulator()
        let first = await repository.editor.root.encoded()
        let later = now.adding(days: 5000)
        var set = try TrustedMetadataSet(trustedRoot: first, at: later)
        let files = try await files(repository)
        #expect(code { try set.updateTimestamp(files.timestamp) } == "metadata_expired")
        #expect(set.timestamp == nil)
        try await repository.publish(at: later) {
            try $0.editRoot(signers: [repository.rootKey], at: later) { _ in }
        }
        let next = try await self.files(repository)
        try set.updateRoot(next.root)
        try set.updateTimestamp(next.timestamp)
    }

    @Test("an expired timestamp is kept to compare with, but nothing is built on it")
    func expiredTimestamp() async throws {
        let repository = try RepositorySimulator()
        let old = try await files(repository)
        let later = now.adding(days: 8)
        var set = try TrustedMetadataSet(trustedRoot: old.root, at: later)
        #expect(code { try set.updateTimestamp(old.timestamp) } == "metadata_expired")
        #expect(set.timestamp?.signed.version == 1)
        #expect(code { try set.updateSnapshot(old.snapshot) } == "metadata_expired")
        try await repository.publish(at: later)
        let new = try await files(repository)
        #expect(try set.updateTimestamp(new.timestamp))
        #expect(set.timestamp?.signed.version == 2)
    }

    @Test("the same timestamp again is no error and changes nothing")
    func sameTimestamp() async throws {
        let repository = try RepositorySimulator()
        let files = try await files(repository)
        var set = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        try set.updateTimestamp(files.timestamp)
        // Same version, other contents: the first one stays.
        var other = try #require(await repository.editor.timestamp).signed
        other.snapshot = MetaFile(version: 100)
        let bytes = try SignedMetadata(other, signers: [repository.freshnessKey]).encoded()
        #expect(try set.updateTimestamp(bytes) == false)
        #expect(set.timestamp?.signed.snapshot.version == 1)
    }

    @Test("a stored snapshot of an older timestamp serves to compare with, and is not final")
    func storedSnapshot() async throws {
        let repository = try RepositorySimulator()
        let old = try await files(repository)
        try await repository.release(2)
        let new = try await files(repository)
        var set = try TrustedMetadataSet(trustedRoot: old.root, at: now)
        try set.updateTimestamp(new.timestamp)
        #expect(
            code { try set.updateSnapshot(old.snapshot, isStored: true) }
                == "metadata_version_mismatch")
        #expect(set.snapshot?.signed.version == 1)
        #expect(code { try set.updateTargets(new.targets) } == "metadata_version_mismatch")
        try set.updateSnapshot(new.snapshot)
        try set.updateTargets(new.targets)
    }

    @Test("a fetched snapshot must be the bytes that the timestamp pins")
    func pinnedSnapshot() async throws {
        let repository = try RepositorySimulator()
        let files = try await files(repository)
        var set = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        try set.updateTimestamp(files.timestamp)
        // The same document, written with a space more.
        #expect(
            code { try set.updateSnapshot(files.snapshot + [0x20]) } == "metadata_length_mismatch")
        var spaced = files.snapshot
        spaced[spaced.count - 1] = 0x20
        #expect(code { try set.updateSnapshot(spaced) } == "metadata_hash_mismatch")
        #expect(set.snapshot == nil)
        try set.updateSnapshot(files.snapshot)
    }

    @Test("an error leaves everything trusted before it in place")
    func errorsChangeNothing() async throws {
        let repository = try RepositorySimulator()
        let files = try await files(repository)
        var set = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        for bad: [UInt8] in [[], [0], Array("{}".utf8), files.targets, files.build] {
            #expect(code { try set.updateRoot(bad) } != nil)
            #expect(code { try set.updateTimestamp(bad) } != nil)
        }
        #expect(set.root.encoded() == files.root && set.timestamp == nil)
        try set.updateTimestamp(files.timestamp)
        for bad: [UInt8] in [[], [0], Array("{}".utf8), files.targets, files.root] {
            #expect(code { try set.updateSnapshot(bad) } != nil)
            #expect(code { try set.updateSnapshot(bad, isStored: true) } != nil)
        }
        #expect(set.snapshot == nil)
        try set.updateSnapshot(files.snapshot)
        for bad: [UInt8] in [[], [0], Array("{}".utf8), files.build, files.root] {
            #expect(code { try set.updateTargets(bad) } != nil)
        }
        #expect(set.targets == nil)
        try set.updateTargets(files.targets)
    }

    @Test("role confusion: a document signed for one role does not pass for another")
    func swappedTargets() async throws {
        let repository = try RepositorySimulator()
        let files = try await files(repository)
        var set = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        try set.updateTimestamp(files.timestamp)
        try set.updateSnapshot(files.snapshot)
        // All have the same type, key and version; the snapshot states versions only.
        #expect(code { try set.updateTargets(files.build) } == "metadata_wrong_role")
        try set.updateTargets(files.targets)
        let delegations = try #require(set.targets?.signed.delegations)
        #expect(
            code {
                _ = try set.verifyDelegatedTargets(
                    files.targets, role: RepositorySimulator.build, delegations: delegations)
            } == "metadata_wrong_role")
        #expect(
            code {
                _ = try set.verifyDelegatedTargets(
                    files.build, role: "build-unknown", delegations: delegations)
            } == "role_not_in_snapshot")
    }

    @Test("role confusion: a mirror cannot hide releases by serving one role's file as another's")
    func confusedMirror() async throws {
        let repository = try RepositorySimulator()
        let state = await repository.state
        let build = "2.\(RepositorySimulator.build).json"
        for (name, other) in [("2.targets.json", build), (build, "2.targets.json")] {
            await repository.serve(name, state[other])
            let device = try await Device(repository)
            let failure = await TUFTests.code {
                _ = try await device.updater.target(RepositorySimulator.module)
            }
            #expect(failure == "metadata_wrong_role")
            await repository.restore(state)
        }
        // Nor is such a document taken by a server.
        var server = await repository.editor
        var publisher = server
        try publisher.editTargets(signers: [repository.releaseKey], at: now)
        let bytes = try #require(publisher.changes.first).bytes
        #expect(
            code { _ = try server.accept(["3.\(RepositorySimulator.build).json": bytes], at: now) }
                == "metadata_wrong_role")
    }

    @Test("metadata of others, which does not name its role, is read as ever")
    func unnamedRole() async throws {
        let repository = try RepositorySimulator()
        var plain = try #require(await repository.editor.targets).signed
        #expect(plain.role == "targets")
        plain.role = nil
        #expect(plain.json["x_openpatch"] == nil)
        try await repository.publish { editor in
            plain.header.version = 3
            let document = try SignedMetadata(plain, signers: [repository.releaseKey])
            editor.targets = document
            editor.record("targets", document)
        }
        let device = try await Device(repository)
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
    }

    @Test("expired roles are collected only where asked for, each by its name")
    func collected() async throws {
        let repository = try RepositorySimulator()
        let files = try await files(repository)
        for days in [6, 8, 366, 1096] {
            var set = try TrustedMetadataSet(
                trustedRoot: files.root, at: now.adding(days: days), expiryPolicy: .collect)
            try set.updateTimestamp(files.timestamp)
            try set.updateSnapshot(files.snapshot)
            try set.updateTargets(files.targets)
            var expected: Set<String> = []
            if days >= 7 { expected.formUnion(["timestamp", "snapshot"]) }
            if days >= 365 { expected.insert("targets") }
            if days >= 1095 { expected.insert("root") }
            #expect(set.expiredRoles == expected, "after \(days) days")
        }
    }

    @Test("expiry is exact: the second before is fine, the second itself is not")
    func exactExpiry() async throws {
        let repository = try RepositorySimulator()
        let files = try await files(repository)
        let expires = try #require(await repository.editor.timestamp).signed.expires
        var before = try TrustedMetadataSet(
            trustedRoot: files.root, at: expires.adding(seconds: -1))
        #expect(code { try before.updateTimestamp(files.timestamp) } == nil)
        var at = try TrustedMetadataSet(trustedRoot: files.root, at: expires)
        #expect(code { try at.updateTimestamp(files.timestamp) } == "metadata_expired")
    }

    @Test("a copy of the set goes its own way")
    func copies() async throws {
        let files = try await files(RepositorySimulator())
        let original = try TrustedMetadataSet(trustedRoot: files.root, at: now)
        var copy = original
        try copy.updateTimestamp(files.timestamp)
        #expect(original.timestamp == nil && copy.timestamp != nil)
    }
}
