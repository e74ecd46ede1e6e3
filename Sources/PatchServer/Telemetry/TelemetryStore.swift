import Foundation
import PatchPlatform

/// What devices have told, in a database of its own: so much is written there that changes of apps
/// and tokens would have to wait.
///
/// Batches that come at the same time share a transaction, and nobody is answered before the disk
/// has it.
final class TelemetryStore: Sendable {
    /// The most batches that wait; more are told to come again.
    private static let mostWaiting = 2_048
    /// The most batches of one transaction, so that none waits long.
    private static let mostTogether = 256

    /// A batch and what it came with.
    struct Delivery: Sendable {
        let app: String
        let batch: EventBatch
        /// See ``TelemetryWriter/take(_:app:newInstall:)``.
        var newInstall: @Sendable () -> Int? = { nil }
    }

    private struct Waiting: Sendable {
        let delivery: Delivery
        let answer: CheckedContinuation<TelemetryWriter.Outcome, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var isWriting = false
    }

    let database: Database
    let limits: TelemetryWriter.Limits
    private let clock: @Sendable () -> Date
    private let isPublished: @Sendable (String, TelemetrySchema.Kind, String) -> Bool
    private let queue = Lock(Queue())
    private let names = Lock(NameCache())
    /// By ``TelemetryStage/place(_:_:)``.
    let stages = Lock<[String: [TelemetryStage]]>([:])
    // A thread that may wait for the disk, apart from those that answer requests.
    private let thread = DispatchQueue(label: "openpatch.telemetry")

    /// Opens the database.
    /// - Throws: ``DatabaseError``, ``Database/TooNew``.
    init(
        path: String, limits: TelemetryWriter.Limits = .init(),
        clock: @escaping @Sendable () -> Date = { Date() },
        isPublished: @escaping @Sendable (String, TelemetrySchema.Kind, String) -> Bool = {
            _, _, _ in true
        }
    ) throws {
        database = try Database(path: path, migrations: TelemetrySchema.migrations)
        self.limits = limits
        self.clock = clock
        self.isPublished = isPublished
        try reloadStages()
    }

    var now: Int { Int(clock().timeIntervalSince1970) }

    /// Keeps a batch; on return it survives the end of the process and a power cut.
    /// - Throws: ``DatabaseError``, ``APIError`` 503 `busy`.
    func take(_ delivery: Delivery) async throws -> TelemetryWriter.Outcome {
        try await withCheckedThrowingContinuation { continuation in
            let waiting = Waiting(delivery: delivery, answer: continuation)
            let (isFull, starts) = queue.withLock { queue -> (Bool, Bool) in
                guard queue.waiting.count < Self.mostWaiting else { return (true, false) }
                queue.waiting.append(waiting)
                defer { queue.isWriting = true }
                return (false, !queue.isWriting)
            }
            if isFull {
                continuation.resume(throwing: DatabaseError.busy.refusal)
            } else if starts {
                thread.async { [self] in writeAll() }
            }
        }
    }

    private func writeAll() {
        while true {
            let group = queue.withLock { queue -> [Waiting] in
                let group = Array(queue.waiting.prefix(Self.mostTogether))
                queue.waiting.removeFirst(group.count)
                if group.isEmpty { queue.isWriting = false }
                return group
            }
            if group.isEmpty { return }
            write(group)
        }
    }

    private func write(_ group: [Waiting]) {
        do {
            let outcomes = try write(group.map(\.delivery))
            for (waiting, outcome) in zip(group, outcomes) {
                waiting.answer.resume(returning: outcome)
            }
        } catch {
            for waiting in group { waiting.answer.resume(throwing: error) }
        }
    }

    /// Keeps batches in one transaction.
    /// - Throws: ``DatabaseError``; then none of them is kept.
    func write(_ deliveries: [Delivery]) throws -> [TelemetryWriter.Outcome] {
        try names.withLock { names in
            do {
                return try database.write { connection in
                    var writer = TelemetryWriter(
                        connection: connection, limits: limits, now: now, names: names,
                        stages: stages.withLock { $0 }, isPublished: isPublished)
                    let outcomes = try deliveries.map {
                        try writer.take($0.batch, app: $0.app, newInstall: $0.newInstall)
                    }
                    try writer.finish()
                    names = writer.names
                    return outcomes
                }
            } catch {
                // It may name rows that were rolled back.
                names = NameCache()
                throw error
            }
        }
    }
}

extension DatabaseError {
    static let busy = DatabaseError(code: 5, message: "too much waits to be written")
}
