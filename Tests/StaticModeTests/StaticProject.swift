import Foundation
import PatchPlatform
import TestSupport
import UpdateEngine
import UpdateFixture

/// A developer with a tiny app who publishes to a folder, and devices that run its build.
final class StaticProject {
    let folder: TemporaryDirectory
    let host: WebHost

    /// - Parameter files: the texts of files in the app's folder, by path.
    init(_ name: String, files: [String: String] = [:]) throws {
        folder = try TemporaryDirectory(name)
        host = try WebHost(folder.file("host"))
        try folder.write(
            """
            /// The price as the shop shows it.
            func priceLabel(_ cents: Int) -> String {
                return "EUR " + String(cents / 100)
            }

            @main struct Tiny {
                static func main() { print("A tiny shop: " + priceLabel(500)) }
            }
            """, to: "app/Sources/Tiny/Price.swift")
        for (path, text) in files { try folder.write(text, to: "app/\(path)") }
        try folder.write("", to: "app/Resources/.keep")
        try json("init", "--base-url", host.address + "/patches")
        try json("prepare")
        try json("fingerprint", "register")
    }

    var app: URL { folder.file("app") }
    var tree: URL { app.appendingPathComponent(".openpatch/tree") }
    var keys: URL { folder.file("config/openpatch/keys/\(appKey)") }

    /// Runs `patchcli` in the app's folder.
    func cli(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        try run(arguments, environment)
    }

    /// The same with arguments in a list.
    func cli(_ arguments: [String]) throws -> ChildProcess.Result { try run(arguments) }

    func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        let own = [
            "XDG_CONFIG_HOME": folder.file("config").path, "NO_COLOR": "1", "OPENPATCH_TOKEN": "",
        ]
        return try ChildProcess.run(
            Tools.builtProducts.appendingPathComponent("patchcli").path, arguments, in: app,
            environment: own.merging(environment) { $1 }, seconds: 1_200)
    }

    struct Failed: Error, CustomStringConvertible {
        let result: ChildProcess.Result
        var description: String {
            "exit \(result.status): \(result.standardOutput)\(result.standardError)"
        }
    }

    /// Runs `patchcli … --json` and reads its one document.
    @discardableResult
    func json(_ arguments: String...) throws -> [String: Any] {
        let result = try run(arguments + ["--json"])
        guard result.status == 0 else { throw Failed(result: result) }
        let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return document as? [String: Any] ?? [:]
    }

    /// Copies the tree to the web host.
    @discardableResult
    func publish(_ more: String...) throws -> [String: Any] {
        let result = try run(
            ["publish", "--static", host.site.appendingPathComponent("patches").path] + more
                + ["--json"])
        guard result.status == 0 else { throw Failed(result: result) }
        let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return document as? [String: Any] ?? [:]
    }

    /// Changes the price's currency, so that there is something to release.
    func edit(_ currency: String, to other: String) throws {
        let file = app.appendingPathComponent("Sources/Tiny/Price.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacingOccurrences(of: "\"\(currency) \"", with: "\"\(other) \"")
            .write(to: file, atomically: true, encoding: .utf8)
    }

    private func document(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: app.appendingPathComponent(path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    var appKey: String {
        (try? document("openpatch.json"))?["app_key"] as? String ?? ""
    }

    /// A device with the app as its resources are now; each has a state of its own.
    func device() throws -> Device {
        let config = try document("Resources/patch-config.json")
        let root = try Data(
            contentsOf: app.appendingPathComponent("Resources/patch-root.json"))
        var settings = UpdateSettings(
            appKey: config["app_key"] as? String ?? "", appID: config["app_id"] as? String,
            platform: config["platform"] as? String ?? "",
            channel: config["channel"] as? String ?? "",
            fingerprint: config["fingerprint"] as? String ?? "",
            baseURL: (config["api_base_url"] as? String).flatMap { URL(string: $0) },
            trust: .root([UInt8](root)))
        settings.embeddedSequence = config["embedded_sequence"] as? Int ?? 0
        let floors = config["floors"] as? [String: Any]
        settings.minimumSequence = floors?["min_sequence"] as? Int ?? 0
        settings.minimumTargetsVersion = floors?["min_targets_version"] as? Int ?? 0
        settings.capabilities = [
            "log", "clock", "random", "format", "unicode", "defaults", "fetch", "notify", "native",
            "view",
        ]
        return Device(
            settings: settings, state: folder.file("device-\(UUID().uuidString.prefix(8))"))
    }

    /// One install of the app.
    final class Device {
        private let settings: UpdateSettings
        private let files: LocalFileStore
        /// Where its state lies.
        let folder: URL
        private(set) var engine: UpdateEngine

        init(settings: UpdateSettings, state: URL) {
            self.settings = settings
            folder = state
            files = LocalFileStore(folder: state)
            engine = UpdateEngine(
                settings: settings, kind: AnyPayload(),
                environment: UpdateEngine.Environment(files: files))
        }

        /// A new process over the same state.
        func restart() {
            engine = UpdateEngine(
                settings: settings, kind: AnyPayload(),
                environment: UpdateEngine.Environment(files: files))
        }

        /// Check, fetch, activate; gives the version that runs afterwards.
        @discardableResult
        func update() async throws -> String? {
            if try await engine.check().isUpdate {
                _ = try await engine.fetch()
                try await engine.didActivateStaged()
            }
            return try await engine.open().current?.version
        }
    }
}
