import Rollout

/// Something worth a line in a log or a crash report.
public struct PatchEvent: Sendable, Equatable, CustomStringConvertible {
    /// What it is about.
    public enum Kind: String, Sendable {
        /// A problem of configuration or resources.
        case configuration
        /// The state folder cannot be used.
        case state
        /// A release was activated.
        case activated
        /// A module could not be activated.
        case refused
        /// A patched function failed and was served natively.
        case call
        /// A check, download or activation failed.
        case update
        /// A module logged a line.
        case log
    }

    /// What it is about.
    public let kind: Kind
    /// The stable reason, where there is one.
    public let reason: Reason?
    /// What happened, as text.
    public let text: String
    /// The release that it is about, where there is one.
    public let release: PatchRelease?

    /// One line.
    public var description: String {
        let code = reason.map { " [\($0.code)]" } ?? ""
        let version = release.map { " \($0.version)" } ?? ""
        return "\(kind.rawValue)\(version): \(text)\(code)"
    }
}
