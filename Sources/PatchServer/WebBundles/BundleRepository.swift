import Foundation
import PatchPlatform
import WebViewBundle

/// A folder of published web bundles: every version's archive and statement, and for each bundle
/// which version is deployed, by default and by channel.
///
///     bundles/<name>/deployment.json
///     bundles/<name>/<name>_<version>.wvb
///     bundles/<name>/<name>_<version>.json
public struct BundleRepository: Sendable {
    /// What is stated of one version.
    public struct Statement: Codable, Sendable, Equatable {
        /// The integrity string.
        public var integrity: String
        /// The signature over it, when there is one.
        public var signature: String?
    }

    /// Which version is deployed.
    public struct Deployment: Codable, Sendable, Equatable {
        /// By default; nil when only channels have one.
        public var version: String?
        /// By channel.
        public var channels: [String: String] = [:]

        /// The version for a channel; one that has none of its own gets the default one.
        public func version(for channel: String?) -> String? {
            channel.flatMap { channels[$0] } ?? version
        }
    }

    private let files: LocalFileStore
    private static let mostStatement = 64 << 10

    /// The repository in `folder`, which is made when something is first published.
    public init(folder: URL) { files = LocalFileStore(folder: folder) }

    // MARK: Publishing

    /// Adds a version, having read the archive through. It is deployed by ``deploy(_:_:channel:)``.
    /// - Parameters:
    ///   - sign: makes the signature over the integrity string; nil leaves it unsigned.
    ///   - replacing: whether a version that is there already is replaced.
    /// - Throws: ``WebViewBundle/BundleFormatError``; ``APIError`` `bundle_exists`,
    ///   `bundle_name_refused`; ``PatchPlatform/FileError``.
    @discardableResult
    public func publish(
        _ name: String, _ version: String, _ bytes: [UInt8], replacing: Bool = false,
        sign: (Integrity) throws -> String? = { _ in nil }
    ) throws -> Statement {
        try check(name, version)
        try BundleReader(bytes: bytes).verify()
        if !replacing, try files.size(of: Self.archive(name, version)) != nil {
            throw APIError.conflict(
                "bundle_exists",
                "Version \(version) of \(name) is published already. Choose another version.")
        }
        let integrity = Integrity(of: bytes)
        let statement = Statement(
            integrity: integrity.description, signature: try sign(integrity))
        // The statement last: a version without one is not there.
        try files.writeAtomically(bytes, to: Self.archive(name, version))
        try write(statement, to: Self.statement(name, version))
        return statement
    }

    /// Makes a version the one that devices get, by default or in a channel.
    /// - Throws: ``APIError`` `not_found` when it is not published; ``PatchPlatform/FileError``.
    public func deploy(_ name: String, _ version: String, channel: String? = nil) throws {
        try check(name, version)
        guard try statement(of: name, version) != nil else {
            throw APIError(
                status: 404, code: "not_found",
                message: "Version \(version) of \(name) is not published here.")
        }
        guard let lock = try files.lock("bundles/\(name)/lock", wait: true) else {
            throw APIError.internalFailure("The folder of bundles cannot be locked.")
        }
        defer { lock.release() }
        var deployment = try self.deployment(of: name) ?? Deployment()
        if let channel {
            deployment.channels[channel] = version
        } else {
            deployment.version = version
        }
        try write(deployment, to: Self.deployment(name))
    }

    // MARK: Reading

    /// The names of all bundles, sorted.
    public func names() throws -> [String] {
        try files.list("bundles").filter { BundleName.isValid($0) }
    }

    /// Which version of a bundle is deployed; nil when there is no such bundle.
    public func deployment(of name: String) throws -> Deployment? {
        guard BundleName.isValid(name) else { return nil }
        return try read(Self.deployment(name))
    }

    /// What is stated of a version; nil when it is not published.
    public func statement(of name: String, _ version: String) throws -> Statement? {
        guard BundleName.isValid(name), BundleName.isValid(version) else { return nil }
        return try read(Self.statement(name, version))
    }

    /// The path of a version's archive.
    func path(of name: String, _ version: String) throws -> String {
        try files.path(Self.archive(name, version))
    }

    private static func archive(_ name: String, _ version: String) -> String {
        "bundles/\(name)/\(name)_\(version).wvb"
    }

    private static func statement(_ name: String, _ version: String) -> String {
        "bundles/\(name)/\(name)_\(version).json"
    }

    private static func deployment(_ name: String) -> String { "bundles/\(name)/deployment.json" }

    private func check(_ name: String, _ version: String) throws {
        for text in [name, version] where !BundleName.isValid(text) {
            throw APIError.refused(
                "bundle_name_refused",
                "Names and versions of bundles have letters, digits, '.', '_' and '-' only.")
        }
    }

    private func read<Value: Decodable>(_ name: String) throws -> Value? {
        guard let bytes = try files.read(name, maximumSize: Self.mostStatement) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    private func write(_ value: some Encodable, to name: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try files.writeAtomically([UInt8](encoder.encode(value)), to: name)
    }
}
