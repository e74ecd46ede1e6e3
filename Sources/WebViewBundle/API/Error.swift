/// What sources, remotes, updaters and the bridge throw.
///
/// The three cases and their one text are the shape that apps know (seed of the product); the
/// text ends with a stable code in brackets, which ``code`` gives back.
public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
    /// Something on this device, or in what was asked for.
    case Core(message: String)
    /// Something on the way to the remote, or in its answer.
    case Http(message: String)
    /// A bundle is not signed as this app demands.
    case Signature(message: String)

    /// One sentence and the code in brackets.
    public var message: String {
        switch self {
        case .Core(let message), .Http(let message), .Signature(let message): message
        }
    }

    /// The stable snake_case code, as in `integrity_mismatch`.
    public var code: String {
        let text = message
        guard text.hasSuffix("]"), let start = text.lastIndex(of: "[") else {
            switch self {
            case .Core: return "core"
            case .Http: return "http"
            case .Signature: return "signature"
            }
        }
        return String(text[text.index(after: start)...].dropLast())
    }

    /// The message.
    public var description: String { message }
}

/// The same by a name that no other module has.
public typealias WebViewBundleLibraryError = Error

/// The codes that ``Error`` carries.
enum FailureCode: String, CaseIterable {
    // Names and versions
    case badName = "bundle_name_refused"
    case badVersion = "bundle_version_refused"
    // Sources
    case bundleNotFound = "bundle_not_found"
    case versionNotFound = "bundle_version_not_found"
    case versionInUse = "bundle_version_in_use"
    case manifestDamaged = "manifest_damaged"
    case storage = "bundle_storage_failed"
    case noRemoteFolder = "remote_folder_missing"
    case downgrade = "downgrade_refused"
    case downloadRunning = "download_running"
    // Releases
    case notReleased = "bundle_not_released"
    case isReleased = "bundle_is_released"
    // Integrity and signatures
    case integrityMissing = "integrity_missing"
    case integrityMalformed = "integrity_malformed"
    case integrityMismatch = "integrity_mismatch"
    case signatureMissing = "signature_missing"
    case signatureMalformed = "signature_malformed"
    case signatureInvalid = "signature_invalid"
    case badKey = "signature_key_unusable"
    // Remote
    case badEndpoint = "remote_endpoint_refused"
    case forbidden = "remote_forbidden"
    case notFound = "remote_bundle_not_found"
    case badStatus = "remote_refused"
    case badAnswer = "remote_answer_malformed"
    case wrongBundle = "remote_answered_for_another_bundle"
    case transport = "remote_unreachable"
    case badBundle = "remote_bundle_malformed"

    func core(_ text: String) -> Error { .Core(message: "\(text) [\(rawValue)]") }
    func http(_ text: String) -> Error { .Http(message: "\(text) [\(rawValue)]") }
    func signature(_ text: String) -> Error { .Signature(message: "\(text) [\(rawValue)]") }
}
