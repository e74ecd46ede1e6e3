import PatchPlatform

#if canImport(Combine)
    import Combine
#endif

/// The update state for user interfaces: an `ObservableObject` where there is Combine, and
/// everywhere an object that calls back and streams.
@MainActor
public final class PatchUpdateStateObservable {
    /// The state now.
    public private(set) var state: PatchUpdateState = .idle {
        willSet { announce() }
    }

    private var callbacks: [Int: (PatchUpdateState) -> Void] = [:]
    private var nextCallback = 0
    private nonisolated let pending = Lock<(states: [PatchUpdateState], isScheduled: Bool)>(
        ([], false))

    nonisolated init() {}

    /// Calls `body` on the main actor with every new state, until the result is cancelled.
    @discardableResult
    public func onChange(_ body: @escaping (PatchUpdateState) -> Void) -> PatchObservation {
        let id = nextCallback
        nextCallback += 1
        callbacks[id] = body
        return PatchObservation { [weak self] in
            Task { @MainActor in self?.callbacks[id] = nil }
        }
    }

    /// The states from now on, the present one first.
    public var states: AsyncStream<PatchUpdateState> {
        AsyncStream { continuation in
            continuation.yield(state)
            let observation = onChange { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// Hands a state over from any thread. It never waits for the main actor, which may be busy
    /// or, in a server, not run at all.
    nonisolated func post(_ state: PatchUpdateState) {
        let mustSchedule = pending.withLock {
            $0.states.append(state)
            let wasScheduled = $0.isScheduled
            $0.isScheduled = true
            return !wasScheduled
        }
        if mustSchedule { Task { @MainActor in self.deliver() } }
    }

    private func deliver() {
        let states = pending.withLock {
            let states = $0.states
            $0 = ([], false)
            return states
        }
        for next in states {
            state = next
            for callback in callbacks.values { callback(next) }
        }
    }

    private func announce() {
        #if canImport(Combine)
            objectWillChange.send()
        #endif
    }
}

#if canImport(Combine)
    extension PatchUpdateStateObservable: ObservableObject {}
#endif

/// Keeps a callback registered; ``cancel()`` ends it.
public final class PatchObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    /// Ends the callbacks. Not being called, they last as long as the SDK.
    public func cancel() { onCancel() }
}
