import PatchCrypto
import Testing

@testable import TUF
@testable import TUFRepository

/// The bytes that we publish, pinned: keys, times and hence signatures are fixed (Ed25519 draws
/// nothing at random). A change here is a change of the format: see CONTRIBUTING before changing the
/// expectation.
@Suite("Published bytes")
struct GoldenTests {
    private static let now = MetadataTime(secondsSince1970: 1_767_225_600)  // 2026-01-01

    private static func signer(_ digit: Character) throws -> TUFSigner {
        let seed = try #require(Hex.decode(String(repeating: digit, count: 64)))
        // The PKCS #8 form of an Ed25519 key is a fixed prefix and the seed (RFC 8410 §7).
        let prefix = try #require(Hex.decode("302e020100300506032b657004220420"))
        return TUFSigner(try SigningKey(derRepresentation: prefix + seed))
    }

    private func repository() throws -> RepositoryEditor {
        let (root, backup) = (try Self.signer("1"), try Self.signer("2"))
        let (release, fresh) = (try Self.signer("3"), try Self.signer("4"))
        var editor = try RepositoryEditor(
            .init(
                rootKeys: [root.key, backup.key], targetsKeys: [release.key],
                freshnessKeys: [fresh.key],
                openPatch: .init(appID: "8c7d1a52-0000-4000-8000-000000000001", minSequence: 3)),
            signers: [root], at: Self.now)
        try editor.editTargets(signers: [release], at: Self.now)
        try editor.registerBuild(
            fingerprint: "00112233445566778899", signers: [release], at: Self.now)
        let module = TargetFile(
            path: "modules/0011223344556677/1.wasm", contents: Array("module one".utf8),
            custom: ["sequence": 3, "notes": "a \"quoted\" line\nand ünïcode", "deltas": []])
        try editor.setTargets(
            [module], in: "build-0011223344556677", signers: [release], at: Self.now)
        try editor.signFreshness(signers: [fresh], at: Self.now)
        return editor
    }

    private func text(_ name: String) throws -> String {
        let file = try #require(repository().changes.first { $0.name == name })
        return String(decoding: file.bytes, as: UTF8.self)
    }

