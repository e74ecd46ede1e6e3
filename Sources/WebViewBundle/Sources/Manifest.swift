import Foundation

/// What is known of one version of a bundle beside its bytes.
public struct BundleMetadata: Sendable, Equatable, Codable {
    /// The entity tag of the remote's answer.
    public var etag: String?
    /// The integrity string.
    public var integrity: String?
    /// The signature over the integrity string, in base64.
    public var signature: String?
    /// When the remote says that it changed.
    public var lastModified: String?

    /// Makes one of its parts.
    public init(
        etag: String? = nil, integrity: String? = nil, signature: String? = nil,
        lastModified: String? = nil
    ) {
        self.etag = etag
        self.integrity = integrity
        self.signature = signature
        self.lastModified = lastModified
    }
}

/// `manifest.json` of a folder of bundles, as other implementations read and write it.
struct BundleManifest: Sendable, Equatable {
    struct Entry: Sendable, Equatable, Codable {
        var versions: [String: BundleMetadata] = [:]
        var currentVersion: String?
        var previousVersion: String?
    }

    static let fileName = "manifest.json"
    /// Far above any real manifest, so that a damaged disk cannot fill the memory.
    static let maximumSize = 8 << 20

    var entries: [String: Entry] = [:]

    init() {}

    /// - Throws: ``Error/Core(message:)`` `manifest_damaged`. Unknown keys are ignored; entries
    ///   and versions whose names could not be file names are left out.
    init(json: [UInt8]) throws {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch {
            throw FailureCode.manifestDamaged.core("The manifest is no valid JSON document.")
        }
        guard document.manifestVersion == 1 else {
            throw FailureCode.manifestDamaged.core(
                "The manifest is of version \(document.manifestVersion); version 1 is supported.")
        }
        for (name, entry) in document.entries where BundleNaming.problem(with: name) == nil {
            var entry = entry
            entry.versions = entry.versions.filter { BundleNaming.problem(with: $0.key) == nil }
            // A current version that is not listed has no file.
            if let version = entry.currentVersion, entry.versions[version] == nil {
                entry.currentVersion = nil
            }
            if let version = entry.previousVersion, entry.versions[version] == nil {
                entry.previousVersion = nil
            }
            entries[name] = entry
        }
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(Document(manifestVersion: 1, entries: entries)))
    }

    /// Where a version's file lies, relative to the folder.
    static func file(_ name: String, _ version: String) -> String {
        "\(name)/\(name)_\(version).wvb"
    }

    private struct Document: Codable {
        let manifestVersion: Int
        let entries: [String: Entry]
    }
}
