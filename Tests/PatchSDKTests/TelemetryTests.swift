import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// What the server is told, over a real one.
@Suite struct TelemetryTests {
    let fixture: AppFixture
    let receiver: EventReceiver

    init() throws {
        fixture = try AppFixture()
        receiver = try EventReceiver()
        // The receiver serves no metadata; that comes from the mirror.
        let base = receiver.url.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        fixture.configuration.apiBaseURL = base
        fixture.configuration.mirrors = [fixture.server.baseURL]
    }

    private func events() throws -> [[String: Any]] {
        try receiver.bodies().flatMap { $0["events"] as? [[String: Any]] ?? [] }
    }

    private func names() throws -> Set<String> {
        Set(try events().compactMap { $0["name"] as? String })
    }

    @Test("an update is told from check to ready, each step with release, build and reason")
    func steps() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        #expect(fixture.patch.routing.invoke(Guests.trap, { _ in }, { try $0.i32() }) == nil)
        await fixture.patch.session?.markReady()
        let wanted: Set<String> = ["check", "download", "activate", "trap", "ready"]
        try await fixture.eventually("\(try names())") {
            await fixture.patch.session?.reporter.send()
            return try names().isSuperset(of: wanted)
        }
        let digest = try #require(fixture.patch.currentRelease?.digest)
        for event in try events() {
            let name = event["name"] as? String ?? ""
            #expect(event["fingerprint"] as? String == PublishedApp.fingerprint)
            #expect(event["sdk"] as? String == Patch.sdkVersion)
            #expect((event["os"] as? String)?.hasPrefix("linux ") == true)
            if name != "check" { #expect(event["release"] as? String == digest, "\(event)") }
        }
        #expect(try events().contains { $0["reason"] as? String == "update_stable" })
        #expect(try events().contains { $0["reason"] as? String == "trapped" })
        #expect(Set(try receiver.ids()).count == (try receiver.ids()).count)
    }

    @Test("switched off, or with no share of installs, nothing is sent and nothing is kept")
    func off() async throws {
        for telemetry in [PatchTelemetry.off, .sampled(0), .sampled(-3), .sampled(.nan)] {
            fixture.configuration.telemetry = telemetry
            await fixture.launch()
            _ = try await fixture.patch.checkForUpdate()
            await fixture.patch.session?.reporter.send()
            #expect(receiver.requests == 0)
        }
    }

    @Test("what cannot be sent waits for a better time and a new process")
    func waits() async throws {
        try receiver.answer(["503", "503", "503"])
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        #expect(try events().isEmpty)
        await fixture.launch()
        try receiver.answer([])
        let clock = ManualClock(now: Date().timeIntervalSince1970 + 86400)
        fixture.environment.clock = clock
        await fixture.launch()
        try await fixture.eventually {
            await fixture.patch.session?.reporter.send()
            return try names().contains("activate")
        }
    }

    @Test("an app without a server, and an extension, tell nobody")
    func silent() async throws {
        fixture.environment.process = ExtensionProcess()
        await fixture.launch()
        await fixture.patch.session?.reporter.send()
        fixture.environment.process = LiveProcess()
        fixture.configuration.apiBaseURL = nil
        await fixture.launch()
        fixture.patch.didEnterBackground()
        await fixture.patch.session?.reporter.send()
        #expect(receiver.requests == 0)
    }
}
