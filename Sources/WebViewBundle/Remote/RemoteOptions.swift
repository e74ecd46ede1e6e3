import Foundation

/// How a remote is spoken to.
public struct RemoteOptions: Sendable, Equatable {
    /// Headers of every request, such as a token.
    public var headers: [String: String] = [:]
    /// Whether plain `http` is allowed to hosts other than this machine.
    public var allowsInsecureEndpoint = false
    /// The largest bundle that is taken, in bytes.
    public var maximumBundleSize = 512 << 20
    /// Seconds without a byte after which a request fails.
    public var idleTimeout: Double = 15
    /// Seconds after which a request fails whatever it does. What has arrived of a bundle stays
    /// for the next attempt.
    public var deadline: Double = 120

    /// The usual options.
    public init() {}
}

/// One line of a remote's list.
public struct RemoteBundleListing: Sendable, Equatable, Codable {
    /// The bundle.
    public let name: String
    /// The version that is deployed.
    public let version: String

    /// Makes one of its parts.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

/// What a remote says of one version.
public struct RemoteBundleInfo: Sendable, Equatable {
    /// The bundle.
    public let name: String
    /// The version.
    public let version: String
    /// What it says beside that.
    public let metadata: BundleMetadata

    /// The entity tag.
    public var etag: String? { metadata.etag }
    /// The integrity string.
    public var integrity: String? { metadata.integrity }
    /// The signature over the integrity string.
    public var signature: String? { metadata.signature }
    /// When it changed.
    public var lastModified: String? { metadata.lastModified }
}

/// The names of the contract's headers.
public enum RemoteHeader {
    /// The bundle's name; required.
    public static let name = "webview-bundle-name"
    /// The bundle's version; required.
    public static let version = "webview-bundle-version"
    /// The integrity string.
    public static let integrity = "webview-bundle-integrity"
    /// The signature over the integrity string.
    public static let signature = "webview-bundle-signature"
}

extension RemoteBundleInfo {
    /// Reads the headers of an answer.
    /// - Throws: ``Error/Http(message:)`` `remote_answer_malformed` for a missing name or version,
    ///   `remote_answered_for_another_bundle` for those of another bundle than asked for.
    init(headers: [String: String], asked name: String, _ version: String?) throws {
        func required(_ header: String) throws -> String {
            guard let value = headers[header], !value.isEmpty else {
                throw FailureCode.badAnswer.http(
                    "The remote's answer lacks the header \(header), so it cannot be used.")
            }
            return value
        }
        self.name = try required(RemoteHeader.name)
        self.version = try required(RemoteHeader.version)
        guard self.name == name, version == nil || self.version == version else {
            throw FailureCode.wrongBundle.http(
                "Asked for '\(name)' \(version ?? ""), the remote answered with "
                    + "'\(self.name.printable)' \(self.version.printable).")
        }
        try BundleNaming.check(version: self.version)
        metadata = BundleMetadata(
            etag: headers["etag"], integrity: headers[RemoteHeader.integrity],
            signature: headers[RemoteHeader.signature], lastModified: headers["last-modified"])
    }
}
