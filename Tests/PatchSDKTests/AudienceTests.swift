import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// Whom a device speaks for: channel, tags, tests that it joined.
@Suite struct AudienceTests {
    let fixture: AppFixture
    init() throws { fixture = try AppFixture() }

    private func digest(_ version: String) throws -> String {
        try #require(fixture.app.releases.first { $0.value.version == version }?.key)
    }

    /// A stable release for all, and a candidate for those who carry a tag.
    private func candidate(tag: String) throws {
        try fixture.release("stable", 1)
        let digest = try fixture.app.add(
            try fixture.module("tested", 2), version: "1.2", sequence: 2)
        try fixture.app.setHead {
            $0.candidate = Candidate(
                digest: digest, grant: 10_000, salt: String(repeating: "5a", count: 16),
                require: Requirement(tags: [tag]))
        }
    }

    // MARK: Tests

    @Test("P50: who joins a test runs exactly what it is about, and nobody else does")
    func P50_join() async throws {
        try candidate(tag: "qa-17")
        await fixture.launch()
        try await fixture.update()
        #expect(fixture.greeting() == "stable")
        let text = await fixture.patch.explain()
        #expect(text.contains("[requirement_unmet]"), "\(text)")

        let release = try await fixture.patch.join(
            "myapp://join?tag=qa-17&digest=\(try digest("1.2").prefix(16))")
        #expect(release?.version == "1.2")
        #expect(fixture.greeting() == "tested")
        // It stays so after a start, and another check finds nothing to do.
        #expect(await fixture.launch() == .activated("1.2"))
        #expect(try await fixture.patch.checkForUpdate() == nil)

        // The same bytes for everybody: who has tested them has nothing to download.
        let tested = try digest("1.2")
        try fixture.app.setHead {
            $0.stable = tested
            $0.candidate = nil
        }
        fixture.server.forgetRequests()
        #expect(try await fixture.patch.checkForUpdate() == nil)
        #expect(fixture.server.requests.allSatisfy { !$0.contains("/modules/") })
    }

