import Foundation
import PatchPlatform

/// The places of one tree, in the order to ask them. Whatever one serves is verified, so the order
/// is about speed only.
final class Mirrors: Sendable {
    private struct Preference {
        var index: Int
        var since: Double
    }

    private let bases: [URL]
    private let memory: Double
    private let preference = Lock<Preference?>(nil)

    /// - Parameter memory: how long a mirror is preferred to the first place, in seconds.
    init(_ bases: [URL], memory: Double) {
        self.bases = bases
        self.memory = memory
    }

    /// All places, the one to ask first in front: the one that last answered, for a while.
    func order(at now: Double) -> [URL] {
        let index = preference.withLock { preference -> Int in
            // A clock that was turned back ends the preference too.
            guard let known = preference, (0..<memory).contains(now - known.since) else {
                preference = nil
                return 0
            }
            return known.index
        }
        guard index > 0 else { return bases }
        var order = bases
        order.insert(order.remove(at: index), at: 0)
        return order
    }

    /// Notes that `base` answered.
    func didAnswer(_ base: URL, at now: Double) {
        guard let index = bases.firstIndex(of: base) else { return }
        preference.withLock {
            if index == 0 {
                $0 = nil
            } else if $0?.index != index {
                $0 = Preference(index: index, since: now)
            }
        }
    }
}
