/// Why metadata or a target was refused, or a repository could not be read or written.
public struct TUFError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, stable over releases.
    public enum Kind: String, Sendable, CaseIterable {
        // Reading bytes.
        case jsonDamaged = "json_damaged"
        case jsonTooDeep = "json_too_deep"
        case jsonTooLarge = "json_too_large"
        case jsonDuplicateKey = "json_duplicate_key"
        case jsonNumberRefused = "json_number_refused"
        case jsonInvalidUTF8 = "json_invalid_utf8"
        // Reading metadata.
        case metadataMalformed = "metadata_malformed"
        case metadataWrongType = "metadata_wrong_type"
        case metadataWrongRole = "metadata_wrong_role"
        case specVersionUnsupported = "spec_version_unsupported"
        // Trust (specification §5).
        case signaturesInsufficient = "signatures_insufficient"
        case metadataExpired = "metadata_expired"
        case metadataRollback = "metadata_rollback"
        case metadataVersionMismatch = "metadata_version_mismatch"
        case metadataTooLarge = "metadata_too_large"
        case metadataLengthMismatch = "metadata_length_mismatch"
        case metadataHashMismatch = "metadata_hash_mismatch"
        case hashUnsupported = "hash_unsupported"
        case roleNotInSnapshot = "role_not_in_snapshot"
        case roleNotDelegated = "role_not_delegated"
        case belowFloor = "below_floor"
        case wrongOrder = "wrong_order"
        // Getting.
        case metadataUnavailable = "metadata_unavailable"
        case downloadFailed = "download_failed"
        case cacheFailed = "cache_failed"
        case rootChainTooLong = "root_chain_too_long"
        case noTrustedRoot = "no_trusted_root"
        // Targets.
        case targetNotFound = "target_not_found"
        case targetPathRefused = "target_path_refused"
        case targetTooLarge = "target_too_large"
        case targetLengthMismatch = "target_length_mismatch"
        case targetHashMismatch = "target_hash_mismatch"
        // Writing.
        case keyUnusable = "key_unusable"
        case signingFailed = "signing_failed"
        case repositoryIncomplete = "repository_incomplete"
        case uploadRefused = "upload_refused"
    }

    /// The kind of failure.
    public let kind: Kind
    /// The role whose metadata is at fault, where there is one.
    public let role: String?
    /// One sentence: what happened, why, what to do.
    public let message: String

    /// An error of `kind` about `role`.
    public init(_ kind: Kind, role: String? = nil, _ message: String) {
        self.kind = kind
        self.role = role
        self.message = message
    }

    /// The stable code, for logs and programs.
    public var code: String { kind.rawValue }

    /// For people: the sentence and the code.
    public var description: String { "\(message) [\(code)]" }
}
