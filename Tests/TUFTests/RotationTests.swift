import PatchCrypto
import TestSupport
import Testing

@testable import TUF
@testable import TUFRepository

/// Which roots follow which, against the rule of the specification (§5.3.4) written out as a count.
@Suite("Key rotation")
struct RotationTests {
    private let now = RepositorySimulator.start
    private static let signers =
        (try? (0..<4).map { _ in TUFSigner(try SigningKey.generate()) }) ?? []

    private struct Plan {
        let keys: Set<Int>
        let threshold: Int

        /// Whether `signed` are enough of the plan's keys.
        func isMet(by signed: Set<Int>) -> Bool { keys.intersection(signed).count >= threshold }
    }

    private func root(_ version: Int, _ plan: Plan, signed: Set<Int>) throws -> [UInt8] {
        var root = Root(
            header: MetadataHeader(version: version, expires: now.adding(days: 1)), keys: [],
            roles: [:])
        let keys = plan.keys.sorted().map { Self.signers[$0].key }
        root.setKeys(keys, threshold: plan.threshold, of: .root)
        for role in [TopLevelRole.timestamp, .snapshot, .targets] {
            root.setKeys([Self.signers[0].key], of: role)
        }
        let signers = signed.sorted().map { Self.signers[$0] }
        return try SignedMetadata(root, signers: signers).encoded()
    }

    private static func subsets(of count: Int) -> [Set<Int>] {
        (0..<(1 << count)).map { bits in Set((0..<count).filter { bits >> $0 & 1 == 1 }) }
    }

    @Test("of all roots over three keys exactly those follow that both sides sign")
    func exhaustive() throws {
        let sets = Self.subsets(of: 3)
        let plans = sets.filter { !$0.isEmpty }.flatMap { keys in
            (1...keys.count).map { Plan(keys: keys, threshold: $0) }
        }
        var accepted = 0
        for old in plans {
            let first = try root(1, old, signed: old.keys)
            let set = try TrustedMetadataSet(trustedRoot: first, at: now)
            for new in plans {
                // One signature set that fits neither side in general, and those at the edge.
                for signed in sets where signed.count <= 2 || signed == old.keys.union(new.keys) {
                    var trial = set
                    let isAccepted =
                        (try? trial.updateRoot(try root(2, new, signed: signed))) != nil
                    let expected = old.isMet(by: signed) && new.isMet(by: signed)
                    #expect(isAccepted == expected, "\(old) → \(new) by \(signed)")
                    #expect(trial.root.signed.version == (expected ? 2 : 1))
                    if expected { accepted += 1 }
                }
            }
        }
        #expect(accepted > 100)
    }

    @Test("random chains over four keys stop exactly where a root is not signed by both sides")
    func chains() throws {
        var generator = SeededGenerator()
        let sets = Self.subsets(of: 4)
        for _ in 0..<60 {
            func plan() -> Plan {
                let keys = sets.filter { !$0.isEmpty }.randomElement(using: &generator) ?? [0]
                return Plan(
                    keys: keys, threshold: Int.random(in: 1...keys.count, using: &generator))
            }
            var current = plan()
            var version = 1
            var set = try TrustedMetadataSet(
                trustedRoot: root(1, current, signed: current.keys), at: now)
            for _ in 0..<6 {
                let next = plan()
                // Mostly enough signatures, now and then any.
                let signed =
                    Bool.random(using: &generator)
                    ? current.keys.union(next.keys) : sets.randomElement(using: &generator) ?? []
                let isAccepted =
                    (try? set.updateRoot(try root(version + 1, next, signed: signed))) != nil
                let expected = current.isMet(by: signed) && next.isMet(by: signed)
                #expect(isAccepted == expected, "\(generator)")
                guard isAccepted else { continue }
                version += 1
                current = next
            }
            #expect(set.root.signed.version == version)
        }
    }

    @Test("every other role follows the keys of the root that is trusted now, for each kind")
    func otherRoles() async throws {
        for role in [TopLevelRole.timestamp, .snapshot, .targets] {
            let repository = try RepositorySimulator()
            let device = try await Device(repository)
            try await device.updater.refresh()
            let old = role == .targets ? repository.releaseKey : repository.freshnessKey
            let new = TUFSigner(try SigningKey.generate(role == .snapshot ? .p384 : .p256))
            func freshness(_ signer: TUFSigner) -> [TUFSigner] {
                role == .targets ? [repository.freshnessKey] : [repository.freshnessKey, signer]
            }
            // Root names the new key; the role is signed by the old one still.
            try await repository.publish(freshness: freshness(new)) { editor in
                try editor.editRoot(signers: [repository.rootKey], at: now) {
                    $0.setKeys([new.key], of: role)
                }
                if role == .targets { try editor.editTargets(signers: [new], at: now) }
            }
            let state = await repository.state
            let name =
                switch role {
                case .timestamp: "timestamp.json"
                case .snapshot: "2.snapshot.json"
                default: "3.targets.json"
                }
            let good = try #require(state[name])
            let signed = try #require(try JSONValue(parsing: good)["signed"])
            let signature = try old.sign(CanonicalJSON.encode(signed))
            let bad: JSONValue = [
                "signed": signed,
                "signatures": [
                    ["keyid": .string(signature.keyID), "sig": .string(signature.signature)]
                ],
            ]
            await repository.serve(name, bad.encoded())
            let failure = await code { try await device.updater.refresh() }
            // The snapshot's bytes are pinned by the timestamp, so another signature is another
            // file.
            #expect(
                failure == (role == .snapshot ? "metadata_too_large" : "signatures_insufficient")
                    || (role == .snapshot && failure == "metadata_length_mismatch")
                    || (role == .snapshot && failure == "metadata_hash_mismatch"),
                "\(role): \(failure ?? "accepted")")
            await repository.restore(state)
            try await device.updater.refresh()
            #expect(await device.updater.trusted?.root.signed.version == 2)
        }
    }

    @Test("root, timestamp and snapshot keys may all be of different kinds")
    func mixedKinds() async throws {
        let repository = try RepositorySimulator()
        let root = TUFSigner(try SigningKey.generate(.p384))
        let fresh = TUFSigner(try SigningKey.generate(.p256))
        try await repository.publish(freshness: [fresh]) { editor in
            try editor.editRoot(signers: [repository.rootKey, root], at: now) {
                $0.setKeys([root.key, repository.rootKey.key], threshold: 2, of: .root)
                $0.setKeys([fresh.key], of: .snapshot)
                $0.setKeys([fresh.key], of: .timestamp)
            }
        }
        let device = try await Device(repository)
        try await device.updater.refresh()
        #expect(try await device.updater.target(RepositorySimulator.module) != nil)
        await #expect(throws: TUFError.self) {
            try await repository.publish(freshness: [fresh]) {
                try $0.editRoot(signers: [root], at: now) { _ in }
            }
        }
    }
}
