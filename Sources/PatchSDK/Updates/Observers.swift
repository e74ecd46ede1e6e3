import PatchPlatform

/// What those who watch the SDK are told.
enum Notice: Sendable {
    case event(PatchEvent)
    case release(PatchRelease?)
    case state(PatchUpdateState)
}

/// Callbacks that come and go. One list for all that is told: a list for each would be three generic
/// types more, and the first use of each is a good part of what a start takes.
final class Observers: Sendable {
    /// In the order in which they came.
    private let state = Lock<(next: Int, all: [(id: Int, body: @Sendable (Notice) -> Void)])>(
        (0, []))

    func add(_ body: @escaping @Sendable (Notice) -> Void) -> PatchObservation {
        let id = state.withLock { state in
            state.next += 1
            state.all.append((state.next, body))
            return state.next
        }
        return PatchObservation { [weak self] in
            self?.state.withLock { $0.all.removeAll { $0.id == id } }
        }
    }

    /// Calls everybody, outside the lock.
    func send(_ notice: Notice) {
        for observer in state.withLock({ $0.all }) { observer.body(notice) }
    }
}
