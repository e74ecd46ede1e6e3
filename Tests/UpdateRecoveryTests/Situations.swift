import Foundation
import PatchPlatform
import Rollout
import TestSupport
import UpdateEngine
import UpdateFixture
import UpdateScenarios
import UpdateTestSupport

/// A device and what is published for it, at a moment from which one life of the app's process
/// leads to a known end.
struct Situation {
    let name: String
    let fixture: EngineFixture
    /// What a life without faults ends with, if all goes well.
    let end: DeviceReport
    /// What the device is before.
    let start: DeviceReport
    let settings: UpdateSettings

    /// The folder with the device's state, never lived in.
    var template: URL { fixture.folder.file("state") }

    /// The releases that may run afterwards, whatever goes wrong in between; nil stands for native
    /// code.
    var mayRun: Set<String?> { [start.current, end.current] }

    static let names = [
        "first install", "update", "third update", "rollback", "embedded", "fall back",
        "resumed download", "store update",
    ]

    init(_ name: String) async throws {
        self.name = name
        let fixture = try EngineFixture()
        self.fixture = fixture
        var settings = fixture.settings
        switch name {
        case "first install":
            try Self.publish(1, fixture)
        case "update", "resumed download", "fall back":
            try await Self.have(1, fixture)
            try await fixture.engine.didFail("bad", because: .trapped)
            if name == "fall back" {
                try await Self.have(2, fixture)
                try await Self.crash(fixture)
                try await Self.crash(fixture)
            } else {
                try Self.publish(2, fixture)
            }
            if name == "resumed download" {
                try fixture.server.setFaults(["/modules/": .cut(after: 1000)])
                _ = try await fixture.engine.check()
                _ = await fixture.failure { _ = try await fixture.engine.fetch() }
                try fixture.server.setFaults([:])
            }
        case "third update":
            try await Self.have(1, fixture)
            try await Self.have(2, fixture)
            try Self.publish(3, fixture)
        case "rollback", "embedded":
            try await Self.have(1, fixture)
            try await Self.have(2, fixture)
            try fixture.app.setHead {
                if name == "rollback" {
                    $0.stable = EngineFixture.digest("1")
                } else {
                    $0.kind = .embedded
                }
            }
        default:
            try await Self.have(1, fixture)
            settings.fingerprint = String(repeating: "c", count: 64)
        }
        self.settings = settings
        let trial = try TemporaryDirectory("end")
        start = try await Self.inspect(fixture, settings, trial.file("start"))
        let folder = trial.file("end")
        if name != "first install" {
            try FileManager.default.copyItem(at: fixture.folder.file("state"), to: folder)
        }
        let files = LocalFileStore(folder: folder)
        let environment = UpdateEngine.Environment(files: files)
        let failures = await DeviceLife(settings: settings, environment: environment).live()
        guard failures.isEmpty else { throw UpdateError(failures[0], "in '\(name)'") }
        end = await DeviceReport.inspect(
            settings: settings, environment: environment, folder: folder)
    }

    private static func publish(_ number: Int, _ fixture: EngineFixture) throws {
        try fixture.app.release(
            EngineFixture.payload("\(number)"), version: "1.\(number)", sequence: number)
    }

    private static func have(_ number: Int, _ fixture: EngineFixture) async throws {
        try publish(number, fixture)
        try await fixture.update()
        try await fixture.start()
        fixture.engine.didEndCleanly()
        fixture.restart()
    }

    /// A process runs what is current and ends unclean.
    private static func crash(_ fixture: EngineFixture) async throws {
        let gone = UpdateEngine(
            settings: fixture.settings, kind: fixture.kind,
            environment: UpdateEngine.Environment(
                files: fixture.files, process: GoneProcess()))
        guard let current = try await gone.launch().state.current else { return }
        try await gone.willActivate(current.digest)
        gone.didActivate()
        gone.patchedCallBegan()
    }

    private static func inspect(
        _ fixture: EngineFixture, _ settings: UpdateSettings, _ folder: URL
    ) async throws -> DeviceReport {
        if FileManager.default.fileExists(atPath: fixture.folder.file("state").path) {
            try FileManager.default.copyItem(at: fixture.folder.file("state"), to: folder)
        }
        // As it is, so nothing is judged: the extension's view.
        let files = LocalFileStore(folder: folder)
        return await DeviceReport.inspect(
            settings: settings,
            environment: UpdateEngine.Environment(files: files, process: ExtensionProcess()),
            folder: folder)
    }

    /// A fresh copy of the device.
    func device(in folder: URL) throws -> URL {
        let copy = folder.appendingPathComponent(UUID().uuidString)
        if FileManager.default.fileExists(atPath: template.path) {
            try FileManager.default.copyItem(at: template, to: copy)
        }
        return copy
    }

    /// What no fault may break: the state is usable, a whole release or native code runs, and
    /// nothing was lost.
    func problems(in found: DeviceReport) -> [String] {
        var problems: [String] = []
        if let failure = found.failure { problems.append("the app cannot launch: \(failure)") }
        if !found.broken.isEmpty { problems.append("slots are not whole: \(found.broken)") }
        if !mayRun.contains(found.current) {
            problems.append("\(found.current ?? "native") runs")
        }
        if let id = start.deviceID, found.deviceID != id {
            problems.append("the device id was \(id), is \(found.deviceID ?? "gone")")
        }
        let lostBans = start.failed.subtracting(found.failed)
        if name != "store update", !lostBans.isEmpty {
            problems.append("bans were lost: \(lostBans)")
        }
        // One release that is known to work stays at hand for as long as the new one is not.
        let isOnTrial = found.current.map { !found.confirmed.contains($0) } ?? false
        if isOnTrial, !start.confirmed.isEmpty, found.confirmed.isEmpty {
            problems.append("no release that works was kept")
        }
        return problems
    }

    /// What remains to be wrong after another life without faults.
    func unfinished(_ found: DeviceReport) -> [String] {
        var problems = problems(in: found)
        // A life that could not see what the one before left, and found the release to work.
        let isForgiven = name == "fall back" && found.confirmed == start.confirmed
        if found.current != end.current, !isForgiven {
            problems.append("the update never arrives")
        }
        let strange = found.files.filter {
            $0.hasSuffix(".tmp") || $0.contains(".nosync") || $0.hasPrefix("incoming/")
        }
        if !strange.isEmpty { problems.append("left over: \(strange)") }
        let slots = Set(found.files.filter { $0.hasPrefix("slots/") })
        let used = [found.current, found.previous].compactMap { $0 }.map { "slots/\($0)" }
        if slots != Set(used) { problems.append("slots on disk: \(slots)") }
        return problems
    }
}
