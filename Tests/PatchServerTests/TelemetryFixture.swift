import Foundation
import PatchPlatform
import TestSupport

@testable import PatchServer

/// A telemetry database in a folder of its own, with a clock that a test sets.
final class TelemetryFixture: Sendable {
    static let app = "pak_000000000001"
    static let fingerprint = String(repeating: "ab", count: 32)
    static let release = String(repeating: "cd", count: 32)

    let folder: TemporaryDirectory
    let clock: ManualClock
    let store: TelemetryStore

    init(
        limits: TelemetryWriter.Limits = .init(), published: Set<String>? = nil
    ) throws {
        folder = try TemporaryDirectory("telemetry")
        clock = ManualClock(now: 1_790_000_000)
        let clock = clock
        store = try TelemetryStore(
            path: folder.path + "/telemetry.sqlite", limits: limits,
            clock: { Date(timeIntervalSince1970: clock.now()) },
            isPublished: { _, _, name in published?.contains(name) ?? true })
    }

    @discardableResult
    func tell(
        _ install: String, _ events: [[String: Any]]
    ) throws -> TelemetryWriter.Outcome {
        let batch = try EventBatch(Self.body(install, events))
        return try store.write([.init(app: Self.app, batch: batch)])[0]
    }

    static func body(_ install: String, _ events: [[String: Any]]) throws -> [UInt8] {
        [UInt8](
            try JSONSerialization.data(withJSONObject: ["install_id": install, "events": events]))
    }

    func event(
        _ name: String, id: String = UUID().uuidString, release: String? = TelemetryFixture.release,
        ago seconds: Double = 0, _ more: [String: Any] = [:]
    ) -> [String: Any] {
        var event: [String: Any] = [
            "id": id, "name": name, "at": clock.now() - seconds, "fingerprint": Self.fingerprint,
            "sdk": "0.1.0", "os": "iOS 17.5", "app_version": "2.4",
        ]
        if let release { event["release"] = release }
        return event.merging(more) { $1 }
    }

    /// Everything that the database says, to be compared.
    func numbers() throws -> InsightsDocument {
        try store.insights(app: Self.app, release: nil, build: nil, days: 90)
    }

    /// All rows of all tables but the ids of names, as text.
    func dump() throws -> [String] {
        try store.database.read { connection in
            var lines: [String] = []
            let tables =
                try TelemetryStore.eventTables(connection) + ["installs", "states", "hours"]
            for table in tables {
                let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", table) {
                    $0.text(0)
                }
                let quoted = columns.map { "quote(\($0))" }.joined(separator: "||','||")
                lines += try connection.rows("SELECT \(quoted) FROM \(table)") {
                    "\(table): \($0.text(0))"
                }
            }
            return lines.sorted()
        }
    }
}
