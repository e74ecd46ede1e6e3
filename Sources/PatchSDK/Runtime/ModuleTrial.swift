import PatchPlatform

/// The time between the activation of a module and the moment at which it is found to work.
final class ModuleTrial: Sendable {
    /// Who hears of it.
    struct Listener: Sendable {
        /// The first call into the module begins.
        var began: @Sendable () -> Void
        /// The first call has returned.
        var returned: @Sendable (LoadedModule) -> Void
        /// A call took longer than it may; native code serves from now on.
        var hung: @Sendable (LoadedModule, PatchError) -> Void
    }

    private let listener: Listener
    private let over: Lock<Bool>

    /// - Parameter isOver: whether the module has been found to work in an earlier start.
    init(isOver: Bool, listener: Listener) {
        over = Lock(isOver)
        self.listener = listener
    }

    /// Whether the module has been found to work.
    var isOver: Bool { over.withLock { $0 } }

    func began() { listener.began() }
    func returned(_ module: LoadedModule) { listener.returned(module) }
    func hung(_ module: LoadedModule, _ error: PatchError) { listener.hung(module, error) }

    /// The module works.
    /// - Returns: whether that is news.
    func end() -> Bool {
        over.withLock { over in
            let isNews = !over
            over = true
            return isNews
        }
    }
}