    @Test("an invitation to another digest than the one on offer is refused and leaves no trace")
    func otherDigest() async throws {
        try candidate(tag: "qa-17")
        await fixture.launch()
        try await fixture.update()
        let wrong = String(repeating: "0", count: 64)
        #expect(
            await fixture.failure { try await fixture.patch.join("x:?tag=qa-17&digest=\(wrong)") }
                == .invitationMismatch)
        #expect(fixture.greeting() == "stable")
        #expect(try await fixture.patch.checkForUpdate() == nil, "the tag was not kept")
    }

    @Test("an invitation offline, or from before the SDK was configured, is an error")
    func cannotJoin() async throws {
        #expect(await fixture.failure { try await Patch().join("qa") } == .notConfigured)
        await fixture.launch()
        fixture.server.stop()
        #expect(await fixture.failure { try await fixture.patch.join("qa") } == .serverUnreachable)
        #expect(
            await fixture.failure { try await fixture.patch.join("no tag?") }
                == .invitationMalformed)
        let url = try #require(URL(string: "myapp://join?tag=a%20b"))
        #expect(await fixture.failure { try await fixture.patch.join(url) } == .invitationMalformed)
    }

    @Test("who leaves a test is not offered the next candidate")
    func leave() async throws {
        try candidate(tag: "qa-17")
        await fixture.launch()
        try await fixture.patch.join("qa-17")
        #expect(fixture.greeting() == "tested")
        try await fixture.patch.leave("qa-17")
        let next = try fixture.app.add(
            try fixture.module("next", 3), version: "1.3", sequence: 3)
        try fixture.app.setHead { $0.candidate?.digest = next }
        try await fixture.update()
        #expect(fixture.greeting() == "stable", "the tested one is no candidate any more")
    }

    @Test("so many tests and no more can be joined at a time")
    func boundedTags() async throws {
        await fixture.launch()
        for number in 0..<Choices.maximumTags { try await fixture.patch.join("tag-\(number)") }
        #expect(
            await fixture.failure { try await fixture.patch.join("one-more") }
                == .invitationMalformed)
        try await fixture.patch.join("tag-3")
        try await fixture.patch.leave("tag-3")
        try await fixture.patch.join("one-more")
    }

    @Test("damaged choices count as none, and new ones replace them")
    func damagedChoices() async throws {
        await fixture.launch()
        try await fixture.patch.join("qa-17")
        let file = fixture.folder.file("state/\(ChoiceStore.fileName)")
        for bytes in ["", "{", "{\"v\":2,\"tags\":[]}", String(repeating: "[", count: 20_000)] {
            try Data(bytes.utf8).write(to: file)
            await fixture.launch()
            #expect(try fixture.patch.requireSession().choices.load() == Choices())
        }
        try await fixture.patch.join("qa-18")
        #expect(try fixture.patch.requireSession().choices.load().tags == ["qa-18"])
    }

    // MARK: Channels

    private func publish(_ text: String, _ sequence: Int, on channel: String) throws {
        let digest = try fixture.app.add(
            try fixture.module(text, sequence), version: "1.\(sequence)", sequence: sequence)
        try fixture.app.setHead(channel: channel) { $0.stable = digest }
    }

    @Test("a device moves to another channel and back, to a higher or a lower release")
    func channels() async throws {
        try publish("production", 1, on: "production")
        try publish("staging", 2, on: "staging")
        await fixture.launch()
        try await fixture.update()
        #expect(fixture.greeting() == "production")

        try await fixture.patch.setChannel(.staging)
        let info = try #require(try await fixture.patch.checkForUpdate())
        #expect(info.version == "1.2")
        try await fixture.update()
        #expect(fixture.greeting() == "staging")
        #expect(await fixture.launch() == .activated("1.2"))
        #expect(try await fixture.patch.checkForUpdate() == nil, "the choice outlives the process")

        try await fixture.patch.setChannel(.bundled)
        let back = try #require(try await fixture.patch.checkForUpdate())
        #expect(back.reason == .channelSwitched && back.isMandatory && back.version == "1.1")
        try await fixture.update()
        #expect(fixture.greeting() == "production")
    }

    @Test("a channel on which nothing is published strands nobody")
    func emptyChannel() async throws {
        try publish("production", 1, on: "production")
        await fixture.launch()
        try await fixture.update()
        try await fixture.patch.setChannel(.custom("nobody-publishes-here"))
        _ = try? await fixture.patch.checkForUpdate()
        #expect(fixture.greeting() == "production")
        try await fixture.patch.setChannel(.production)
        try publish("newer", 2, on: "production")
        try await fixture.update()
        #expect(fixture.greeting() == "newer")
    }

    @Test(
        "a channel's name must be fit for a path",
        arguments: ["", "../x", "a/b", "a b", ".x", String(repeating: "c", count: 65)])
    func channelNames(_ name: String) async throws {
        await fixture.launch()
        #expect(
            await fixture.failure { try await fixture.patch.setChannel(.custom(name)) }
                == .channelRefused)
    }

    // MARK: Fingerprint

    @Test(
        "a build without a fingerprint takes what is published for any build, if it has the needs")
    func anyBuild() async throws {
        let site = fixture.folder.file("any-site")
        let app = try PublishedApp(site, fingerprint: "_any")
        let server = try FaultServer(site)
        try fixture.bundle(app.rootBytes, "patch-root.json")
        try fixture.bundleConfiguration([
            "api_base_url": server.baseURL.absoluteString, "fingerprint": NSNull(),
        ])
        await fixture.launch()
        #expect(try fixture.patch.requireSession().resolved.settings.buildRole == "build-any")

        func module(_ text: String, _ sequence: Int, needs id: UInt64) throws -> [UInt8] {
            try Guests.module(
                Guests.greeting(text), release: "1.\(sequence)", sequence: sequence
            ) {
                $0.fp = ""
                $0.needs = [.init(id: id, sig: Guests.signature)]
            }
        }
        try app.release(
            try module("any", 1, needs: Guests.add), version: "1.1", sequence: 1)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "any")
        // What needs a function that is not compiled in never becomes a slot.
        try app.release(try module("alien", 2, needs: 0xDEAD), version: "1.2", sequence: 2)
        #expect(await fixture.failure { _ = try await fixture.update() } == .surfaceMissing)
        #expect(fixture.greeting() == "any")
    }

    @Test("the fingerprint given by the program comes before the bundled one")
    func fingerprintOrder() async throws {
        await fixture.launch()
        #expect(
            try fixture.patch.requireSession().resolved.settings.fingerprint
                == PublishedApp.fingerprint)
        fixture.configuration.fingerprint = String(repeating: "cd34", count: 16)
        await fixture.launch()
        #expect(
            try fixture.patch.requireSession().resolved.settings.buildRole
                == "build-cd34cd34cd34cd34")
        try fixture.remove("patch-config.json")
        fixture.configuration.fingerprint = nil
        await fixture.launch()
        #expect(try fixture.patch.requireSession().resolved.settings.fingerprint == "_any")
    }
}
