import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

@testable import WebViewBundle

/// Bundles through the update core: what modules have, bundles have.
@Suite("Released bundles")
struct ReleaseTests {
    @Test("a release is found, fetched, shown and confirmed by its page, and stays after a restart")
    func cycle() async throws {
        let app = try ReleasedApp()
        #expect(await app.visit() == "version 1.0.0")
        let digest = try app.publish("1.1.0", 1)
        let releases = try app.releases
        let found = try #require(try await releases.check("app"))
        #expect(found.version == "1.1.0" && found.digest == digest && found.size > 0)
        #expect(await app.visit() == "version 1.0.0", "a check changes nothing")
        #expect(try await releases.fetch("app")?.version == "1.1.0")
        #expect(await app.visit() == "version 1.0.0", "a download changes nothing")
        try await releases.apply("app")
        #expect(await app.visit() == "version 1.1.0")
        #expect(try releases.isOnTrial("app"))
        #expect(await app.call("updaterConfirm") == .success(.bool(true)))
        #expect(try !releases.isOnTrial("app"))
        #expect(try await releases.check("app") == nil)
        try app.restart()
        #expect(await app.visit() == "version 1.1.0")
        #expect(try !app.releases.isOnTrial("app"), "what proved itself is not tried again")
    }

    @Test("the manifest that other implementations read says what the update core decided")
    func manifest() async throws {
        let app = try ReleasedApp()
        let digest = try app.publish("1.1.0", 1)
        #expect(try await app.update())
        let entry = try #require(try app.manifest().entries["app"])
        #expect(entry.currentVersion == "1.1.0")
        let integrity = "sha256:" + Data(try #require(Hex.decode(digest))).base64EncodedString()
        #expect(entry.versions["1.1.0"]?.integrity == integrity)
        let path = app.folder.path + "/remote/app/app_1.1.0.wvb"
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == page("1.1.0"))
    }

