import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

@Suite("Metadata documents")
struct MetadataTests {
    /// All documents of a small repository, by role.
    private func samples() async throws -> [String: [UInt8]] {
        let repository = try RepositorySimulator()
        try await repository.publish {
            try $0.editRoot(signers: [repository.rootKey], at: RepositorySimulator.start) { _ in }
        }
        var samples: [String: [UInt8]] = [:]
        for (name, bytes) in await repository.files {
            samples[try #require(MetadataFileName.parse(name)).role] = bytes
        }
        return samples
    }

    private func read(_ role: String, _ bytes: [UInt8]) throws -> (json: JSONValue, file: [UInt8]) {
        switch role {
        case "root":
            let document = try SignedMetadata<Root>(parsing: bytes)
            return (document.signed.json, document.encoded())
        case "timestamp":
            let document = try SignedMetadata<Timestamp>(parsing: bytes)
            return (document.signed.json, document.encoded())
        case "snapshot":
            let document = try SignedMetadata<Snapshot>(parsing: bytes)
            return (document.signed.json, document.encoded())
        default:
            let document = try SignedMetadata<Targets>(parsing: bytes)
            return (document.signed.json, document.encoded())
        }
    }

    @Test("a document that is read and written again has the same bytes")
    func roundTrip() async throws {
        for (role, bytes) in try await samples() {
            let (json, file) = try read(role, bytes)
            #expect(file == bytes, "\(role)")
            #expect(try JSONValue(parsing: bytes)["signed"] == json, "\(role)")
        }
    }

    @Test("members that nobody knows are kept at every level")
    func unknownMembers() async throws {
        /// Adds a member to every object but maps whose names mean something.
        func decorate(_ value: JSONValue, _ name: String) -> JSONValue {
            switch value {
            case .array(let elements):
                return .array(elements.map { decorate($0, name) })
            case .object(var members):
                for (key, member) in members { members[key] = decorate(member, key) }
                let maps = ["keys", "meta", "targets", "roles", "hashes", "keyval", "custom"]
                if !maps.contains(name) { members["x-note"] = ["n": 1] }
                return .object(members)
            default: return value
            }
        }
        for (role, bytes) in try await samples() {
            let decorated = decorate(try JSONValue(parsing: bytes), "")
            let (json, file) = try read(role, decorated.encoded())
            #expect(try JSONValue(parsing: file) == decorated, "\(role)")
            #expect(json == decorated["signed"], "\(role)")
        }
    }

    @Test("flipping any bit, cutting anywhere: refused with a code or equal in meaning, no crash")
    func fuzzBits() async throws {
        var generator = SeededGenerator()
        for (role, bytes) in try await samples() {
            for cut in stride(from: 0, to: bytes.count, by: 7) {
                #expect(throws: TUFError.self, "\(role) cut at \(cut)") {
                    try read(role, Array(bytes[..<cut]))
                }
            }
            for _ in 0..<1500 {
                var bad = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let index = Int.random(in: 0..<bad.count, using: &generator)
                    bad[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
                do {
                    _ = try read(role, bad)
                } catch {
                    #expect(error is TUFError, "\(role): \(error); \(generator)")
                }
            }
        }
    }

    @Test("any member replaced by a value of another kind: refused with a code, no crash")
    func fuzzValues() async throws {
        var generator = SeededGenerator()
        let strange: [JSONValue] = [
            nil, true, 0, -1, .integer(.max), .integer(.min), .integer(1 << 53), "", "\u{0}",
            "9999-99-99T99:99:99Z", [], [:], [nil], ["": nil], "../..", ["a", "a"],
        ]
        func places(_ value: JSONValue) -> Int {
            switch value {
            case .array(let elements): elements.reduce(1) { $0 + places($1) }
            case .object(let members): members.values.reduce(1) { $0 + places($1) }
            default: 1
            }
        }
        func replacing(_ value: JSONValue, _ left: inout Int, _ new: JSONValue) -> JSONValue {
            left -= 1
            if left == -1 { return new }
            switch value {
            case .array(let elements):
                return .array(elements.map { replacing($0, &left, new) })
            case .object(let members):
                var result: [String: JSONValue] = [:]
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    result[name] = replacing(member, &left, new)
                }
                return .object(result)
            default: return value
            }
        }
        for (role, bytes) in try await samples() {
            let whole = try JSONValue(parsing: bytes)
            for place in 0..<places(whole) {
                for _ in 0..<4 {
                    let new = strange[Int.random(in: 0..<strange.count, using: &generator)]
                    var left = place
                    let bad = replacing(whole, &left, new).encoded()
                    do {
                        _ = try read(role, bad)
                    } catch {
                        #expect(error is TUFError, "\(role): \(error); \(generator)")
                    }
                }
            }
        }
    }

