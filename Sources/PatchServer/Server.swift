import Foundation
import PatchPlatform

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

        /// A server over `dataFolder` on a free loopback port.
        public init(dataFolder: String) { self.dataFolder = dataFolder }
    }

    private let configuration: Configuration
    private let http: HTTPServer
    private let log: ServerLog
    private let releases: ReleaseService
    private let telemetry: TelemetryStore
    /// Held while the server lives: two servers over one folder would sign over each other.
    private let folderLock: FileLock
    private let renewal = Lock<Task<Void, Never>?>(nil)
    /// The file with the admin token.
    public let adminTokenFile: String
    /// Whether the admin token was made by this start.
    public let isFirstStart: Bool

    /// Prepares the folder and finishes what an interrupted publication left.
    /// - Throws: ``HTTPServer/StartError``, `FileError`, ``APIError``.
    public init(
        configuration: Configuration, log: ServerLog = ServerLog(),
        clock: @escaping @Sendable () -> Date = { Date() },
        checkpoint: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.log = log
        let layout = DataLayout(root: configuration.dataFolder)
        try FileManager.default.createDirectory(
            atPath: configuration.dataFolder, withIntermediateDirectories: true)
        let files = LocalFileStore(folder: URL(fileURLWithPath: configuration.dataFolder))
        adminTokenFile = configuration.adminTokenFile ?? layout.adminToken
        guard let lock = try files.lock("lock", wait: false) else {
            throw APIError.conflict(
                "folder_in_use",
                "Another patchd serves '\(configuration.dataFolder)'; stop it or take another "
                    + "folder.")
        }
        folderLock = lock
        let apps = try AppStore(layout: layout, clock: clock)
        isFirstStart =
            configuration.adminTokenFile == nil ? try apps.prepareAdminToken() : false
        releases = ReleaseService(
            apps: apps, log: log, clock: clock, checkpoint: checkpoint)
        try releases.recover()
        telemetry = try TelemetryStore(path: layout.telemetryDatabase, clock: clock)
        let services = Services(
            apps: apps, releases: releases, telemetry: telemetry, metrics: Metrics(), log: log,
            clock: clock, settings: configuration.settings,
            adminTokenFile: configuration.adminTokenFile)
        http = HTTPServer(handler: PatchAPI(services: services), limits: configuration.limits)
    }

    /// Starts to listen.
    /// - Returns: The base address, such as `http://127.0.0.1:8080`.
    public func start() throws -> String {
        try http.start(host: configuration.host, port: configuration.port)
        renewal.withLock { [releases] task in
            task = Task {
                // Freshness lasts days; looking every ten minutes cannot miss its half.
                while !Task.isCancelled {
                    await releases.refreshAll()
                    try? await Task.sleep(nanoseconds: 600 * 1_000_000_000)
                }
            }
        }
        return "http://\(configuration.host):\(http.port)"
    }

    /// Lets requests in flight end, then closes.
    public func stop() {
        renewal.withLock { $0?.cancel() }
        http.stop()
        folderLock.release()
    }
}
