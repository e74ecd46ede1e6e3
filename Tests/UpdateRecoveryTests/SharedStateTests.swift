import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateEngine
import UpdateFixture
import UpdateScenarios
import UpdateTestSupport

/// An app and its extensions over one folder, as in an App Group: real processes, all at once.
@Suite("State shared by processes") struct SharedStateTests {
    let fixture: EngineFixture
    let children: Children
    let device: URL

    init() throws {
        fixture = try EngineFixture()
        children = try Children(fixture)
        device = children.folder.file("group")
        try publish(1)
        #expect(try children.run("live", device).status == 0)
    }

    private func publish(_ number: Int) throws {
        try fixture.app.release(
            EngineFixture.payload("\(number)"), version: "1.\(number)", sequence: number)
    }

    @Test("P51: app and extension have one device id and run the same release")
    func P51_oneIdentity() throws {
        let app = try children.report(device)
        let other = try children.report(device, as: "extension")
        #expect(app.deviceID != nil)
        #expect(other.deviceID == app.deviceID)
        #expect(other.current == app.current)
        #expect(other.broken.isEmpty)
    }

    @Test("an extension that comes before the app makes nothing")
    func extensionFirst() throws {
        let fresh = children.folder.file("fresh")
        let report = try children.report(fresh, as: "extension")
        #expect(report.failure == nil)
        #expect(report.current == nil)
        #expect(!FileManager.default.fileExists(atPath: fresh.path))
    }

    @Test("P08: three app processes and two extensions at once lose nothing and see nothing torn")
    func P08_atOnce() throws {
        let before = try children.report(device)
        let rounds = 8
        let workers = try (0..<3).map { _ in try children.spawn("work", device, "\(rounds)") }
        let watchers = try (0..<2).map { _ in try children.spawn("watch", device, "150") }
        for number in 2...5 {
            usleep(150_000)
            try publish(number)
        }
        var expected: Set<String> = []
        for worker in workers {
            let result = worker.wait()
            #expect(result.status == 0, "\(result)")
            for round in 0..<rounds { expected.insert("ban-\(worker.processIdentifier)-\(round)") }
        }
        for watcher in watchers {
            let report = try Children.decode(watcher.wait(), as: WatchReport.self)
            #expect(report.faults.isEmpty)
            #expect(report.devices == [before.deviceID])
            #expect(!report.releases.isEmpty)
        }
        #expect(try children.run("live", device).status == 0)
        let after = try children.report(device)
        #expect(after.deviceID == before.deviceID)
        #expect(after.broken.isEmpty)
        #expect(after.current == EngineFixture.digest("5"))
        #expect(after.failed == expected)
        #expect(after.files.filter { $0.hasPrefix("slots/") }.count <= 2)
        #expect(after.files.filter { $0.hasSuffix(".tmp") }.isEmpty)
    }

    @Test("P36: a hundred updates in a row leave the disk as full as ten")
    func P36_hundredUpdates() async throws {
        let files = LocalFileStore(folder: device)
        fixture.restart(files: files)
        var sizes: [Int] = []
        for number in 2...101 {
            let digest = try fixture.app.release(
                EngineFixture.payload("\(number)"), version: "1.\(number)", sequence: number)
            fixture.restart(files: files, process: GoneProcess())
            let staged = try await fixture.update()
            #expect(staged != nil)
            try await fixture.start()
            fixture.engine.didEndCleanly()
            #expect(try await fixture.engine.open().current?.digest == digest)
            sizes.append(try size())
        }
        // The role lists every release of this publisher, so metadata is left out of the figure.
        #expect(sizes[99] <= sizes[9] + 1024, "\(sizes[9]) bytes after 10, \(sizes[99]) after 100")
        let left = Set(try files.list("slots"))
        #expect(left == [EngineFixture.digest("101"), EngineFixture.digest("100")])
        #expect(try files.list("incoming").isEmpty)
        #expect(try files.list("metadata").count < 10)
        let strange = try files.list(".").filter { $0.hasSuffix(".tmp") }
        #expect(strange.isEmpty)
    }

    private func size() throws -> Int {
        var total = 0
        let all = FileManager.default.enumerator(atPath: device.path)
        while let name = all?.nextObject() as? String {
            if name.hasPrefix("metadata") { continue }
            let attributes = try FileManager.default.attributesOfItem(
                atPath: device.appendingPathComponent(name).path)
            if attributes[.type] as? FileAttributeType == .typeRegular {
                total += (attributes[.size] as? NSNumber)?.intValue ?? 0
            }
        }
        return total
    }

    @Test("P36: what killed processes left half made is collected")
    func P36_leftovers() throws {
        let names = [
            "state.json.999999-1.tmp", "slots/\(EngineFixture.digest("9"))",
            "slots/\(EngineFixture.digest("8")).999999-3.tmp", "metadata/1.root.json.999999-2.tmp",
            "metadata/.dat.nosyncf423f.aBcDeF", ".dat.nosyncf423f.aBcDeF",
            "incoming/\(EngineFixture.digest("9")).part", "boot/999999-half",
        ]
        for name in names {
            let file = device.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("half".utf8).write(to: file)
        }
        #expect(try children.run("live", device).status == 0)
        let left = try children.report(device).files.filter { names.contains($0) }
        #expect(left.isEmpty)
    }
}
