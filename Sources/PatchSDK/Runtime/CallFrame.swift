import PatchPlatform

/// A call in progress on this thread. It pins module and instance: whatever is called meanwhile on
/// the same thread sees the same version.
final class CallFrame {
    private static let slot = ThreadSlot()

    let module: LoadedModule
    let instance: ModuleInstance
    private let outer: CallFrame?

    init(module: LoadedModule, instance: ModuleInstance) {
        self.module = module
        self.instance = instance
        outer = Self.current
    }

    /// The innermost call of this thread, of whatever module.
    static var current: CallFrame? {
        slot.pointer.map { Unmanaged<CallFrame>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The innermost call of this thread into `module`.
    static func innermost(of module: LoadedModule) -> CallFrame? {
        var frame = current
        while let candidate = frame {
            if candidate.module === module { return candidate }
            frame = candidate.outer
        }
        return nil
    }

    /// Runs `body` inside this frame. `self` outlives it, so the slot's pointer stays good.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        Self.slot.pointer = Unmanaged.passUnretained(self).toOpaque()
        defer { Self.slot.pointer = outer.map { Unmanaged.passUnretained($0).toOpaque() } }
        return try body()
    }
}
