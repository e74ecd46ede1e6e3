import PatchCrypto
import Testing

@testable import TUF

/// Every member that the specification demands, taken away or made another kind, one at a time.
@Suite("Members of metadata")
struct FieldTests {
    private static let key: JSONValue = [
        "keytype": "ed25519", "scheme": "ed25519",
        "keyval": ["public": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"],
    ]
    private static let header: [String: JSONValue] = [
        "spec_version": "1.0.31", "version": 3, "expires": "2030-01-02T03:04:05Z",
    ]

    private static func document(_ type: String, _ members: [String: JSONValue]) -> JSONValue {
        .object(header.merging(members) { $1 }.merging(["_type": .string(type)]) { $1 })
    }

    private static let role: JSONValue = ["keyids": ["k"], "threshold": 1]

    static let samples: [String: JSONValue] = [
        "root": document(
            "root",
            [
                "consistent_snapshot": true, "keys": ["k": key],
                "roles": ["root": role, "timestamp": role, "snapshot": role, "targets": role],
                "x_openpatch": ["app_id": "a", "min_sequence": 1, "min_targets_version": 2],
            ]),
        "timestamp": document(
            "timestamp",
            [
                "meta": [
                    "snapshot.json": ["version": 4, "length": 5, "hashes": ["sha256": "00"]]
                ]
            ]),
        "snapshot": document(
            "snapshot", ["meta": ["targets.json": ["version": 6], "a.json": ["version": 1]]]),
        "targets": document(
            "targets",
            [
                "targets": [
                    "a/b": ["length": 7, "hashes": ["sha256": "00"], "custom": ["x": [1, "y"]]]
                ],
                "delegations": [
                    "keys": ["k": key],
                    "roles": [
                        [
                            "name": "a", "keyids": ["k"], "threshold": 1, "terminating": true,
                            "paths": ["a/*"],
                        ]
                    ],
                ],
                "x_openpatch": ["role": "targets"],
            ]),
    ]

    private func read(_ type: String, _ json: JSONValue) throws -> JSONValue {
        switch type {
        case "root": try Root(json: json).json
        case "timestamp": try Timestamp(json: json).json
        case "snapshot": try Snapshot(json: json).json
        default: try Targets(json: json).json
        }
    }

    /// `value` with the member at `path` replaced, or removed for nil. Numbers index arrays.
    private func replacing(
        _ value: JSONValue, _ path: ArraySlice<String>, _ new: JSONValue?
    ) -> JSONValue {
        guard let first = path.first else { return new ?? .null }
        let rest = path.dropFirst()
        if case .array(var elements) = value, let index = Int(first) {
            if rest.isEmpty, new == nil {
                elements.remove(at: index)
            } else {
                elements[index] = replacing(elements[index], rest, new)
            }
            return .array(elements)
        }
        guard case .object(var members) = value else { return value }
        if rest.isEmpty, new == nil {
            members[first] = nil
        } else {
            members[first] = replacing(members[first] ?? .null, rest, new)
        }
        return .object(members)
    }

    private func code(_ type: String, _ path: String, _ new: JSONValue?) -> String? {
        let parts = path.split(separator: ">").map(String.init)
        let json = replacing(Self.samples[type] ?? .null, parts[...], new)
        do {
            _ = try read(type, json)
            return nil
        } catch { return (error as? TUFError)?.code ?? "other" }
    }

    @Test(
        "the samples themselves are read and written back equal", arguments: samples.keys.sorted())
    func samplesAreGood(type: String) throws {
        let json = try #require(Self.samples[type])
        #expect(try read(type, json) == json)
    }

    static let required: [(String, [String])] = [
        (
            "root",
            [
                "_type", "spec_version", "version", "expires", "keys", "roles", "roles>root",
                "roles>timestamp", "roles>snapshot", "roles>targets", "roles>root>keyids",
                "roles>root>threshold", "keys>k>keytype", "keys>k>scheme", "keys>k>keyval",
                "x_openpatch>app_id", "x_openpatch>min_sequence", "x_openpatch>min_targets_version",
            ]
        ),
        (
            "timestamp",
            [
                "_type", "spec_version", "version", "expires", "meta", "meta>snapshot.json",
                "meta>snapshot.json>version",
            ]
        ),
        (
            "snapshot",
            ["_type", "spec_version", "version", "expires", "meta", "meta>targets.json>version"]
        ),
        (
            "targets",
            [
                "_type", "spec_version", "version", "expires", "targets", "targets>a/b>length",
                "targets>a/b>hashes", "delegations>keys", "delegations>roles>0>name",
                "delegations>roles>0>keyids", "delegations>roles>0>threshold",
                "delegations>roles>0>paths", "x_openpatch>role",
            ]
        ),
    ]

    @Test("no demanded member may be absent, null or of another kind", arguments: required)
    func demanded(type: String, paths: [String]) {
        for path in paths {
            #expect(code(type, path, nil) == "metadata_malformed", "\(path) absent")
            #expect(code(type, path, .null) == "metadata_malformed", "\(path) null")
            #expect(code(type, path, true) == "metadata_malformed", "\(path) true")
            #expect(code(type, path, [[]]) == "metadata_malformed", "\(path) nested arrays")
        }
    }

    static let optional: [(String, [String])] = [
        ("root", ["consistent_snapshot", "x_openpatch"]),
        ("timestamp", ["meta>snapshot.json>length", "meta>snapshot.json>hashes"]),
        ("snapshot", ["meta>a.json"]),
        (
            "targets",
            ["delegations", "targets>a/b>custom", "delegations>roles>0>terminating", "x_openpatch"]
        ),
    ]

    @Test("what may be absent may be absent, and is not made up when written", arguments: optional)
    func optionalMembers(type: String, paths: [String]) throws {
        for path in paths where path != "delegations>roles>0>terminating" {
            let parts = path.split(separator: ">").map(String.init)
            let json = replacing(Self.samples[type] ?? .null, parts[...], nil)
            #expect(try read(type, json) == json, "\(path)")
        }
        for path in paths { #expect(code(type, path, nil) == nil, "\(path)") }
    }

    @Test(
        "values out of range are refused",
        arguments: [
            ("root", "version", 0), ("root", "version", -1), ("root", "roles>root>threshold", 0),
            ("root", "x_openpatch>min_sequence", -1), ("root", "expires", "2030-01-02"),
            ("root", "expires", 1), ("root", "consistent_snapshot", 1), ("root", "keys>k", 1),
            ("root", "roles>root>keyids", ["k", "k"]), ("root", "roles>root>keyids", [1]),
            ("timestamp", "meta>snapshot.json>length", -1),
            ("timestamp", "meta>snapshot.json>hashes", [:]),
            ("timestamp", "meta>snapshot.json>hashes", ["sha256": 1]),
            ("timestamp", "meta>other.json", ["version": 1]),
            ("snapshot", "meta>a.json>version", 0), ("targets", "targets>a/b>length", -1),
            ("targets", "targets>a/b>hashes", [:]), ("targets", "targets>a/b>custom", []),
            ("targets", "delegations>roles>0>name", "root"),
            ("targets", "delegations>roles>0>name", "targets"),
            ("targets", "delegations>roles>0>name", ""),
            ("targets", "delegations>roles>0>terminating", "yes"),
            ("targets", "delegations>roles>0>path_hash_prefixes", ["a"]),
            ("targets", "delegations>roles>0>paths", "a/*"),
        ] as [(String, String, JSONValue)])
    func outOfRange(type: String, path: String, value: JSONValue) {
        #expect(code(type, path, value) == "metadata_malformed")
    }

    @Test("a type other than the one asked for is refused as such")
    func types() throws {
        for type in Self.samples.keys {
            for other in Self.samples.keys where other != type {
                #expect(code(type, "_type", .string(other)) == "metadata_wrong_type")
            }
        }
    }

    @Test("two roles of one name in one delegation list are refused")
    func duplicateRoles() throws {
        let delegation = try #require(
            Self.samples["targets"]?["delegations"]?["roles"]?.array?.first)
        #expect(
            code("targets", "delegations>roles", [delegation, delegation])
                == "metadata_malformed")
    }

