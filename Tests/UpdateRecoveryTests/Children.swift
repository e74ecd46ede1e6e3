import Foundation
import TestSupport
import UpdateFixture
import UpdateScenarios
import UpdateTestSupport

/// Starts processes of an app, over any state folder.
struct Children {
    let app: PublishedApp
    let server: FaultServer
    let folder: TemporaryDirectory
    let root: URL
    let fingerprint: String

    init(_ fixture: EngineFixture, fingerprint: String = PublishedApp.fingerprint) throws {
        app = fixture.app
        server = fixture.server
        self.fingerprint = fingerprint
        folder = try TemporaryDirectory("children")
        root = folder.file("root.json")
        try Data(fixture.app.rootBytes).write(to: root)
    }

    /// Starts one; its output goes to a file of its own.
    func spawn(
        _ command: String, _ device: URL, _ detail: String = "",
        _ environment: [String: String] = [:]
    ) throws -> SpawnedProcess {
        let child = Tools.builtProducts.appendingPathComponent("update-child").path
        return try SpawnedProcess(
            child,
            [command, device.path, root.path, server.baseURL.absoluteString, fingerprint, detail],
            environment: environment, output: folder.file("output-\(UUID().uuidString)"))
    }

    /// Runs one to its end.
    func run(
        _ command: String, _ device: URL, _ detail: String = "",
        _ environment: [String: String] = [:]
    ) throws -> SpawnedProcess.Result {
        try spawn(command, device, detail, environment).wait()
    }

    /// What a process found.
    func report(_ device: URL, as command: String = "inspect") throws -> DeviceReport {
        try Self.decode(run(command, device))
    }

    /// Reads the first line of what a process said.
    static func decode<Report: Decodable>(
        _ result: SpawnedProcess.Result, as type: Report.Type = Report.self
    ) throws -> Report {
        let line = result.output.split(separator: "\n").first ?? ""
        return try JSONDecoder().decode(type, from: Data(line.utf8))
    }
}
