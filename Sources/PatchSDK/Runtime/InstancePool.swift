import PatchPlatform

/// The idle instances of one module. A call takes one out and gives it back, so that no two
/// threads ever share an instance and nobody waits for another's call.
final class InstancePool: Sendable {
    private let idle = Lock<[ModuleInstance]>([])
    private let maximumIdle: Int

    init(maximumIdle: Int) { self.maximumIdle = maximumIdle }

    /// An idle instance, if there is one.
    func take() -> ModuleInstance? {
        nonisolated(unsafe) var found: ModuleInstance?
        // Moved out of the lock whole: after this nobody else holds it.
        idle.withLock { found = $0.popLast() }
        return found
    }

    /// Keeps a sound instance for the next call.
    func giveBack(_ instance: ModuleInstance) {
        guard instance.isSound else { return }
        nonisolated(unsafe) let instance = instance
        idle.withLock { if $0.count < maximumIdle { $0.append(instance) } }
    }

    /// Lets the idle instances go, when the module runs no more.
    func drain() { idle.withLock { $0.removeAll() } }
}