    @Test("the hash-bin form of TAP 15 is kept, and delegates nothing")
    func succinctRoles() throws {
        let succinct: JSONValue = [
            "keys": ["k": Self.key],
            "succinct_roles": [
                "keyids": ["k"], "threshold": 1, "bit_length": 8, "name_prefix": "bin",
            ],
        ]
        let json = replacing(Self.samples["targets"] ?? .null, ["delegations"], succinct)
        let targets = try Targets(json: json)
        #expect(targets.json == json)
        #expect(targets.delegations?.roles.isEmpty == true)
    }

    @Test("envelopes without signatures, without a signed part, or with others are told apart")
    func envelopes() throws {
        func code(_ json: JSONValue) -> String? {
            do {
                _ = try SignedMetadata<Targets>(parsing: json.encoded())
                return nil
            } catch { return (error as? TUFError)?.code }
        }
        let signed = try #require(Self.samples["targets"])
        #expect(code(["signed": signed, "signatures": []]) == nil)
        #expect(code(["signed": signed, "signatures": [], "x": 1]) == nil)
        #expect(code(["signed": signed]) == "metadata_malformed")
        #expect(code(["signatures": []]) == "metadata_malformed")
        #expect(code(["signed": signed, "signatures": [:]]) == "metadata_malformed")
        #expect(code(["signed": signed, "signatures": [["keyid": "a"]]]) == "metadata_malformed")
        #expect(
            code(["signed": signed, "signatures": [["keyid": 1, "sig": "00"]]])
                == "metadata_malformed")
        #expect(code(["signed": [], "signatures": []]) == "metadata_malformed")
        #expect(code([]) == "metadata_malformed")
        #expect(code("text") == "metadata_malformed")
        let x = try SignedMetadata<Targets>(
            parsing: (["signed": signed, "signatures": [], "x": 1] as JSONValue).encoded())
        #expect(try JSONValue(parsing: x.encoded())["x"] == 1)
    }
}
