import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// A working module is never replaced by a broken one.
@Suite struct BrokenReleaseTests {
    let fixture: AppFixture

    init() async throws {
        fixture = try AppFixture()
        await fixture.launch()
        try fixture.release("good", 1)
        try await fixture.update()
    }

    /// Publishes `payload`; the update ends with `expected`, the good release goes on running, is
    /// started again after a restart, and a good release after that is taken.
    func expectRefused(_ payload: [UInt8], _ expected: Reason) async throws {
        try fixture.app.release(payload, version: "1.2", sequence: 2)
        #expect(await fixture.failure { _ = try await fixture.update() } == expected)
        #expect(fixture.greeting() == "good")
        #expect(fixture.patch.currentRelease?.version == "1.1")
        // It is remembered: no second download.
        fixture.server.forgetRequests()
        #expect(try await fixture.update() == false)
        #expect(!fixture.server.requests.contains { $0.contains("/modules/") })
        #expect(await fixture.patch.explain().contains("[failed_here]"))
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "good")
        try fixture.release("better", 3)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "better")
    }

    @Test("something that is not wasm")
    func notWasm() async throws {
        try await expectRefused(Array("hello".utf8), .notWasm)
    }

    @Test("half a module")
    func truncated() async throws {
        let whole = try fixture.module("bad", 2)
        try await expectRefused(Array(whole.prefix(whole.count / 4)), .moduleMalformed)
    }

    @Test("a command module")
    func command() async throws {
        var wasm = Guests.full("bad")
        wasm.function("_start", [], [], [])
        try await expectRefused(
            try Guests.module(wasm, release: "1.2", sequence: 2), .commandModule)
    }

    @Test("a module with an import that nobody provides")
    func unknownImport() async throws {
        var wasm = WasmBuilder()
        _ = wasm.importFunction("env", "malloc", [.i32], [.i32])
        try await expectRefused(
            try Guests.module(wasm, release: "1.2", sequence: 2), .importUnknown)
    }

    @Test("a module with an import that is not granted")
    func deniedImport() async throws {
        var wasm = WasmBuilder()
        _ = wasm.importFunction("openpatch", "app.keychain.read")
        let module = try Guests.module(wasm, release: "1.2", sequence: 2) {
            $0.capabilities =
                CapabilityName.core + [
                    CapabilityName(rawValue: "app.keychain") ?? .log
                ]
        }
        try await expectRefused(module, .capabilityDenied)
    }

    @Test("a module that traps while it starts")
    func trapsAtStart() async throws {
        var wasm = Guests.full("bad")
        wasm.function("_initialize", [], [], [0x00])
        let module = try Guests.module(wasm, release: "1.2", sequence: 2) {
            $0.capabilities = [.log]
        }
        try await expectRefused(module, .startFailed)
    }

    @Test("a module that says it is another release")
    func otherRelease() async throws {
        try await expectRefused(try fixture.module("bad", 9), .moduleOfOtherRelease)
    }

    @Test("a payload that was changed after it was signed")
    func tampered() async throws {
        try fixture.release("two", 2)
        let file = try fixture.app.payloadFile(version: "1.2")
        let good = try Data(contentsOf: file)
        var bad = good
        bad[bad.count - 3] ^= 4
        try bad.write(to: file)
        for _ in 0..<2 {
            #expect(await fixture.failure { _ = try await fixture.update() } == .digestMismatch)
            #expect(fixture.greeting() == "good")
        }
        try good.write(to: file)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "two")
    }

    @Test("a tree signed by somebody else")
    func foreignSignature() async throws {
        let thief = try PublishedApp(fixture.folder.file("thief"))
        try thief.release(try fixture.module("evil", 2), version: "1.2", sequence: 2)
        try FileManager.default.removeItem(at: fixture.app.folder)
        try FileManager.default.copyItem(at: thief.folder, to: fixture.app.folder)
        #expect(await fixture.failure { _ = try await fixture.update() } == .metadataInvalid)
        #expect(fixture.greeting() == "good")
    }

    @Test("a server that is down")
    func network() async throws {
        try fixture.release("two", 2)
        fixture.server.stop()
        #expect(await fixture.failure { _ = try await fixture.update() } == .serverUnreachable)
        #expect(fixture.greeting() == "good")
        #expect(fixture.events.withLock { $0 }.compactMap(\.reason).last == .serverUnreachable)
    }

    @Test("a release damaged on disk gives way to the one before, then to the bundled one")
    func damagedOnDisk() async throws {
        try fixture.release("two", 2)
        try await fixture.update()
        let slots = fixture.folder.file("state/slots")
        let newest = try #require(fixture.patch.currentRelease?.digest)
        try Data([0]).write(to: slots.appendingPathComponent(newest))
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "good")
        let older = try #require(fixture.patch.currentRelease?.digest)
        try FileManager.default.removeItem(at: slots.appendingPathComponent(older))
        #expect(await fixture.launch() == .activated("base"))
        #expect(fixture.greeting() == "bundled")
        // Only the disk was at fault, so both may come back.
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "two")
    }

    @Test("traps, endless loops and recursion in a released function leave the app alive")
    func failingCalls() async throws {
        fixture.configuration.limits.callNanoseconds = 500_000_000
        await fixture.launch()
        // It has proved itself; what a new release may do is another matter (TrialTests).
        await fixture.patch.session?.markReady()
        let routing = fixture.patch.routing
        #expect(routing.invoke(Guests.trap, { _ in }, { try $0.i32() }) == nil)
        #expect(routing.invoke(Guests.loop, { _ in }, { try $0.i32() }) == nil)
        #expect(routing.invoke(Guests.recursion, { $0.i32(0) }, { try $0.i32() }) == nil)
        #expect(fixture.greeting() == "good")
        let calls = fixture.events.withLock { $0 }.filter { $0.kind == .call }
        #expect(calls.compactMap(\.reason) == [.trapped, .timeLimit, .trapped])
        #expect(calls.allSatisfy { $0.release?.version == "1.1" })
    }
}
