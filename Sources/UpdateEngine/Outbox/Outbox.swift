import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF

/// Events on their way to the server, kept on disk until it has them.
///
/// An event that was recorded is sent until the server has answered for it, with the same
/// idempotency key each time: never lost to a crash, counted once however often it arrives.
public actor Outbox {
    /// How much may wait, and how long.
    public struct Limits: Sendable {
        /// Most events that wait; the oldest give way.
        public var events = 200
        /// Most bytes that they take on disk.
        public var bytes = 64 << 10
        /// Most events in one request.
        public var batch = 50
        /// Most events on their way to the disk; more are not kept.
        public var pending = 64
        /// The longest time that a server may ask for, in seconds.
        public var longestPatience: Double = 86400

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
    private let file: OutboxFile
    private let memory: OutboxMemory
    private let pending = Lock(0)
    private let lostCount = Lock(0)
    private var isSending = false

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
        file = OutboxFile(files: files, limits: limits)
        memory = OutboxMemory(files: files, random: random)
    }

    /// Events of this process that could not be kept, because the disk refused or too many came at
    /// once.
    public nonisolated var lost: Int { lostCount.withLock { $0 } }

    // MARK: Recording

    /// Keeps an event; on return it survives the end of the process and a power cut.
    /// - Throws: ``UpdateError`` when the disk refuses; the event is then lost.
    public func record(_ event: TelemetryEvent) throws {
        do {
            guard try isTelling() else { return }
            try file.append(event)
        } catch {
            lostCount.withLock { $0 += 1 }
            throw UpdateError.state(error)
        }
    }

    /// Keeps an event some time soon. Never waits and never fails: what cannot be kept is counted in
    /// ``lost``.
    public nonisolated func post(_ event: TelemetryEvent) {
        if case .off = telemetry { return }
        let hasRoom = pending.withLock { count -> Bool in
            guard count < limits.pending else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return lostCount.withLock { $0 += 1 } }
        Task(priority: .utility) {
            defer { pending.withLock { $0 -= 1 } }
            // A failure is counted where it happens.
            try? await record(event)
        }
    }

    /// Whether this install tells. An install is in or out of a sample as a whole, by its id.
    private func isTelling() throws -> Bool {
        switch telemetry {
        case .on: return true
        case .off: return false
        case .sampled(let share):
            guard share > 0 else { return false }
            let digest = SHA256.hash("patch-telemetry-v1 " + (try memory.installID()))
            let place = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 10_000
            return Double(place) < share * 10_000
        }
    }

    // MARK: Sending

    /// Sends what waits to `url` (`<apiBaseURL>/apps/<appKey>/events`), in batches, oldest first.
    ///
    /// Off the path of anything: it may take as long as the network does.
    public func send(to url: URL, transport: any HTTPTransport) async -> Sending {
        guard !isSending else { return .nothing }
        isSending = true
        defer { isSending = false }
        do {
            guard try isTelling() else {
                try file.erase()
                return .nothing
            }
            let patience = memory.patience()
            let now = clock.now()
            // A clock that was set back must not make us wait for years.
            if now < patience.notBefore, patience.notBefore - now <= limits.longestPatience {
                return .notBefore(patience.notBefore)
            }
            return try await sendAll(to: url, transport, failures: patience.failures)
        } catch {
            return .failed(.state(error))
        }
    }

    private func sendAll(
        to url: URL, _ transport: any HTTPTransport, failures: Int
    ) async throws -> Sending {
        var sent = 0
        var batch = limits.batch
        // Each request forgets events or halves the batch, so this ends.
        while true {
            let events = Array(try file.load().prefix(max(1, batch)))
            guard !events.isEmpty else { break }
            let request = try request(events, url)
            let answer: HTTPResponse
            do {
                answer = try await transport.fetch(request)
            } catch {
                try wait(after: failures + 1, nil)
                return .failed(.network(error))
            }
            switch answer.status {
            case 200..<300:
                try file.remove(Set(events.map(\.id)))
                sent += events.count
            case 400, 413, 422:
                // Something in it can never be taken: found by halving, and given up.
                if events.count > 1 {
                    batch = events.count / 2
                } else {
                    try file.remove(Set(events.map(\.id)))
                    lostCount.withLock { $0 += 1 }
                }
            default:
                let until = try wait(after: failures + 1, answer.head.retryAfter)
                return answer.head.retryAfter != nil
                    ? .notBefore(until)
                    : .failed(
                        UpdateError(
                            .serverRefused, "\(url.absoluteString), status \(answer.status)"))
            }
        }
        try memory.forgetPatience()
        return sent == 0 ? .nothing : .sent(sent)
    }

    @discardableResult
    private func wait(after failures: Int, _ retryAfter: Double?) throws -> Double {
        let pause = Backoff(first: 30, longest: 6 * 3600).pause(
            after: failures, retryAfter: retryAfter, random: random)
        let until = clock.now() + min(pause, limits.longestPatience)
        try memory.keep(.init(notBefore: until, failures: failures))
        return until
    }

    private func request(_ events: [TelemetryEvent], _ url: URL) throws -> HTTPRequest {
        var request = HTTPRequest(
            url, headers: ["Content-Type": "application/json"], maximumSize: 64 << 10)
        request.method = .post
        request.followsToOtherHosts = false
        let batch: JSONValue = [
            "install_id": .string(try memory.installID()), "events": .array(events.map(\.json)),
        ]
        request.body = batch.encoded()
        return request
    }
}
