import Foundation
import TestSupport

/// One developer with a tiny app, a real `patchd` and the real `patchcli`.
final class Loop {
    let folder: TemporaryDirectory
    private(set) var server: ChildProcess?
    private(set) var address = ""

    static let patchcli = Tools.builtProducts.appendingPathComponent("patchcli").path
    static let patchd = Tools.builtProducts.appendingPathComponent("patchd").path

    init(_ name: String) throws {
        folder = try TemporaryDirectory(name)
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
        try folder.write(
            """
            @_cdecl("tiny_answer")
            public func tinyAnswer() -> Int32 { 41 }
            """, to: "app/Guest/answer.swift")
        try folder.write("", to: "app/Resources/.keep")
    }

    /// One of the examples as it lies in `Examples`.
    init(_ name: String, example: String) throws {
        folder = try TemporaryDirectory(name)
        let source = SharedData.checkout.appendingPathComponent("Examples/\(example)")
            .resolvingSymlinksInPath()
        let app = folder.file("app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        for item in ["openpatch.json", "Package.swift", "Sources"] {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent(item), to: app.appendingPathComponent(item))
        }
    }

    deinit { server?.kill() }

    var app: URL { folder.file("app") }
    var data: URL { folder.file("data") }

    /// Starts the server, again when it was stopped.
    @discardableResult
    func startServer(environment: [String: String] = [:]) throws -> ChildProcess {
        let port = address.split(separator: ":").last.map(String.init) ?? "0"
        let process = try ChildProcess(
            Self.patchd, ["--data", data.path, "--port", port], environment: environment)
        server = process
        try process.waitForOutput("listening on ")
        if address.isEmpty {
            address = process.printed.components(separatedBy: "listening on ")[1]
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return process
    }

    func stopServer() throws -> ChildProcess.Result? {
        server?.terminate()
        return try server?.wait()
    }

    /// Runs `patchcli` in the app's folder.
    func cli(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ChildProcess.Result { try cli(arguments, environment: environment) }

    /// The same with arguments in a list.
    func cli(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        var all = [
            "XDG_CONFIG_HOME": folder.file("config").path, "NO_COLOR": "1", "OPENPATCH_TOKEN": "",
        ]
        all.merge(environment) { $1 }
        return try ChildProcess.run(
            Self.patchcli, arguments, in: app, environment: all, seconds: 1_200)
    }

    /// Runs `patchcli … --json` and reads its one document.
    func json(_ arguments: String...) throws -> [String: Any] {
        let result = try ChildProcess.run(
            Self.patchcli, arguments + ["--json"], in: app,
            environment: [
                "XDG_CONFIG_HOME": folder.file("config").path, "OPENPATCH_TOKEN": "",
            ], seconds: 1_200)
        guard result.status == 0 else { throw Failed(result: result) }
        let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return document as? [String: Any] ?? [:]
    }

    struct Failed: Error, CustomStringConvertible {
        let result: ChildProcess.Result
        var description: String {
            "exit \(result.status): \(result.standardOutput)\(result.standardError)"
        }
    }

    /// Init on a fresh server, prepare, register: ready for the first release.
    func makeReady() throws {
        try startServer()
        _ = try json(
            "init", "--server", address, "--admin-token-file", "\(data.path)/admin-token")
        _ = try json("prepare")
        _ = try json("fingerprint", "register")
    }

    /// Changes a text in the app's sources.
    func edit(_ text: String, to other: String, in file: String = "Sources/Tiny/Price.swift") throws
    {
        let url = app.appendingPathComponent(file)
        let before = try String(contentsOf: url, encoding: .utf8)
        let after = before.replacingOccurrences(of: text, with: other)
        guard before != after else { throw CocoaError(.fileReadUnknown) }
        try after.write(to: url, atomically: true, encoding: .utf8)
    }

    var appKey: String {
        let data = FileManager.default.contents(
            atPath: app.appendingPathComponent("openpatch.json").path)
        let document = data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return (document as? [String: Any])?["app_key"] as? String ?? ""
    }

    /// What is live on the default channel, from `status --json`.
    func live() throws -> [String: Any] {
        (try json("status")["live"] as? [[String: Any]])?.first ?? [:]
    }

    /// PyPI `tuf`'s own client, unchanged, reads the tree at `base` from the app's root on.
    /// - Returns: For every target path what was downloaded.
    func pythonClient(_ base: String, targets: [String]) throws -> [String: [UInt8]] {
        let script = try folder.write(
            """
            import os, sys
            from tuf.ngclient import Updater
            base, root, work, *targets = sys.argv[1:]
            for part in ("m", "t"):
                os.makedirs(os.path.join(work, part), exist_ok=True)
            updater = Updater(
                metadata_dir=os.path.join(work, "m"), metadata_base_url=base + "/metadata/",
                target_dir=os.path.join(work, "t"), target_base_url=base + "/targets/",
                bootstrap=open(root, "rb").read())
            updater.refresh()
            for target in targets:
                info = updater.get_targetinfo(target)
                if info is None:
                    sys.exit("no target " + target)
                print(updater.download_target(info))
            """, to: "client.py")
        let work = folder.file("python-\(UUID().uuidString.prefix(8))").path
        let root = app.appendingPathComponent("Resources/patch-root.json").path
        let result = try ChildProcess.run(
            Tools.python, [script.path, base, root, work] + targets)
        guard result.status == 0 else { throw Failed(result: result) }
        let files = result.standardOutput.split(separator: "\n").map(String.init)
        var found: [String: [UInt8]] = [:]
        for (target, file) in zip(targets, files) {
            found[target] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        }
        return found
    }
}