    @Test("after a crash between the core's state and the manifest, the manifest is written anew")
    func crashBetween() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        #expect(try await app.update())
        await app.call("updaterConfirm").ignore()
        try app.publish("1.2.0", 2)
        #expect(try await app.releases.check("app") != nil)
        #expect(try await app.releases.fetch("app") != nil)
        // The folder is one step ahead of the state, as a crash in the middle leaves it.
        let slot = try #require(
            FileManager.default.contentsOfDirectory(
                atPath: app.folder.path + "/state/app/slots"
            ).first { try SHA256.hash(page("1.2.0")).hex == $0 })
        try app.instance.source.show(
            .init(
                version: "1.2.0", path: app.folder.path + "/state/app/slots/" + slot,
                digest: try #require(Hex.decode(slot))), as: "app")
        try app.restart()
        #expect(await app.visit() == "version 1.2.0", "what was staged begins with the start")
        // And the other way round: the folder was lost, or another program changed it.
        try FileManager.default.removeItem(at: app.folder.file("remote"))
        try app.restart()
        #expect(await app.visit() == "version 1.2.0")
        #expect(try app.manifest().entries["app"]?.currentVersion == "1.2.0")
    }

    @Test("a page that runs but never says that it works is taken back, and not tried again")
    func neverReady() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        try app.publish("1.2.0", 2)
        #expect(try await app.update())
        #expect(await app.visit() == "version 1.2.0")
        try await app.pass(11) { !app.takenBack.isEmpty }
        #expect(app.takenBack == ["1.2.0 page_not_ready 1.1.0"])
        #expect(await app.visit() == "version 1.1.0")
        #expect(try app.manifest().entries["app"]?.currentVersion == "1.1.0")
        #expect(try await app.releases.check("app") == nil)
        try app.restart()
        #expect(await app.visit() == "version 1.1.0")
        #expect(try await app.releases.check("app") == nil, "the ban outlives the process")
        #expect(await (try app.releases.explain("app")).contains("failed_here"))
    }

    @Test(
        "a page that says that it works but shows nothing is taken back; one that shows late stays")
    func blank() async throws {
        for isBlankForEver in [true, false] {
            let app = try ReleasedApp()
            try app.publish("1.1.0", 1)
            let looks = Lock(0)
            try app.releases.watch("app", tellsCommits: true) {
                looks.withLock { $0 += 1 }
                return isBlankForEver ? false : looks.withLock { $0 } > 3
            }
            #expect(try await app.update())
            try app.releases.pageCommitted("app")
            #expect(await app.call("updaterConfirm") == .success(.bool(true)))
            #expect(try app.releases.isOnTrial("app"), "its word alone is not enough")
            try await app.pass(11) {
                try !app.releases.isOnTrial("app") && !app.events.withLock { $0 }.isEmpty
            }
            if isBlankForEver {
                #expect(try await app.eventually { !app.takenBack.isEmpty })
                #expect(app.takenBack == ["1.1.0 page_blank shipped"])
                #expect(await app.visit() == "version 1.0.0")
            } else {
                #expect(app.takenBack.isEmpty)
                #expect(await app.visit() == "version 1.1.0")
            }
        }
    }

    @Test("a page that knows no bridge works once it shows something, and is taken back when blank")
    func visible() async throws {
        for isVisible in [true, false] {
            let app = try ReleasedApp { $0.readiness = .visible(seconds: 5) }
            try app.publish("1.1.0", 1)
            try app.releases.watch("app", tellsCommits: true) { isVisible }
            #expect(try await app.update())
            try app.releases.pageCommitted("app")
            try await app.pass(6) { try !app.releases.isOnTrial("app") }
            if isVisible {
                #expect(app.takenBack.isEmpty)
            } else {
                #expect(try await app.eventually { !app.takenBack.isEmpty })
                #expect(app.takenBack == ["1.1.0 page_blank shipped"])
            }
        }
    }

    @Test("what the page before says does not count for the new version")
    func lateWord() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        try app.releases.watch("app", tellsCommits: true) { true }
        #expect(try await app.update())
        #expect(await app.call("updaterConfirm") == .success(.bool(false)))
        #expect(try app.releases.isOnTrial("app"))
        try app.releases.pageCommitted("app")
        #expect(await app.call("updaterConfirm") == .success(.bool(true)))
        #expect(try !app.releases.isOnTrial("app"))
    }

    @Test("a page that cannot be loaded is taken back at once; one that worked before is reported")
    func loadFailure() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        #expect(try await app.update())
        try await app.releases.pageFailed("app", detail: "the web process ended")
        #expect(app.takenBack == ["1.1.0 page_failed shipped"])
        #expect(await app.visit() == "version 1.0.0")
        try app.publish("1.2.0", 2)
        #expect(try await app.update())
        await app.call("updaterConfirm").ignore()
        try await app.releases.pageFailed("app", detail: "the web process ended")
        #expect(app.problems.last == "page_failed")
        #expect(await app.visit() == "version 1.2.0")
    }

    @Test("time out of sight does not count against a page on trial")
    func hidden() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        #expect(try await app.update())
        try app.releases.didEnterBackground()
        app.clock.advance(by: 0.1)
        try app.releases.didEnterForeground()
        var trial = PageTrial(.page(seconds: 10))
        trial.begin(at: 100)
        trial.pause(for: 50)
        #expect(trial.outcome(at: 159) == .waiting)
        #expect(trial.outcome(at: 160) == .failed(.pageNotReady))
    }

    @Test("an app that ends twice with a page on trial gives way to the version before it")
    func bootGuard() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        try app.publish("1.2.0", 2)
        #expect(try await app.releases.check("app") != nil)
        #expect(try await app.releases.fetch("app") != nil)
        for _ in 0..<2 {
            try app.restart(process: EndedProcess())
            #expect(await app.visit() == "version 1.2.0")
        }
        try app.restart()
        #expect(await app.visit() == "version 1.1.0")
        #expect(app.problems.contains("start_unclean"))
        #expect(try await app.releases.check("app") == nil)
    }

    @Test("random orders of what happens to a page end in one decision that fits what was seen")
    func trials() {
        var random = SeededGenerator()
        let seed = "\(random)"
        for _ in 0..<2000 {
            let readiness: BundleReadiness =
                random.next() % 2 == 0 ? .page(seconds: 10) : .visible(seconds: 10)
            var trial = PageTrial(readiness)
            var said = false
            var begun: Double?
            for step in 0..<30 {
                let now = Double(step)
                switch random.next() % 5 {
                case 0:
                    trial.begin(at: now)
                    begun = begun ?? now
                case 1: if trial.say() { said = true }
                case 2: trial.sight = random.next() % 2 == 0 ? .blank : .visible
                default: break
                }
                switch trial.outcome(at: now) {
                case .waiting:
                    #expect(begun.map { now < $0 + 10 } ?? true, "\(seed)")
                case .works:
                    if case .page = readiness {
                        #expect(said && trial.sight == .visible, "\(seed)")
                    } else {
                        #expect(trial.sight != .blank, "\(seed)")
                    }
                case .failed(let reason):
                    #expect(begun.map { now >= $0 + 10 } == true, "\(seed)")
                    #expect([.pageBlank, .pageNotReady].contains(reason), "\(seed)")
                }
            }
        }
    }
}

/// A process that has ended in this boot of the device, as later ones see it.
struct EndedProcess: ProcessIdentity {
    let start = Int.random(in: 0 ..< .max)
    var processIdentifier: Int32 { 1 << 30 }
    var kind: ProcessKind { .app }
    var bootIdentifier: String? { LiveProcess().bootIdentifier }
    var startIdentifier: String? { "\(start)" }
    func isRunning(_ other: ProcessMark) -> Bool { false }
}

extension BridgeReply {
    /// For calls that only prepare what a test is about.
    func ignore() {}
}
