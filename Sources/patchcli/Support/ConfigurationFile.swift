import CommandLineKit
import Foundation
import PatchCompiler
import TUF

/// Writes `openpatch.json` and the files beside it.
enum ConfigurationFile {
    private struct Document: Encodable {
        struct Source: Encodable {
            let module: String
            let path: String
        }
        struct Expiry: Encodable {
            let root: Int?
            let targets: Int?
            let freshness: Int?
        }
        let v = 1
        let app_id: String
        let app_key: String
        let name: String
        let server: String?
        let channel: String
        let platform: String
        let sources: [Source]
        let guest: [String]
        let info_plists: [String]?
        let entitlements: [String]?
        let resources: String?
        let expiry_days: Expiry?
    }

    /// The text of the file: sorted keys, as people read it.
    static func text(_ configuration: ProjectConfiguration) throws -> String {
        let document = Document(
            app_id: configuration.appID, app_key: configuration.appKey, name: configuration.name,
            server: configuration.server, channel: configuration.channel,
            platform: configuration.platform,
            sources: configuration.sources.map { .init(module: $0.module, path: $0.path) },
            guest: configuration.guest,
            info_plists: configuration.infoPlists.isEmpty ? nil : configuration.infoPlists,
            entitlements: configuration.entitlements.isEmpty ? nil : configuration.entitlements,
            resources: configuration.resources,
            expiry_days: configuration.expiry == .init()
                ? nil
                : .init(
                    root: configuration.expiry.root, targets: configuration.expiry.targets,
                    freshness: configuration.expiry.freshness))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    /// Writes the file when it differs.
    /// - Returns: Whether it was written.
    @discardableResult
    static func write(_ configuration: ProjectConfiguration, in folder: URL) throws -> Bool {
        try writeIfChanged(
            Array(try checkedText(configuration).utf8),
            to: folder.appendingPathComponent(ProjectConfiguration.fileName))
    }

    /// The text of the file, which can be read again.
    /// - Throws: `PatchProjectError` about what may not be written.
    static func checkedText(_ configuration: ProjectConfiguration) throws -> String {
        let text = try text(configuration)
        // What we write must be what we read.
        guard try ProjectConfiguration(json: text) == configuration else {
            throw CommandFailure(
                "configuration_unwritable", "The configuration cannot be written as JSON",
                exit: .software)
        }
        return text
    }

    /// Keeps what may be thrown away out of version control.
    static func writeIgnoreFile(in folder: URL) throws {
        try writeIfChanged(
            Array("out/\n".utf8), to: folder.appendingPathComponent(".openpatch/.gitignore"))
    }

    @discardableResult
    static func writeIfChanged(_ bytes: [UInt8], to file: URL) throws -> Bool {
        if let known = FileManager.default.contents(atPath: file.path), [UInt8](known) == bytes {
            return false
        }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file, options: .atomic)
        return true
    }
}

/// What the app carries to trust and find its updates.
struct AppResources {
    /// `patch-config.json` (updates.md §1).
    struct Configuration: Codable, Equatable {
        struct Floors: Codable, Equatable {
            var min_targets_version: Int
            var min_sequence: Int
        }
        var v = 1
        var app_key: String
        var app_id: String
        var api_base_url: String?
        var channel: String
        var platform: String
        /// Absent until a build is registered.
        var fingerprint: String?
        var embedded_sequence: Int
        var floors: Floors
    }

    static let rootName = "patch-root.json"
    static let configurationName = "patch-config.json"
    static let baseName = "base.wasm"

    /// The resources folder of the app.
    let folder: URL

    /// Writes the root that the app ships, unless a later one of the same app is there already.
    func write(root: [UInt8]) throws {
        if let known = FileManager.default.contents(
            atPath: folder.appendingPathComponent(Self.rootName).path),
            let old = try? SignedMetadata<Root>(parsing: [UInt8](known)).signed,
            let new = try? SignedMetadata<Root>(parsing: root).signed,
            old.openPatch?.appID == new.openPatch?.appID, old.version > new.version
        {
            return
        }
        try ConfigurationFile.writeIfChanged(root, to: folder.appendingPathComponent(Self.rootName))
    }

    func write(_ configuration: Configuration) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(configuration)
        try ConfigurationFile.writeIfChanged(
            [UInt8](data) + [0x0A], to: folder.appendingPathComponent(Self.configurationName))
    }

    func write(base: [UInt8]) throws {
        try ConfigurationFile.writeIfChanged(base, to: folder.appendingPathComponent(Self.baseName))
    }

    /// What is there, if it can be read.
    var configuration: Configuration? {
        let path = folder.appendingPathComponent(Self.configurationName).path
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(Configuration.self, from: data)
    }
}