    @Test("a changed document never verifies, whatever was changed")
    func fuzzTrust() async throws {
        let repository = try RepositorySimulator()
        let files = await repository.files
        let root = try #require(files["1.root.json"])
        let timestamp = try #require(files["timestamp.json"])
        var generator = SeededGenerator()
        let good = try JSONValue(parsing: timestamp)["signed"]
        for _ in 0..<3000 {
            var bad = timestamp
            let index = Int.random(in: 0..<bad.count, using: &generator)
            bad[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            var set = try TrustedMetadataSet(trustedRoot: root, at: RepositorySimulator.start)
            if (try? set.updateTimestamp(bad)) != nil {
                // Only a member outside the signed part may differ.
                #expect(try JSONValue(parsing: bad)["signed"] == good, "\(generator)")
            }
        }
    }

    @Test("a specification other than 1.x is refused, a later 1.x is not")
    func specVersions() throws {
        func code(_ version: JSONValue) -> String? {
            let json: JSONValue = [
                "_type": "timestamp", "spec_version": version, "version": 1,
                "expires": "2030-01-01T00:00:00Z", "meta": ["snapshot.json": ["version": 1]],
            ]
            do {
                _ = try Timestamp(json: json)
                return nil
            } catch { return (error as? TUFError)?.code }
        }
        for good: JSONValue in ["1.0", "1.0.0", "1.0.34", "1.9.9"] { #expect(code(good) == nil) }
        for bad: JSONValue in ["2.0.0", "0.9", "1", "", "1.x", "1.0.0.0", "one", "1..0", "11.0"] {
            #expect(code(bad) == "spec_version_unsupported", "\(bad)")
        }
        #expect(code(1) == "metadata_malformed")
    }

    @Test("versions of zero or less or beyond 2^53 are refused")
    func versions() throws {
        for version: Int64 in [0, -1, 1 << 53 + 1, .max] {
            let json: JSONValue = [
                "_type": "timestamp", "spec_version": "1.0", "version": .integer(version),
                "expires": "2030-01-01T00:00:00Z", "meta": ["snapshot.json": ["version": 1]],
            ]
            #expect(throws: TUFError.self) { try Timestamp(json: json) }
        }
    }

    @Test("a timestamp that describes anything but the snapshot is refused")
    func timestampMeta() {
        for meta: JSONValue in [
            [:], ["snapshot.json": ["version": 1], "x.json": ["version": 1]],
            ["targets.json": ["version": 1]], ["snapshot.json": ["version": 1, "hashes": [:]]],
            ["snapshot.json": ["version": 1, "length": -1]],
        ] {
            let json: JSONValue = [
                "_type": "timestamp", "spec_version": "1.0", "version": 1,
                "expires": "2030-01-01T00:00:00Z", "meta": meta,
            ]
            #expect(throws: TUFError.self) { try Timestamp(json: json) }
        }
    }

    @Test("every known digest must match, unknown ones are passed over unless alone")
    func digests() throws {
        let bytes = Array("data".utf8)
        let sha256 = SHA256.hash(bytes).hex
        let sha512 = HashAlgorithm.sha512.hash(bytes).hex
        func code(_ hashes: [String: String]) -> String? {
            do {
                try TargetFile(path: "x", length: 4, hashes: hashes).verify(bytes)
                return nil
            } catch { return (error as? TUFError)?.code }
        }
        #expect(code(["sha256": sha256]) == nil)
        #expect(code(["sha256": sha256.uppercased(), "sha512": sha512]) == nil)
        #expect(code(["sha256": sha256, "blake3": "00"]) == nil)
        #expect(code(["sha256": sha256, "sha512": sha256]) == "target_hash_mismatch")
        #expect(code(["sha256": String(sha256.dropLast())]) == "target_hash_mismatch")
        #expect(code(["sha256": ""]) == "target_hash_mismatch")
        #expect(code(["blake3": "00"]) == "hash_unsupported")
    }

    @Test("paths that are equal to Swift but not byte by byte are different targets")
    func normalForms() {
        let targets = Targets(
            header: MetadataHeader(version: 1, expires: RepositorySimulator.start),
            targets: [TargetFile(path: "caf\u{e9}", contents: [])])
        #expect(targets.target(at: "caf\u{e9}") != nil)
        #expect(targets.target(at: "cafe\u{301}") == nil)
    }

    @Test("errors carry a snake_case code and a sentence")
    func errors() {
        for kind in TUFError.Kind.allCases {
            #expect(kind.rawValue.allSatisfy { $0 == "_" || $0.isLowercase || $0.isNumber })
        }
        let error = TUFError(.belowFloor, role: "targets", "A sentence.")
        #expect("\(error)" == "A sentence. [below_floor]")
    }
}

@Suite("Times")
struct MetadataTimeTests {
    @Test(
        "known moments",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799),
            ("2038-01-19T03:14:08Z", 2_147_483_648), ("1969-12-31T23:59:59Z", -1),
            ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)])
    func known(text: String, seconds: Int64) {
        #expect(MetadataTime(iso8601: text)?.secondsSince1970 == seconds)
        #expect(MetadataTime(secondsSince1970: seconds).iso8601 == text)
    }

    @Test("days of eight centuries go to text and back, in step with Foundation")
    func days() throws {
        let formatter = ISO8601DateFormatter()
        // From 1601: before, Foundation counts by the Julian calendar.
        for day in stride(from: -134_774, to: 160_000, by: 13) {
            let time = MetadataTime(secondsSince1970: Int64(day) * 86400 + 3723)
            let text = time.iso8601
            #expect(MetadataTime(iso8601: text) == time)
            let date = Date(timeIntervalSince1970: TimeInterval(time.secondsSince1970))
            #expect(formatter.string(from: date) == text)
        }
    }

    @Test(
        "other forms and days that do not exist are refused",
        arguments: [
            "", "2030-01-01", "2030-01-01T00:00:00", "2030-01-01T00:00:00+00:00",
            "2030-01-01t00:00:00Z", "2030-1-1T0:0:0Z", "2030-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2030-13-01T00:00:00Z", "2030-00-01T00:00:00Z",
            "2030-01-00T00:00:00Z", "2030-01-01T24:00:00Z", "2030-01-01T00:60:00Z",
            "2030-01-01T00:00:60Z", "2030-01-01T00:00:00.5Z", "+030-01-01T00:00:00Z",
            "２030-01-01T00:00Z", "0000-01-01T00:00:00Z",
        ])
    func refused(text: String) {
        #expect(MetadataTime(iso8601: text) == nil)
    }

    @Test("arithmetic at the edges saturates instead of trapping")
    func edges() {
        let last = MetadataTime(secondsSince1970: .max)
        #expect(last.adding(seconds: 1) == last)
        #expect(last.iso8601 == "9999-12-31T23:59:59Z")
        #expect(MetadataTime(secondsSince1970: .min).iso8601 == "0001-01-01T00:00:00Z")
        #expect(MetadataTime(Date.distantFuture) > .now)
        _ = MetadataTime(Date(timeIntervalSince1970: .infinity))
        _ = MetadataTime(Date(timeIntervalSince1970: .nan))
        _ = last.adding(days: .max)
    }
}
