import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TUFRepository
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// The server's ops key restricts, and does no more.
@Suite struct BrakeTests {
    let fixture: EngineFixture
    let one = EngineFixture.digest("one")
    let two = EngineFixture.digest("two")

    /// A device that runs release 1 and has nothing newer yet.
    init() async throws {
        fixture = try EngineFixture()
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
        try await fixture.update()
    }

    var app: PublishedApp { fixture.app }

    func rollOutTwo(to grant: Int = 10_000) throws {
        try app.add(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        try app.setHead {
            $0.candidate = Candidate(digest: two, grant: grant, salt: "s")
            $0.returnable = [one]
        }
    }

    func makeTwoStable() throws {
        try app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        try app.setHead { $0.returnable = [one] }
    }

    func running() async throws -> String? {
        try await fixture.engine.open().current?.version
    }

    // MARK: What a brake does (S08)

    @Test("S08: a halt by the ops key keeps a candidate from everybody else, a lift lets it go on")
    func S08_halt() async throws {
        try rollOutTwo()
        try app.setBrake { $0.halted = true }
        let check = try await fixture.engine.check()
        #expect(!check.isUpdate)
        #expect(check.decision.excluded.map(\.reason) == [.halted])
        try app.setBrake { $0.halted = false }
        try await fixture.update()
        #expect(try await running() == "1.2")
    }

    @Test("S08: a recall by the ops key makes a device leave at once")
    func S08_recall() async throws {
        try makeTwoStable()
        try await fixture.update()
        #expect(try await running() == "1.2")
        try app.setBrake { $0.recalled = [two] }
        let check = try await fixture.engine.check()
        #expect(check.decision.reason == .recalled && check.decision.isMandatory)
        try await fixture.update()
        #expect(try await running() == nil)
    }

    @Test("S08: a brake returns devices to a release that the head calls returnable")
    func S08_returns() async throws {
        try makeTwoStable()
        try await fixture.update()
        fixture.server.forgetRequests()
        try app.setBrake { $0.returnTo = one }
        try await fixture.update()
        #expect(try await running() == "1.1")
        #expect(
            !fixture.server.requests.contains { $0.contains("/modules/") },
            "the earlier release is on the disk")
        #expect(try await !fixture.engine.check().isUpdate)
    }

    @Test("S08: a brake sends devices back to what the app shipped with")
    func S08_embedded() async throws {
        try app.setBrake { $0.kind = .embedded }
        try await fixture.update()
        #expect(try await running() == nil)
        #expect(try await !fixture.engine.check().isUpdate)
        try app.setBrake { $0.kind = .run }
        try await fixture.update()
        #expect(try await running() == "1.1")
    }

    @Test("a cap of nothing keeps a fully granted candidate from everybody")
    func cap() async throws {
        try rollOutTwo()
        try app.setBrake { $0.caps = [two: 0] }
        let check = try await fixture.engine.check()
        #expect(check.decision.excluded.map(\.reason) == [.outsideRollout])
    }

    @Test("what was staged is dropped when a brake halts it")
    func halfWay() async throws {
        try rollOutTwo()
        #expect(try await fixture.engine.fetch() != nil)
        try app.setBrake { $0.halted = true }
        fixture.restart()
        _ = try await fixture.engine.check()
        #expect(try await fixture.engine.open().staged == nil)
    }

    @Test("a brake comes into effect within one check of a running app")
    func withinOneCheck() async throws {
        try rollOutTwo()
        _ = try await fixture.engine.check()
        try app.setBrake { $0.halted = true }
        #expect(try await !fixture.engine.check().isUpdate)
    }

    // MARK: What a brake cannot do (S07)

