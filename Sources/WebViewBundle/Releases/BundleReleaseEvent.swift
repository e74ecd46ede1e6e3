/// A released version of a bundle.
public struct BundleRelease: Sendable, Equatable {
    /// The bundle.
    public let bundle: String
    /// The version, as people call it.
    public let version: String
    /// SHA-256 of the archive, 64 hex digits.
    public let digest: String
}

/// An update of a bundle that was found.
public struct BundleReleaseUpdate: Sendable, Equatable {
    /// The bundle.
    public let bundle: String
    /// The version to move to; nil for the one that the app ships.
    public let version: String?
    /// SHA-256 of its archive; nil for the one that the app ships.
    public let digest: String?
    /// Release notes, if any.
    public let notes: String?
    /// Whether it should be taken without waiting for the user.
    public let isMandatory: Bool
    /// Bytes to download; 0 when it is on disk already.
    public let size: Int
    /// The stable code of why it is to be taken, such as `update_stable` or `rolled_back`.
    public let reason: String
}

/// What happened to a released bundle.
public enum BundleReleaseEvent: Sendable, Equatable {
    /// This version is served from now on; nil for the one that the app ships.
    case shows(bundle: String, release: BundleRelease?)
    /// There is an update.
    case available(BundleReleaseUpdate)
    /// So many bytes of an update are here, of how many there will be.
    case progress(bundle: String, received: Int, total: Int)
    /// An update is on disk and can be applied.
    case staged(BundleReleaseUpdate)
    /// The version that is shown works.
    case ready(BundleRelease)
    /// A version did not work and is not shown any more: the stable code and a sentence why, and the
    /// version that took its place (nil for the one that the app ships).
    case tookBack(BundleRelease, code: String, message: String, now: String?)
    /// Something could not be done; what is served stays as it is.
    case problem(bundle: String, code: String, message: String)

    /// The bundle that it is about.
    public var bundle: String {
        switch self {
        case .shows(let bundle, _), .progress(let bundle, _, _), .problem(let bundle, _, _):
            return bundle
        case .available(let update), .staged(let update): return update.bundle
        case .ready(let release), .tookBack(let release, _, _, _): return release.bundle
        }
    }
}
