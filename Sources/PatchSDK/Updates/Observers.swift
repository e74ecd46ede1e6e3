import PatchPlatform

/// Callbacks that come and go.
final class Observers<Value: Sendable>: Sendable {
    private let state = Lock<(next: Int, all: [Int: @Sendable (Value) -> Void])>((0, [:]))

    @discardableResult
    func add(_ body: @escaping @Sendable (Value) -> Void) -> PatchObservation {
        let id = state.withLock { state in
            state.next += 1
            state.all[state.next] = body
            return state.next
        }
        return PatchObservation { [weak self] in self?.state.withLock { $0.all[id] = nil } }
    }

    /// Calls everybody, outside the lock.
    func send(_ value: Value) {
        let all = state.withLock { $0.all.sorted { $0.key < $1.key }.map(\.value) }
        for body in all { body(value) }
    }
}
