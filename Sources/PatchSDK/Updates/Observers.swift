import PatchPlatform

/// Callbacks that come and go.
final class Observers<Value: Sendable>: Sendable {
    /// In the order in which they came.
    private let state = Lock<(next: Int, all: [(id: Int, body: @Sendable (Value) -> Void)])>(
        (0, []))

    @discardableResult
    func add(_ body: @escaping @Sendable (Value) -> Void) -> PatchObservation {
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
    func send(_ value: Value) {
        for observer in state.withLock({ $0.all }) { observer.body(value) }
    }
}
