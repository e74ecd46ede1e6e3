import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

/// Documents with one thing wrong, signed all the same, shown to us and to python-tuf.
@Suite("Against python-tuf, document by document")
struct DifferentialTests {
    private static let strange: [JSONValue] = [
        nil, true, false, 0, 1, -1, 7, .integer(1 << 53), "", "x", "root", "2030-01-01T00:00:00Z",
        "1.0.31", "2.0", [], [:], [1], ["a"], ["a": 1], [[:]],
    ]

    /// `value` with the place number `index` replaced, removed or doubled.
    private func mutated(
        _ value: JSONValue, at index: Int, using generator: inout SeededGenerator
    ) -> JSONValue {
        var left = index
        let new = Self.strange.randomElement(using: &generator) ?? nil
        let removes = Int.random(in: 0..<4, using: &generator) == 0
        func walk(_ value: JSONValue) -> JSONValue? {
            defer { left -= 1 }
            if left == 0 { return removes ? nil : new }
            left -= 1
            defer { left += 1 }
            switch value {
            case .array(let elements): return .array(elements.compactMap { walk($0) })
            case .object(let members):
                var result: [String: JSONValue] = [:]
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    result[name] = walk(member)
                }
                return .object(result)
            default: return value
            }
        }
        return walk(value) ?? nil
    }

    private func hasUnusableKey(_ line: String) throws -> Bool {
        let parts = line.split(separator: " ")
        guard parts.first == "targets" else { return false }
        let document = try SignedMetadata<Targets>(parsing: try #require(Hex.decode(parts[1])))
        return document.signed.delegations?.keys.values.contains { $0.verifyingKey == nil } ?? false
    }

    @Test("what we accept, it accepts; what it refuses, we refuse")
    func acceptance() async throws {
        var generator = SeededGenerator()
        let repository = try RepositorySimulator(at: .now)
        let editor = await repository.editor
        let root = editor.root.encoded()
        let release = repository.releaseKey
        let fresh = repository.freshnessKey
        // Timestamp and snapshot by versions alone, so that changed documents get as far as their
        // contents.
        var plain = try #require(editor.timestamp).signed
        plain.snapshot = MetaFile(version: 1)
        let timestamp = try SignedMetadata(plain, signers: [fresh])
        let snapshot = try #require(editor.snapshot)
        let targets = try #require(editor.targets)
        let documents: [(role: String, json: JSONValue, signer: TUFSigner)] = [
            ("timestamp", timestamp.signed.json, fresh), ("snapshot", snapshot.signed.json, fresh),
            ("targets", targets.signed.json, release),
        ]
        let folder = try TemporaryDirectory("differential")
        var lines: [String] = []
        var ours: [String?] = []
        for round in 0..<240 {
            let (role, json, signer) = documents[round % documents.count]
            let signed = mutated(
                json, at: Int.random(in: 1..<40, using: &generator), using: &generator)
            let signature = try signer.sign(CanonicalJSON.encode(signed))
            let document: JSONValue = [
                "signed": signed,
                "signatures": [
                    ["keyid": .string(signature.keyID), "sig": .string(signature.signature)]
                ],
            ]
            lines.append("\(role) \(document.encoded().hex)")
            ours.append(
                await code {
                    var set = try TrustedMetadataSet(trustedRoot: root, at: .now)
                    try set.updateTimestamp(
                        role == "timestamp" ? document.encoded() : timestamp.encoded())
                    if role == "timestamp" { return }
                    try set.updateSnapshot(
                        role == "snapshot" ? document.encoded() : snapshot.encoded())
                    if role == "snapshot" { return }
                    try set.updateTargets(document.encoded())
                })
        }
        try folder.write(lines.joined(separator: "\n"), to: "cases")
        try folder.write(root.hex, to: "root")
        try folder.write(timestamp.encoded().hex, to: "timestamp")
        try folder.write(snapshot.encoded().hex, to: "snapshot")
        let script = """
            from tuf.api.exceptions import RepositoryError
            from tuf.ngclient._internal.trusted_metadata_set import TrustedMetadataSet
            from tuf.ngclient.config import EnvelopeType
            known = {name: bytes.fromhex(open(name).read())
                     for name in ("root", "timestamp", "snapshot")}
            for line in open("cases"):
                role, data = line.split()
                data = bytes.fromhex(data)
                trusted = TrustedMetadataSet(known["root"], EnvelopeType.METADATA)
                try:
                    trusted.update_timestamp(data if role == "timestamp" else known["timestamp"])
                    if role != "timestamp":
                        trusted.update_snapshot(data if role == "snapshot" else known["snapshot"])
                    if role == "targets":
                        trusted.update_targets(data)
                    print("accepted")
                except RepositoryError as error:
                    print("refused", type(error).__name__)
                except Exception as error:  # a crash of theirs counts as a refusal
                    print("refused", type(error).__name__)
            """
        try folder.write(script, to: "script.py")
        let run = try ChildProcess.run(Tools.python, ["script.py"], in: folder.url)
        #expect(run.status == 0, "\(run.standardError)")
        let theirs = run.standardOutput.split(separator: "\n").map(String.init)
        try #require(theirs.count == ours.count)
        var both = 0
        for (index, answer) in theirs.enumerated() {
            if ours[index] == nil {
                // A key of a kind to come is kept, and counts for nothing (ThresholdTests).
                if answer != "accepted", try hasUnusableKey(lines[index]) { continue }
                #expect(
                    answer == "accepted",
                    "we accept what python-tuf refuses (\(answer)): \(lines[index]); \(generator)")
                both += 1
            } else if answer == "accepted" {
                // We are the stricter one, by design, in form only.
                #expect(
                    ["metadata_malformed", "json_number_refused", "metadata_wrong_role"].contains(
                        ours[index] ?? ""),
                    "case \(index): \(ours[index] ?? ""); \(generator)")
            }
        }
        #expect(both > 5 && both < ours.count, "\(generator)")
    }
}
