import Foundation
import PatchCrypto
import PatchPlatform

/// Tells webhooks what is in their queue, again and again until they say that they have it.
///
/// The queue is in the database, so that a notice outlives the process; a webhook may get one twice
/// and tells them apart by their `id`.
actor WebhookSender {
    /// How often a notice is tried.
    static let mostAttempts = 10
    /// Deliveries of one round.
    private static let roundSize = 20
    private static let shownProblem = 200

    private struct Delivery {
        let id: String
        let url: String
        let secret: String
        let event: String
        let body: String
        let attempts: Int
    }

    private let control: ControlStore
    private let transport: any HTTPTransport
    private let log: ServerLog
    private var round: Task<Int, any Error>?

    init(
        control: ControlStore, log: ServerLog,
        transport: any HTTPTransport = URLSessionTransport()
    ) {
        self.control = control
        self.transport = transport
        self.log = log
    }

    /// Sends what is due until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                while try await sendDue() == Self.roundSize, !Task.isCancelled {}
                try await Task.sleep(nanoseconds: 2_000_000_000)
            } catch is CancellationError {
                return
            } catch {
                log.error("webhooks_failed", ["error": "\(error)"])
                try? await Task.sleep(nanoseconds: 30_000_000_000)
            }
        }
    }

    /// Sends what is due now, after a round that is under way: two at once would tell twice.
    /// - Returns: How many notices were tried.
    @discardableResult
    func sendDue() async throws -> Int {
        while let round {
            // Whoever began it is told how it ended.
            _ = await round.result
            if self.round == round { self.round = nil }
        }
        let mine = Task { try await sendRound() }
        round = mine
        return try await withTaskCancellationHandler {
            try await mine.value
        } onCancel: {
            mine.cancel()
        }
    }

    private func sendRound() async throws -> Int {
        let now = control.now
        let due = try control.database.read { connection in
            try connection.rows(
                """
                SELECT deliveries.id, url, secret, event, body, attempts
                FROM deliveries JOIN webhooks ON webhooks.id = deliveries.webhook
                WHERE due <= ? ORDER BY due LIMIT ?
                """, now, Self.roundSize
            ) {
                Delivery(
                    id: $0.text(0), url: $0.text(1), secret: $0.text(2), event: $0.text(3),
                    body: $0.text(4), attempts: $0.int(5))
            }
        }
        for delivery in due {
            try Task.checkCancellation()
            try await send(delivery)
        }
        return due.count
    }

    private func send(_ delivery: Delivery) async throws {
        var status: Int?
        var problem: String?
        do {
            status = try await post(delivery)
            if let status, !(200..<300).contains(status) { problem = "status \(status)" }
        } catch {
            problem = String("\(error)".prefix(Self.shownProblem))
        }
        let attempts = delivery.attempts + 1
        let now = control.now
        let (delivered, next) = (
            problem == nil ? now : nil,
            problem == nil || attempts >= Self.mostAttempts ? nil : now + Self.pause(attempts)
        )
        if let problem {
            log.info("webhook_refused", ["delivery": delivery.id, "problem": problem])
        }
        try control.database.write { connection in
            try connection.run(
                """
                UPDATE deliveries SET attempts = ?, delivered = ?, due = ?, status = ?, problem = ?
                WHERE id = ?
                """, attempts, delivered, next, status, problem, delivery.id)
        }
    }

    /// Seconds before the next attempt: 10 s, 30 s, 90 s, … six hours at most.
    static func pause(_ attempts: Int) -> Int {
        var seconds = 10
        for _ in 1..<max(1, attempts) { seconds = min(6 * 3_600, seconds * 3) }
        return seconds
    }

    private func post(_ delivery: Delivery) async throws -> Int {
        guard let url = URL(string: delivery.url) else { return 0 }
        let time = control.now
        let signed = HMAC.sha256(
            key: Array(delivery.secret.utf8), Array("\(time).\(delivery.body)".utf8)
        ).hex
        var request = PatchPlatform.HTTPRequest(
            url,
            headers: [
                "Content-Type": "application/json", "User-Agent": "patchd",
                "OpenPatch-Event": delivery.event, "OpenPatch-Delivery": delivery.id,
                "OpenPatch-Signature": "t=\(time),v1=\(signed)",
            ], maximumSize: 64 << 10, idleTimeout: 10, deadline: 20)
        request.method = .post
        request.followsToOtherHosts = false
        request.body = Array(delivery.body.utf8)
        return try await transport.fetch(request).status
    }
}

/// Keyed hashes (RFC 2104).
enum HMAC {
    static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? Array(SHA256.hash(key)) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
        return Array(SHA256.hash(block.map { $0 ^ 0x5C } + inner))
    }
}
