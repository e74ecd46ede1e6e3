import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import WebViewBundle

/// The independent server of `Python/remote.py`, and what it serves.
final class TestRemote {
    private let folder: TemporaryDirectory
    private let process: ChildProcess
    let endpoint: String
    private var bundles: [String: [String: Any]] = [:]
    var allowOther = false
    var fault: [String: Any] = [:]

    init() throws {
        folder = try TemporaryDirectory("remote")
        let script = SharedData.checkout
            .appendingPathComponent("Tests/WebViewBundleTests/Python/remote.py").path
        process = try ChildProcess(Tools.python, [script, folder.path])
        try process.waitForOutput("\n")
        let port = process.printed.split(separator: " ").last.map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        endpoint = "http://127.0.0.1:\(port ?? "0")"
        try save()
    }

    deinit { process.kill() }

    /// Publishes an archive and deploys it.
    func publish(
        _ name: String, _ version: String, _ bytes: [UInt8], integrity: String? = "right",
        signature: String? = nil, deploy: Bool = true, channel: String? = nil
    ) throws {
        let file = "\(name)-\(version).wvb"
        try Data(bytes).write(to: folder.file(file))
        var bundle = bundles[name] ?? ["versions": [String: Any](), "channels": [String: Any]()]
        var entry: [String: Any] = ["file": file]
        entry["integrity"] = integrity == "right" ? Integrity(of: bytes).description : integrity
        entry["signature"] = signature
        var versions = bundle["versions"] as? [String: Any] ?? [:]
        versions[version] = entry
        bundle["versions"] = versions
        if let channel {
            var channels = bundle["channels"] as? [String: Any] ?? [:]
            channels[channel] = version
            bundle["channels"] = channels
        } else if deploy {
            bundle["deployed"] = version
        }
        bundles[name] = bundle
        try save()
    }

    func save() throws {
        let config: [String: Any] = [
            "bundles": bundles, "allowOther": allowOther, "fault": fault,
        ]
        try JSONSerialization.data(withJSONObject: config)
            .write(to: folder.file("server.json"), options: .atomic)
    }

    /// What was asked for, a line a request.
    func requests() -> [String] {
        let text = (try? String(contentsOf: folder.file("log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    func forgetRequests() { try? FileManager.default.removeItem(at: folder.file("log")) }

    func remote(_ change: (inout RemoteOptions) -> Void = { _ in }) throws -> Remote {
        var options = RemoteOptions()
        // A slow machine is no broken network.
        options.idleTimeout = 300
        options.deadline = 600
        change(&options)
        return try Remote(endpoint: endpoint, options: options)
    }
}

/// Two folders of an app.
final class TestApp {
    let folder: TemporaryDirectory
    let source: BundleSource

    init(builtin: [String: [UInt8]] = [:], name: String = "app") throws {
        folder = try TemporaryDirectory("app")
        try Self.writeBuiltin(folder, name, builtin)
        source = Self.open(folder)
    }

    /// The app started anew on the same folders.
    func restarted() -> BundleSource { Self.open(folder) }

    static func open(_ folder: TemporaryDirectory) -> BundleSource {
        BundleSource(
            options: SourceOptions(
                builtinDir: folder.path + "/builtin", remoteDir: folder.path + "/remote"))
    }

    /// A store update: other builtin bundles under the same downloads.
    func replaceBuiltin(_ versions: [String: [UInt8]], name: String = "app") throws {
        try FileManager.default.removeItem(at: folder.file("builtin"))
        try Self.writeBuiltin(folder, name, versions)
    }

    private static func writeBuiltin(
        _ folder: TemporaryDirectory, _ name: String, _ versions: [String: [UInt8]]
    ) throws {
        var manifest = BundleManifest()
        for (version, bytes) in versions {
            let file = folder.file("builtin/" + BundleManifest.file(name, version))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
            manifest.entries[name, default: .init()].versions[version] = BundleMetadata()
            manifest.entries[name]?.currentVersion = version
        }
        try folder.write(
            String(decoding: manifest.encoded(), as: UTF8.self), to: "builtin/manifest.json")
    }

    func remoteFiles(_ name: String = "app") -> [String] {
        let path = folder.path + "/remote/" + name
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func leftOvers() -> [String] {
        let path = folder.path + "/remote/.incoming"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { !$0.hasSuffix(".lock") }.sorted()
    }
}

/// A page that says which version it is.
func page(_ version: String, padding: Int = 0) throws -> [UInt8] {
    var random = SplitMix(seed: UInt64(padding) &+ UInt64(version.utf8.reduce(0) { $0 + Int($1) }))
    var builder = BundleBuilder()
    try builder.insertEntry("/index.html", data: Array("version \(version)".utf8))
    if padding > 0 {
        let noise = (0..<padding).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try builder.insertEntry("/noise.bin", data: noise)
    }
    return try builder.build()
}

func shown(_ source: BundleSource, _ name: String = "app") -> String? {
    (try? source.fetchBundle(name).contents(at: "/index.html"))
        .map { String(decoding: $0, as: UTF8.self) }
}

/// The code of what `body` throws; nil when it throws nothing.
func failure(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch let error as WebViewBundle.Error {
        return error.code
    } catch let error as BundleFormatError {
        return error.code
    } catch {
        return "\(error)"
    }
}

func failure(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as WebViewBundle.Error {
        return error.code
    } catch let error as BundleFormatError {
        return error.code
    } catch {
        return "\(error)"
    }
}
