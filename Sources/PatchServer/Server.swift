import Foundation
import PatchPlatform
import RolloutGates

/// A whole update server over one folder.
public final class PatchServer: Sendable {
    /// How a server is set up.
    public struct Configuration: Sendable {
        /// The folder with everything that the server keeps.
        public var dataFolder: String
        /// The IPv4 address to listen on.
        public var host = "127.0.0.1"
        /// The port; 0 takes a free one.
        public var port: UInt16 = 0
        /// A file with the admin token, when it is not the one in the folder.
        public var adminTokenFile: String?
        /// Bounds on connections.
        public var limits = ServerLimits()
        /// Bounds on anonymous clients.
        public var settings = APISettings()
        /// Lets a test fail any step on files.
        var probe: LocalFileStore.Probe?

        /// A server over `dataFolder` on a free loopback port.
        public init(dataFolder: String) { self.dataFolder = dataFolder }
    }

    private let configuration: Configuration
    private let http: HTTPServer
    private let log: ServerLog
    private let releases: ReleaseService
    private let telemetry: TelemetryStore
    private let gates: GateService
    /// What is served beside published files, for tests.
    let routes: [Route]
    private let webhooks: WebhookSender
    private let housekeeping: Housekeeping
    /// Held while the server lives: two servers over one folder would sign over each other.
    private let services: Services
    private let folderLock: FileLock
    private let tasks = Lock<[Task<Void, Never>]>([])
    /// The file with the admin token.
    public let adminTokenFile: String
    /// Whether the admin token was made by this start.
    public let isFirstStart: Bool

    /// Prepares the folder and finishes what an interrupted publication left.
    /// - Throws: ``StartFailure``, ``HTTPServer/StartError``, `FileError`, ``APIError``.
    public convenience init(
        configuration: Configuration, log: ServerLog = ServerLog(),
        clock: @escaping @Sendable () -> Date = { Date() },
        checkpoint: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) throws {
        try self.init(
            configuration: configuration, log: log, clock: clock,
            monotonicNow: { monotonicNanoseconds() }, checkpoint: checkpoint)
    }

    /// - Parameter monotonicNow: the clock that rates are counted by.
    init(
        configuration: Configuration, log: ServerLog,
        clock: @escaping @Sendable () -> Date, monotonicNow: @escaping @Sendable () -> UInt64,
        checkpoint: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.log = log
        let layout = DataLayout(root: configuration.dataFolder)
        if let file = configuration.adminTokenFile {
            try StartFailure.checkAdminToken(file, isOwn: false)
        }
        try StartFailure.makeFolder(configuration.dataFolder)
        let files = LocalFileStore(folder: URL(fileURLWithPath: configuration.dataFolder))
        adminTokenFile = configuration.adminTokenFile ?? layout.adminToken
        guard let lock = try files.lock("lock", wait: false) else {
            throw APIError.conflict(
                "folder_in_use",
                "Another patchd serves '\(configuration.dataFolder)'; stop it or take another "
                    + "folder.")
        }
        folderLock = lock
        let apps = try AppStore(layout: layout, clock: clock, probe: configuration.probe)
        isFirstStart =
            configuration.adminTokenFile == nil ? try apps.prepareAdminToken() : false
        if configuration.adminTokenFile == nil {
            try StartFailure.checkAdminToken(layout.adminToken, isOwn: true)
        }
        releases = ReleaseService(
            apps: apps, log: log, clock: clock, checkpoint: checkpoint)
        try releases.recover()
        telemetry = try StartFailure.opening(layout.telemetryDatabase) {
            try TelemetryStore(
                path: layout.telemetryDatabase, clock: clock,
                isPublished: { apps.isPublished($0, $1, $2) })
        }
        let rollouts = RolloutService(
            releases: releases, control: apps.control, telemetry: telemetry)
        let metrics = Metrics()
        webhooks = WebhookSender(control: apps.control, log: log)
        housekeeping = Housekeeping(
            control: apps.control, telemetry: telemetry, uploads: releases.uploads, log: log)
        gates = GateService(
            store: ServerGateStore(rollouts: rollouts, log: log),
            now: { Int(clock().timeIntervalSince1970) },
            report: { outcomes in
                for outcome in outcomes { Self.report(outcome, log) }
                metrics.looked(at: outcomes.count)
            }, problem: { log.error("gates_failed", ["error": "\($0)"]) })
        services = Services(
            apps: apps, releases: releases, telemetry: telemetry, rollouts: rollouts,
            metrics: metrics, log: log, clock: clock, monotonicNow: monotonicNow,
            settings: configuration.settings,
            adminTokenFile: configuration.adminTokenFile)
        let api = PatchAPI(services: services)
        routes = api.routes
        http = HTTPServer(handler: api, limits: configuration.limits)
    }

    /// Starts to listen.
    /// - Returns: The base address, such as `http://127.0.0.1:8080`.
    public func start() throws -> String {
        try http.start(host: configuration.host, port: configuration.port)
        tasks.withLock { [releases, gates, webhooks, housekeeping] tasks in
            tasks = [
                Task {
                    // Freshness lasts days; looking every ten minutes cannot miss its half.
                    while !Task.isCancelled {
                        await releases.refreshAll()
                        try? await Task.sleep(nanoseconds: 600 * 1_000_000_000)
                    }
                },
                Task { await gates.run() },
                Task { await webhooks.run() },
                Task { await housekeeping.run() },
            ]
        }
        return "http://\(configuration.host):\(http.port)"
    }

    /// Lets requests in flight end, then closes.
    public func stop() {
        tasks.withLock { $0.forEach { $0.cancel() } }
        http.stop()
        folderLock.release()
    }

    /// The databases, for tests that fill their disk.
    var databases: (control: Database, telemetry: Database) {
        (services.control.database, services.telemetry.database)
    }

    /// Signs freshness and brakes wherever they near their end, for tests.
    func refreshFreshness() async { await releases.refreshAll() }

    /// Sends what webhooks wait for, for tests.
    func sendWebhooks() async throws { try await webhooks.sendDue() }

    /// Has the gates look once now, for tests.
    func lookAtGates() async { await gates.look() }

    private static func report(_ outcome: GateKeeper.Outcome, _ log: ServerLog) {
        switch outcome {
        case .done(let record):
            log.info(
                "gate",
                [
                    "channel": record.decision.inputs.channel,
                    "release": record.decision.inputs.release,
                    "action": record.decision.action.name, "rule": record.decision.rule.rawValue,
                ])
        case .failed(let rollout, let problem):
            log.error("gate_failed", ["rollout": rollout, "error": problem])
        case .unchanged, .overtaken: break
        }
    }
}
