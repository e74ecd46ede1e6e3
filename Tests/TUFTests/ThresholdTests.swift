import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

@Suite("Thresholds")
struct ThresholdTests {
    private let now = RepositorySimulator.start

    private func role(
        _ keys: [TUFKey], threshold: Int, signers: [TUFSigner], extra: [MetadataSignature] = []
    ) throws {
        var root = Root(
            header: MetadataHeader(version: 1, expires: now.adding(days: 1)), keys: [], roles: [:])
        root.setKeys(keys, threshold: threshold, of: .root)
        for role in [TopLevelRole.timestamp, .snapshot, .targets] {
            root.setKeys([keys[0]], of: role)
        }
        var document = try SignedMetadata(root, signers: signers)
        for signature in extra { document.add(signature) }
        _ = try TrustedMetadataSet(trustedRoot: document.encoded(), at: now)
    }

    private func isRefused(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch { return (error as? TUFError)?.code == "signatures_insufficient" }
    }

    @Test("two of three: any two distinct keys suffice, one does not")
    func twoOfThree() throws {
        let signers = try (0..<3).map { _ in TUFSigner(try SigningKey.generate()) }
        let keys = signers.map(\.key)
        for absent in 0..<3 {
            let two = signers.enumerated().filter { $0.offset != absent }.map(\.element)
            try role(keys, threshold: 2, signers: two)
            #expect(isRefused { try role(keys, threshold: 2, signers: [signers[absent]]) })
        }
    }

    @Test("one key under two identifiers counts once")
    func sameKeyTwice() throws {
        let signer = TUFSigner(try SigningKey.generate())
        let alias = try TUFKey(keyID: "another name", json: signer.key.json)
        let payloadSigner = TUFSigner(key: alias) { payload in
            try #require(Hex.decode(signer.sign(payload).signature))
        }
        #expect(
            isRefused {
                try role([signer.key, alias], threshold: 2, signers: [signer, payloadSigner])
            })
        try role([signer.key, alias], threshold: 1, signers: [payloadSigner])
    }

    @Test("keys of strangers, broken and empty signatures neither count nor harm")
    func noise() throws {
        let signer = TUFSigner(try SigningKey.generate())
        let absent = TUFSigner(try SigningKey.generate())
        let noise = [
            MetadataSignature(keyID: absent.key.keyID, signature: ""),
            MetadataSignature(keyID: "unknown", signature: "zz"),
            MetadataSignature(keyID: String(repeating: "f", count: 64), signature: "00ff"),
        ]
        try role([signer.key, absent.key], threshold: 1, signers: [signer], extra: noise)
        #expect(
            isRefused {
                try role([signer.key, absent.key], threshold: 2, signers: [signer], extra: noise)
            })
    }

    @Test("a signature list that names a key twice is refused outright")
    func duplicateSignatures() async throws {
        let repository = try RepositorySimulator()
        let bytes = try #require(await repository.files["timestamp.json"])
        var document = try #require(try JSONValue(parsing: bytes).object)
        let signatures = try #require(document["signatures"]?.array)
        document["signatures"] = .array(signatures + signatures)
        await repository.serve("timestamp.json", JSONValue.object(document).encoded())
        let device = try await Device(repository)
        #expect(await code { try await device.updater.refresh() } == "metadata_malformed")
    }

    @Test("a role that lists a key identifier twice is refused outright")
    func duplicateKeyIDs() throws {
        let key = TUFKey(try SigningKey.generate().publicKey)
        let json: JSONValue = [
            "keyids": [.string(key.keyID), .string(key.keyID)], "threshold": 2,
        ]
        #expect(throws: TUFError.self) { try RoleKeys(json: json, place: "test") }
    }

    @Test("a threshold of zero or less is refused", arguments: [0, -1, Int64.min, 1025])
    func zeroThreshold(threshold: Int64) {
        let json: JSONValue = ["keyids": [], "threshold": .integer(threshold)]
        #expect(throws: TUFError.self) { try RoleKeys(json: json, place: "test") }
    }

    @Test("a key of an unknown type is kept and verifies nothing")
    func unknownKeyType() throws {
        let json: JSONValue = [
            "keytype": "ml-dsa", "scheme": "ml-dsa-65/1", "keyval": ["public": "abcd"], "x-note": 1,
        ]
        let key = try TUFKey(keyID: "pq", json: json)
        #expect(key.verifyingKey == nil)
        #expect(key.json == json)
        #expect(!key.isValidSignature("00", for: [1]))
        let signer = TUFSigner(try SigningKey.generate())
        try role([signer.key, key], threshold: 1, signers: [signer])
    }

    @Test("ECDSA P-256, P-384 and RSA-PSS keys sign and verify metadata like Ed25519")
    func otherKeyTypes() throws {
        for kind in [KeyKind.ed25519, .p256, .p384] {
            let signer = TUFSigner(try SigningKey.generate(kind))
            try role([signer.key], threshold: 1, signers: [signer])
            let other = TUFSigner(try SigningKey.generate(kind))
            #expect(isRefused { try role([signer.key], threshold: 1, signers: [other]) })
        }
    }

    @Test("a bare hexadecimal point, as repositories of before 2022 have, is read")
    func legacyPoint() throws {
        let key = try SigningKey.generate(.p256)
        let json: JSONValue = [
            "keytype": "ecdsa-sha2-nistp256", "scheme": "ecdsa-sha2-nistp256",
            "keyval": ["public": .string(key.publicKey.rawRepresentation.hex)],
        ]
        let read = try TUFKey(keyID: "old", json: json)
        #expect(read.verifyingKey == key.publicKey)
        #expect(read.isValidSignature(try key.sign([7]).hex, for: [7]))
    }

    @Test("a signer whose private key is another one's is found out before anything is published")
    func wrongSigner() throws {
        let key = TUFKey(try SigningKey.generate().publicKey)
        let other = try SigningKey.generate()
        let signer = TUFSigner(key: key) { try other.sign($0) }
        do {
            _ = try signer.sign([1])
            Issue.record("the signature was accepted")
        } catch { #expect((error as? TUFError)?.code == "signing_failed") }
    }
}
