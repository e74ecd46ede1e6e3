import Foundation
import Rollout
import RolloutGates
import TUF
import TestSupport
import Testing

@testable import UpdateEngine

/// Statements are written by one piece of code and read by another; both must mean the same.
@Suite struct StatementTests {
    private static func json(_ document: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: [UInt8](try JSONEncoder().encode(document)))
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        ["", "a", "é\u{1F600}", "\"\\/\n", String(repeating: "0f", count: 32)]
            .randomElement(using: &random) ?? ""
    }

    private static func texts(_ random: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0..<3, using: &random)).map { _ in text(&random) }
    }

    private static func number(_ random: inout SeededGenerator) -> Int {
        [0, 1, -1, 10_000, 1 << 53, .max, .min].randomElement(using: &random) ?? 0
    }

    private static func maybe<Value>(
        _ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Value
    ) -> Value? { Bool.random(using: &random) ? value(&random) : nil }

    private static func head(_ random: inout SeededGenerator) -> Head {
        let candidate = maybe(&random) { random -> Candidate in
            var candidate = Candidate(
                digest: text(&random), grant: number(&random), salt: text(&random),
                stages: (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    Stage(grant: number(&random), seconds: number(&random))
                },
                require: Requirement(
                    minimumSystem: maybe(&random, text), maximumSystem: maybe(&random, text),
                    minimumApp: maybe(&random, text), maximumApp: maybe(&random, text),
                    tags: maybe(&random, texts), cohorts: maybe(&random, texts)))
            candidate.haltedGrant = maybe(&random, number)
            candidate.retract = maybe(&random) { Bool.random(using: &$0) }
            return candidate
        }
        return Head(
            appID: text(&random), platform: text(&random), channel: text(&random),
            fingerprint: text(&random), kind: Bool.random(using: &random) ? .run : .embedded,
            headSequence: number(&random), stable: maybe(&random, text), candidate: candidate,
            returnable: texts(&random), recalled: texts(&random),
            mandatorySince: maybe(&random, number), applyBy: maybe(&random, text),
            dataEpoch: number(&random), retryGeneration: number(&random))
    }

    private static func brake(_ random: inout SeededGenerator) -> Brake {
        Brake(
            appID: text(&random), platform: text(&random), channel: text(&random),
            brakeSequence: number(&random), caps: [text(&random): number(&random)],
            halted: .random(using: &random), recalled: texts(&random),
            returnTo: maybe(&random, text), kind: Bool.random(using: &random) ? .run : .embedded)
    }

    private static func release(_ random: inout SeededGenerator) -> Release {
        Release(
            appID: text(&random), platform: text(&random), kind: text(&random),
            version: text(&random), sequence: number(&random), fingerprint: text(&random),
            abi: number(&random),
            needs: texts(&random).map { SurfaceNeed(id: $0, sig: $0) },
            capabilities: texts(&random), appTargets: texts(&random),
            dataEpoch: number(&random), mandatory: .random(using: &random),
            notes: maybe(&random, text), commit: maybe(&random, text),
            raw: RawPayload(sha256: text(&random), size: number(&random)),
            encoding: PayloadEncoding(rawValue: text(&random)),
            deltas: texts(&random).map { DeltaReference(from: $0, path: $0) })
    }

    @Test("what publishers write is read as they meant it")
    func roundTrips() throws {
        var random = SeededGenerator()
        for _ in 0..<300 {
            let (head, brake) = (Self.head(&random), Self.brake(&random))
            let release = Self.release(&random)
            #expect(try Head(json: try Self.json(head)) == head, "\(random)")
            #expect(try Brake(json: try Self.json(brake)) == brake, "\(random)")
            #expect(try Release(json: try Self.json(release)) == release, "\(random)")
        }
    }

    @Test("a member that is added to a statement must be read here, too")
    func noneForgotten() {
        var random = SeededGenerator()
        func members(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
        #expect(members(Self.head(&random)) == 15)
        #expect(members(Candidate(digest: "", grant: 0, salt: "")) == 7)
        #expect(members(Stage(grant: 0, seconds: 0)) == 2)
        #expect(members(Requirement()) == 6)
        #expect(members(Self.brake(&random)) == 10)
        #expect(members(Self.release(&random)) == 18)
    }

    @Test("a statement with a member less, or of another type, is read as before or not at all")
    func sameRefusals() throws {
        var random = SeededGenerator()
        func agree<Statement: Decodable & Equatable>(
            _ json: JSONValue, _ read: (JSONValue) throws -> Statement
        ) throws {
            guard case .object(let members) = json else { return }
            for name in members.keys {
                for other in [nil, JSONValue.null, 5, "x", [], [:], ["x"], true] {
                    var changed = members
                    changed[name] = other
                    let document = JSONValue.object(changed)
                    let ours = try? read(document)
                    let theirs = try? JSONDecoder().decode(
                        Statement.self, from: Data(document.encoded()))
                    #expect(ours == theirs, "\(name) = \(String(describing: other)), \(random)")
                }
            }
        }
        for _ in 0..<5 {
            try agree(try Self.json(Self.head(&random))) { try Head(json: $0) }
            try agree(try Self.json(Self.brake(&random))) { try Brake(json: $0) }
            try agree(try Self.json(Self.release(&random))) { try Release(json: $0) }
        }
    }
}
