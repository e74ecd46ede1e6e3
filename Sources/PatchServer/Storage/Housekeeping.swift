import Foundation

/// Forgets what need not be kept, once an hour.
struct Housekeeping: Sendable {
    /// Seconds that notices to webhooks are kept after they were sent or given up.
    private static let keptDeliveries = 30 * 86_400

    let control: ControlStore
    let telemetry: TelemetryStore
    let uploads: PieceUploads
    let log: ServerLog

    /// Goes on until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            sweep()
            do {
                try await Task.sleep(nanoseconds: 3_600 * 1_000_000_000)
            } catch {
                return
            }
        }
    }

    /// Does it once. What fails is tried again an hour later.
    func sweep() {
        attempt("events") { try telemetry.prune() }
        attempt("uploads") { try uploads.sweep() }
        attempt("answers") { try control.forgetAnswers() }
        attempt("deliveries") {
            try control.database.write {
                try $0.run(
                    "DELETE FROM deliveries WHERE due IS NULL AND created < ?",
                    control.now - Self.keptDeliveries)
            }
        }
    }

    private func attempt<Result>(_ what: String, _ body: () throws -> Result) {
        do {
            _ = try body()
        } catch {
            log.error("housekeeping_failed", ["what": what, "error": "\(error)"])
        }
    }
}