    @Test("the files of a small repository, by name and in publishing order")
    func names() throws {
        #expect(
            try repository().changes.map(\.name) == [
                "1.root.json", "1.build-0011223344556677.json", "1.targets.json",
                "1.snapshot.json", "timestamp.json",
            ])
    }

    @Test("signing the same twice gives the same bytes")
    func reproducible() throws {
        let first = try repository().changes
        let second = try repository().changes
        #expect(first == second)
    }

    @Test("root as published")
    func root() throws {
        let expected = [
            #"{"signatures":[{"#,
            #""keyid":"d10f4c0e0152ae6c6c120896b8cf23f72ffe18ab27a97473a353c3f94bba88b5","#,
            #""sig":"ba4f1b8fc23bfbda2f9f116ddd4af150a1e3e2f6612168fa7e4bb8aa2ef22dbd124c5c4"#,
            #"c3f60702d664afc1b6f38d085a272c146a57f54ab0a569ecc17aad903"}],"signed":{"#,
            #""_type":"root","consistent_snapshot":true,"expires":"2028-12-31T00:00:00Z","#,
            #""keys":{"00a9eba8517a56d85faafade356e9136a68dec1c17a5ba46d5364144afc53865":{"#,
            #""keytype":"ed25519","keyval":{"#,
            #""public":"d759793bbc13a2819a827c76adb6fba8a49aee007f49f2d0992d99b825ad2c48"},"#,
            #""scheme":"ed25519"},"#,
            #""69d261184da510a6229212601bd599724b31adcdd2876e547588c94c0a9db262":{"#,
            #""keytype":"ed25519","keyval":{"#,
            #""public":"a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0"},"#,
            #""scheme":"ed25519"},"#,
            #""6e20151de767fc586ece5c4c667801396eb6ec68a0485bcd4c810b1c637b7c1d":{"#,
            #""keytype":"ed25519","keyval":{"#,
            #""public":"17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce"},"#,
            #""scheme":"ed25519"},"#,
            #""d10f4c0e0152ae6c6c120896b8cf23f72ffe18ab27a97473a353c3f94bba88b5":{"#,
            #""keytype":"ed25519","keyval":{"#,
            #""public":"d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737"},"#,
            #""scheme":"ed25519"}},"roles":{"root":{"keyids":["#,
            #""d10f4c0e0152ae6c6c120896b8cf23f72ffe18ab27a97473a353c3f94bba88b5","#,
            #""69d261184da510a6229212601bd599724b31adcdd2876e547588c94c0a9db262"],"#,
            #""threshold":1},"snapshot":{"keyids":["#,
            #""00a9eba8517a56d85faafade356e9136a68dec1c17a5ba46d5364144afc53865"],"#,
            #""threshold":1},"targets":{"keyids":["#,
            #""6e20151de767fc586ece5c4c667801396eb6ec68a0485bcd4c810b1c637b7c1d"],"#,
            #""threshold":1},"timestamp":{"keyids":["#,
            #""00a9eba8517a56d85faafade356e9136a68dec1c17a5ba46d5364144afc53865"],"#,
            #""threshold":1}},"spec_version":"1.0.34","version":1,"x_openpatch":{"#,
            #""app_id":"8c7d1a52-0000-4000-8000-000000000001","min_sequence":3,"#,
            #""min_targets_version":0}}}"#,
        ]
        #expect(try text("1.root.json") == expected.joined())
    }

    @Test("targets as published")
    func targets() throws {
        let expected = [
            #"{"signatures":[{"#,
            #""keyid":"6e20151de767fc586ece5c4c667801396eb6ec68a0485bcd4c810b1c637b7c1d","#,
            #""sig":"930fac3560a883be9ace31d958c6cd6d7a40d6008eeb17daa623900ac0f4de43eb955d7"#,
            #"125fad69374cf1df25a6aa8b81ca65e67cbc5e88ef943b9149530f60b"}],"signed":{"#,
            #""_type":"targets","delegations":{"keys":{"#,
            #""6e20151de767fc586ece5c4c667801396eb6ec68a0485bcd4c810b1c637b7c1d":{"#,
            #""keytype":"ed25519","keyval":{"#,
            #""public":"17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce"},"#,
            #""scheme":"ed25519"}},"roles":[{"keyids":["#,
            #""6e20151de767fc586ece5c4c667801396eb6ec68a0485bcd4c810b1c637b7c1d"],"#,
            #""name":"build-0011223344556677","paths":["modules/0011223344556677/*","#,
            #""deltas/0011223344556677/*","heads/*/module/0011223344556677.json","#,
            #""heads/*/bundle/*/0011223344556677.json"],"terminating":true,"threshold":1}]},"#,
            #""expires":"2027-01-01T00:00:00Z","spec_version":"1.0.34","targets":{},"#,
            #""version":1,"x_openpatch":{"role":"targets"}}}"#,
        ]
        #expect(try text("1.targets.json") == expected.joined())
    }

    @Test("build as published")
    func build() throws {
        let expected = [
            #"{"signatures":[{"#,
            #""keyid":"6e20151de767fc586ece5c4c667801396eb6ec68a0485bcd4c810b1c637b7c1d","#,
            #""sig":"2907dbcf18149c337f6c8e83ce62dda348adbbb852c1ad0009f3c56a07ed9924106774f"#,
            #"295a248abc828adcbfcf965ad3548c1d6b3d5aa8abf558cf89d354d01"}],"signed":{"#,
            #""_type":"targets","expires":"2027-01-01T00:00:00Z","spec_version":"1.0.34","#,
            #""targets":{"modules/0011223344556677/1.wasm":{"custom":{"deltas":[],"#,
            #""notes":"a \"quoted\" line\u000aand ünïcode","sequence":3},"hashes":{"#,
            #""sha256":"6150e4ce733e2d6dcb08d247325a76fdb494b49c7256563cac3e9677a4dabb14"},"#,
            #""length":10}},"version":1,"x_openpatch":{"role":"build-0011223344556677"}}}"#,
        ]
        #expect(try text("1.build-0011223344556677.json") == expected.joined())
    }

    @Test("snapshot as published")
    func snapshot() throws {
        let expected = [
            #"{"signatures":[{"#,
            #""keyid":"00a9eba8517a56d85faafade356e9136a68dec1c17a5ba46d5364144afc53865","#,
            #""sig":"bb6cb7ed9be38b50f183b54278a517c378a7d3cb97f7fe95ef6c5e578e433bea938292e"#,
            #"53e643b1d37656f533e7d983dc9a4b9629071c18831842aa239522302"}],"signed":{"#,
            #""_type":"snapshot","expires":"2026-01-08T00:00:00Z","meta":{"#,
            #""build-0011223344556677.json":{"version":1},"targets.json":{"version":1}},"#,
            #""spec_version":"1.0.34","version":1}}"#,
        ]
        #expect(try text("1.snapshot.json") == expected.joined())
    }

    @Test("timestamp as published")
    func timestamp() throws {
        let expected = [
            #"{"signatures":[{"#,
            #""keyid":"00a9eba8517a56d85faafade356e9136a68dec1c17a5ba46d5364144afc53865","#,
            #""sig":"7741db6214677c43d40357f64e677c798caef2b304688044025c575c2fd6c18418b06ec"#,
            #"aac473a1523ff40ad6810016b673d90e1df5df0280640fe51275b8202"}],"signed":{"#,
            #""_type":"timestamp","expires":"2026-01-08T00:00:00Z","meta":{"snapshot.json":{"#,
            #""hashes":{"#,
            #""sha256":"67cf3c0a96a3673affc911e9540c7d2dd65670d3a6c86a9f9dcfe8343f5dad46"},"#,
            #""length":411,"version":1}},"spec_version":"1.0.34","version":1}}"#,
        ]
        #expect(try text("timestamp.json") == expected.joined())
    }
}
