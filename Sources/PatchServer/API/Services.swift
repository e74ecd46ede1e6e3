import Foundation

/// What the endpoints stand on.
struct Services: Sendable {
    let apps: AppStore
    let releases: ReleaseService
    let telemetry: TelemetryStore
    let rollouts: RolloutService
    let metrics: Metrics
    let log: ServerLog
    let clock: @Sendable () -> Date
    /// The clock that rates are counted by.
    let monotonicNow: @Sendable () -> UInt64
    let settings: APISettings
    /// A file with the admin token, when it is not the one in the folder.
    let adminTokenFile: String?

    var control: ControlStore { apps.control }
}

/// Bounds on what anonymous clients may do.
public struct APISettings: Sendable {
    /// Telemetry requests a minute that one address may send; twice as many at once.
    public var telemetryPerMinute = 600
    /// Installs a minute that one address may begin to tell of; ten minutes' worth at once.
    public var installsPerMinute = 60
    /// Changes a minute that one address may make; half as many at once.
    public var changesPerMinute = 120
    /// Wrong tokens a minute that one address may try.
    public var wrongTokensPerMinute = 20
    /// Whether webhooks may point into the server's own network, and to http.
    public var privateWebhooks = false

    /// The defaults.
    public init() {}
}
