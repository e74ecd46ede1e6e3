/// An update that this device should take.
public struct UpdateInfo: Sendable, Equatable {
    /// The version, as people call it; `embedded` for going back to the shipped code.
    public let version: String
    /// Release notes, if any.
    public let releaseNotes: String?
    /// Whether it should be applied without waiting for the user.
    public let isMandatory: Bool
    /// Size of the download in bytes; 0 when nothing has to be downloaded.
    public let sizeBytes: Int
    /// Whether it goes back to something earlier.
    public let isRollback: Bool
    /// Why this device should take it.
    public let reason: Reason
    /// SHA-256 of the module, 64 hex digits; nil for going back to the shipped code.
    public let digest: String?
    /// When a mandatory update is applied at the latest, in seconds since 1970, if that was said.
    public let applyBy: Double?
}

/// How far an update is.
public enum PatchUpdateState: Sendable, Equatable {
    /// Nothing has been asked yet.
    case idle
    /// The server is being asked.
    case checking
    /// There is an update to fetch.
    case available(UpdateInfo)
    /// The download is on its way; the share of its bytes, 0 to 1.
    case downloading(Double)
    /// An update is verified and on disk; ``Patch/reloadAsync()`` applies it.
    case readyToReload
    /// There is nothing to fetch.
    case upToDate
    /// The last step failed; the text says why and what to do.
    case failed(String)
}

/// What ``Patch/start()`` led to.
public enum StartOutcome: Sendable, Equatable {
    /// The module of this release runs.
    case activated(String)
    /// A module was there but cannot run; native code does. The text says why.
    case fallback(String)
    /// There is no module; the app is fully native.
    case noModule
}

/// The release that runs, for crash reports and logs.
public struct PatchRelease: Sendable, Equatable {
    /// Where a running module came from.
    public enum Origin: String, Sendable {
        /// The app shipped with it.
        case bundled
        /// It was downloaded.
        case downloaded
    }

    /// The version, as people call it.
    public let version: String
    /// The only order between releases.
    public let sequence: Int
    /// SHA-256 of the module, 64 hex digits.
    public let digest: String
    /// Where it came from.
    public let origin: Origin
}
