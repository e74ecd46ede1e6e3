import Foundation
import PatchPlatform

/// What the server counts of itself, in the text form that Prometheus reads.
final class Metrics: Sendable {
    private struct Answer: Hashable {
        let method: Method
        let status: Int
    }

    /// Of methods only those that we know, so that nobody can make up series.
    private enum Method: String {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case other
    }

    private struct Counts {
        var answers: [Answer: Int] = [:]
        var seconds = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var secondsSum = 0.0
        var newEvents = 0
        var knownEvents = 0
        var looks = 0
        var rollouts = 0
    }

    /// Upper bounds of the histogram, in seconds.
    private static let bounds = [0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

    private let counts = Lock(Counts())
    private let started = Date()

    /// One request was answered.
    func answered(_ request: HTTPRequest, status: Int, nanoseconds: UInt64) {
        let seconds = Double(nanoseconds) / 1e9
        let slot = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        let method = Method(rawValue: request.method) ?? .other
        counts.withLock {
            $0.answers[Answer(method: method, status: status), default: 0] += 1
            $0.seconds[slot] += 1
            $0.secondsSum += seconds
        }
    }

    /// A batch of events was taken.
    func told(new: Int, known: Int) {
        counts.withLock {
            $0.newEvents += new
            $0.knownEvents += known
        }
    }

    /// The gates looked at rollouts.
    func looked(at rollouts: Int) {
        counts.withLock {
            $0.looks += 1
            $0.rollouts = rollouts
        }
    }

    /// The exposition (prometheus.io, text format 0.0.4).
    func text(_ services: Services) async -> String {
        let left = await services.releases.secondsLeft()
        let now = counts.withLock { $0 }
        var text = ""
        func metric(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
            text += "# HELP openpatch_\(name) \(help)\n# TYPE openpatch_\(name) \(type)\n"
            for (suffix, value) in samples { text += "openpatch_\(name)\(suffix) \(value)\n" }
        }
        metric(
            "http_requests_total", "counter", "Answers by method and status.",
            now.answers.map {
                (
                    "{method=\"\($0.key.method.rawValue)\",status=\"\($0.key.status)\"}",
                    "\($0.value)"
                )
            }.sorted { $0.0 < $1.0 })
        var below = 0
        var buckets: [(String, String)] = []
        for (index, count) in now.seconds.enumerated() {
            below += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            buckets.append(("_bucket{le=\"\(bound)\"}", "\(below)"))
        }
        buckets += [("_sum", "\(now.secondsSum)"), ("_count", "\(below)")]
        metric(
            "http_request_seconds", "histogram", "From the end of the header to the answer.",
            buckets)
        metric(
            "events_total", "counter", "Events that devices told.",
            [
                ("{kind=\"new\"}", "\(now.newEvents)"), ("{kind=\"known\"}", "\(now.knownEvents)"),
            ])
        metric("gate_looks_total", "counter", "Looks of the gates.", [("", "\(now.looks)")])
        metric(
            "watched_rollouts", "gauge", "Rollouts that the gates watch.",
            [("", "\(now.rollouts)")])
        metric("apps", "gauge", "Apps.", [("", "\(services.control.apps.count)")])
        metric(
            "disk_free_bytes", "gauge", "Room on the disk of the data folder.",
            [("", "\(services.apps.files.freeBytes() ?? 0)")])
        metric(
            "expiry_seconds", "gauge",
            "Until the first of any app's documents expires; the server renews them at half of it.",
            [("timestamp", left.timestamp), ("brakes", left.brakes)].compactMap { role, seconds in
                seconds.map { ("{role=\"\(role)\"}", "\($0)") }
            })
        metric(
            "start_time_seconds", "gauge", "When this process started.",
            [("", "\(Int(started.timeIntervalSince1970))")])
        return text
    }
}
