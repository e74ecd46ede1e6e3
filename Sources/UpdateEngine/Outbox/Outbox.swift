import Foundation
import PatchPlatform
import Rollout

/// Events on their way to the server, kept on disk until it has them.
public actor Outbox {
    /// How much may wait.
    public struct Limits: Sendable {
        /// Most events that wait; the oldest give way.
        public var events = 200
        /// Most bytes that they take on disk.
        public var bytes = 64 << 10
        /// Most events in one request.
        public var batch = 50

        /// The limits of updates.md, section 5.
        public init() {}
    }

    /// How an attempt to send ended.
    public enum Sending: Equatable, Sendable {
        /// Nothing waits, or nothing may be sent.
        case nothing
        /// So many events are at the server and no longer here.
        case sent(Int)
        /// The server or an earlier failure asked for patience until then (seconds since 1970).
        case notBefore(Double)
        /// It failed; what waits is kept.
        case failed(UpdateError)
    }

    private let files: any FileStore
    private let clock: any SystemClock
    private let random: any RandomSource
    private let limits: Limits
    private let telemetry: Telemetry

    /// An outbox below `outbox/` of `files`; it touches the disk when it is first used.
    public init(
        files: any FileStore, clock: any SystemClock = LiveClock(),
        random: any RandomSource = LiveRandom(), limits: Limits = Limits(),
        telemetry: Telemetry = .on
    ) {
        self.files = files
        self.clock = clock
        self.random = random
        self.limits = limits
        self.telemetry = telemetry
    }

    /// Keeps an event; on return it survives the end of the process.
    /// - Throws: ``UpdateError`` when the disk refuses.
    public func record(_ event: TelemetryEvent) throws {}

    /// Keeps an event some time soon, without making the caller wait; failures are counted only.
    public nonisolated func post(_ event: TelemetryEvent) {
        Task(priority: .utility) { try await record(event) }
    }

    /// Sends what waits to `url`, in batches, oldest first.
    public func send(to url: URL, transport: any HTTPTransport) async -> Sending { .nothing }
}