    @Test("S07: the ops key cannot list a release")
    func S07_newDigest() async throws {
        try app.setBrake { _ in }
        let path = "modules/\(PublishedApp.fingerprint.prefix(16))/9.9.wasm"
        #expect(throws: TUFError.self, "the writer refuses it") {
            var editor = app.editor
            try editor.setBrakes(
                [TargetFile(path: path, contents: [])], signers: [app.opsSigner], at: app.now)
        }
        // A thief signs it without the writer, and a head beside it.
        let evil = EngineFixture.payload("evil")
        let head = "heads/production/module/\(PublishedApp.fingerprint.prefix(16)).json"
        try app.forgeBrakes([
            TargetFile(path: path, contents: evil), TargetFile(path: head, contents: evil),
        ])
        let check = try await fixture.engine.check()
        #expect(!check.isUpdate && check.decision.reason == .upToDate)
    }

    @Test("S07: the ops key cannot return devices to a release that the head does not offer")
    func S07_notReturnable() async throws {
        let three = try app.add(EngineFixture.payload("three"), version: "1.3", sequence: 3)
        try app.setBrake { $0.returnTo = three }
        #expect(try await !fixture.engine.check().isUpdate)
    }

    @Test("S07: a cap above the grant of the head raises nothing")
    func S07_percentUp() async throws {
        try rollOutTwo(to: 0)
        try app.setBrake { $0.caps = [two: 10_000] }
        let check = try await fixture.engine.check()
        #expect(check.decision.excluded.map(\.reason) == [.outsideRollout])
    }

    @Test("S07: a brake that names a floor lowers none")
    func S07_floorDown() async throws {
        try app.editRoot { $0.openPatch?.minSequence = 2 }
        try app.setBrake(
            Array(
                """
                {"v":1,"app_id":"\(PublishedApp.appID)","platform":"linux","channel":"production",\
                "brake_seq":7,"caps":{},"halted":false,"recalled":[],"kind":"run",\
                "min_sequence":0,"floor":0}
                """.utf8))
        #expect(try await fixture.engine.check().decision.reason == .belowFloor)
    }

    @Test(
        "brakes signed by any other key of the repository are refused, and nothing new is taken",
        arguments: [\PublishedApp.freshnessSigner, \.releaseSigner, \.rootSigner])
    func otherKeys(_ signer: KeyPath<PublishedApp, TUFSigner> & Sendable) async throws {
        try app.setBrake { $0.halted = false }
        try rollOutTwo()
        try app.forgeBrakes([], signer: app[keyPath: signer])
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .metadataInvalid)
        #expect(try await running() == "1.1")
    }

    @Test("a brake for another app, platform or channel brakes nothing here")
    func foreign() async throws {
        try rollOutTwo()
        let changes: [(inout Brake) -> Void] = [
            { $0.appID = "another" }, { $0.platform = "ios" }, { $0.channel = "beta" },
        ]
        for change in changes {
            try app.setBrake {
                $0 = Brake(
                    appID: PublishedApp.appID, platform: "linux", channel: "production",
                    brakeSequence: $0.brakeSequence, halted: true, kind: .embedded)
                change(&$0)
            }
            #expect(try await fixture.engine.check().decision.reason == .updateCandidate)
        }
    }

    // MARK: Damage and absence

    @Test(
        "a brake that cannot be read takes nothing new",
        arguments: ["", "[]", "{\"v\":1}", "{\"v\":2}", "{\"a\":1,\"a\":1}"])
    func malformed(_ text: String) async throws {
        try app.setBrake { _ in }
        try rollOutTwo()
        try app.setBrake(Array(text.utf8))
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .brakeMalformed)
        #expect(try await running() == "1.1")
    }

    @Test("a recall by the head is obeyed although the brake cannot be read")
    func damagedBrakeHidesNoRecall() async throws {
        try app.setBrake { _ in }
        try app.setHead {
            $0.stable = nil
            $0.recalled = [one]
        }
        try app.setBrake(Array("{".utf8))
        try await fixture.update()
        #expect(try await running() == nil)
    }

    @Test("a mirror that withholds the brake stops updates and is found out")
    func withheld() async throws {
        try rollOutTwo()
        try app.setBrake { $0.halted = true }
        for part in ["brakes.json", "/brakes/"] {
            try fixture.server.setFaults([part: .status(404)])
            fixture.restart()
            let reason = await fixture.failure { _ = try await fixture.engine.check() }
            #expect(reason == .serverRefused)
            #expect(try await running() == "1.1")
        }
        try fixture.server.setFaults([:])
        #expect(try await !fixture.engine.check().isUpdate)
    }

    @Test("brakes that are delegated to but never signed brake nothing")
    func unsigned() async throws {
        try rollOutTwo()
        try app.delegateBrakes()
        try await fixture.update()
        #expect(try await running() == "1.2")
    }

    @Test("an older brake than one that was seen is rejected, though its metadata is newer")
    func goesBack() async throws {
        try app.setBrake { $0.brakeSequence = 9 }
        _ = try await fixture.engine.check()
        try rollOutTwo()
        try app.setBrake { $0.brakeSequence = 3 }
        #expect(try await fixture.engine.check().decision.reason == .brakeRejected)
        try app.setBrake { $0.brakeSequence = 10 }
        #expect(try await fixture.engine.check().isUpdate)
    }

    @Test("a thief of the ops key who counted to the end is forgotten with his key")
    func countedToTheEnd() async throws {
        try app.setBrake { $0.brakeSequence = 1 << 53 }
        _ = try await fixture.engine.check()
        try app.replaceOpsKey(TUFSigner(try SigningKey.generate()))
        try rollOutTwo()
        try app.setBrake { $0.brakeSequence = 2 }
        #expect(try await fixture.engine.check().isUpdate)
    }

    @Test("a replaced ops key signs nothing any more")
    func replacedOpsKey() async throws {
        try app.setBrake { _ in }
        let thief = app.opsSigner
        try app.replaceOpsKey(TUFSigner(try SigningKey.generate()))
        #expect(try await !fixture.engine.check().isUpdate)
        try app.forgeBrakes([], signer: thief)
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .metadataInvalid)
    }

    // MARK: Expired metadata may still restrict

    /// Everything as it was `days` ago, so that what is shorter lived has expired.
    func publishedLongAgo(_ days: Int, _ publish: () throws -> Void) throws {
        let now = app.now
        app.now = now.adding(days: -days)
        try publish()
        app.now = now
    }

    @Test("P62: expired metadata introduces no release, and says so")
    func expiredTakesNothing() async throws {
        try publishedLongAgo(8) { try rollOutTwo() }
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .metadataExpired)
        #expect(try await running() == "1.1")
        let decision = try #require(await fixture.engine.lastDecision)
        #expect(decision.target == .current && decision.reason == .metadataExpired)
    }

    @Test("expired metadata still recalls what runs")
    func expiredRecall() async throws {
        try publishedLongAgo(8) { try app.setBrake { $0.recalled = [one] } }
        try await fixture.update()
        #expect(try await running() == nil)
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .metadataExpired)
    }

    @Test("expired metadata still halts what was downloaded and not yet activated")
    func expiredHalt() async throws {
        try rollOutTwo()
        #expect(try await fixture.engine.fetch() != nil)
        try publishedLongAgo(8) { try app.setBrake { $0.halted = true } }
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .metadataExpired)
        #expect(try await fixture.engine.open().staged == nil)
    }

    @Test("what was downloaded before stays staged when metadata expires without a word on it")
    func expiredKeepsStaged() async throws {
        try rollOutTwo()
        #expect(try await fixture.engine.fetch() != nil)
        fixture.clock.advance(by: 8 * 86400)
        _ = await fixture.failure { _ = try await fixture.engine.check() }
        #expect(try await fixture.engine.open().staged != nil)
    }

    @Test("expired metadata returns devices to what they hold, and to nothing that they do not")
    func expiredReturn() async throws {
        try makeTwoStable()
        try await fixture.update()
        try publishedLongAgo(8) { try app.setBrake { $0.returnTo = one } }
        try await fixture.update()
        #expect(try await running() == "1.1")
    }

    @Test("brakes that were left to expire stop new releases until they are signed again")
    func expiredBrakes() async throws {
        try publishedLongAgo(31) { try app.setBrake { _ in } }
        try rollOutTwo()
        let error = await #expect(throws: UpdateError.self) { _ = try await fixture.engine.check() }
        #expect(error?.reason == .metadataExpired && error?.context.contains("brakes") == true)
        try app.setBrake { _ in }
        #expect(try await fixture.engine.check().isUpdate)
    }

    @Test("S17: with a clock ten years ahead nothing new is taken, and halts are still obeyed")
    func S17_clockAhead() async throws {
        try rollOutTwo()
        fixture.clock.advance(by: 3650 * 86400)
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .clockSkew)
        #expect(try await running() == "1.1")
        try app.setBrake { $0.recalled = [one] }
        try await fixture.update()
        #expect(try await running() == nil)
    }
}
