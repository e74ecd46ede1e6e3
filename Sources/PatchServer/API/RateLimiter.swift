import PatchPlatform

/// A token bucket per client address, for requests that cost something or guess at secrets.
final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var updated: UInt64
    }

    private static let maximumAddresses = 10_000

    private let capacity: Double
    private let perSecond: Double
    private let now: @Sendable () -> UInt64
    private let buckets = Lock<[String: Bucket]>([:])

    /// - Parameter capacity: requests that may come at once.
    init(capacity: Int, perMinute: Int, now: @escaping @Sendable () -> UInt64) {
        self.capacity = Double(capacity)
        perSecond = Double(perMinute) / 60
        self.now = now
    }

    /// Nil when the request may go on, else the seconds to wait.
    func delay(for address: String) -> Int? {
        let time = now()
        return buckets.withLock { table in
            if table.count >= Self.maximumAddresses { forgetFull(&table, time) }
            var bucket = refilled(table[address], time)
            defer { table[address] = bucket }
            guard bucket.tokens >= 1 else {
                return max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up)))
            }
            bucket.tokens -= 1
            return nil
        }
    }

    private func refilled(_ bucket: Bucket?, _ time: UInt64) -> Bucket {
        guard let bucket else { return Bucket(tokens: capacity, updated: time) }
        let seconds = Double(time &- bucket.updated) / 1e9
        return Bucket(tokens: min(capacity, bucket.tokens + seconds * perSecond), updated: time)
    }

    /// A full bucket says no more than none at all.
    private func forgetFull(_ table: inout [String: Bucket], _ time: UInt64) {
        table = table.filter { refilled($0.value, time).tokens < capacity }
        if table.count >= Self.maximumAddresses { table.removeAll() }
    }
}
