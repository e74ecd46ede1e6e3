import CPatchGate

/// A call in progress on this thread, on the stack of whoever makes it. It pins the instance and with
/// it the module: whatever is called meanwhile on the same thread sees the same version.
struct CallFrame {
    /// Whoever made the frame keeps it alive.
    private unowned(unsafe) let running: ModuleInstance
    private var outer: UnsafeMutableRawPointer?

    private init(_ instance: ModuleInstance) { running = instance }

    /// Whether a call is in progress on this thread.
    static var isInside: Bool { patch_frame() != nil }

    /// The instance of the innermost call of this thread, of whatever module.
    static var instance: ModuleInstance? { at(patch_frame())?.running }

    /// The instance of the innermost call of this thread into `module`.
    static func innermost(of module: LoadedModule) -> ModuleInstance? {
        var frame = at(patch_frame())
        while let candidate = frame {
            if candidate.running.module === module { return candidate.running }
            frame = at(candidate.outer)
        }
        return nil
    }

    /// Runs `body` as a call of `instance`.
    static func run<Result>(
        _ instance: ModuleInstance, _ body: () throws -> Result
    ) rethrows -> Result {
        var frame = CallFrame(instance)
        return try withUnsafeMutablePointer(to: &frame) { frame in
            frame.pointee.outer = patch_frame_exchange(frame)
            defer { _ = patch_frame_exchange(frame.pointee.outer) }
            return try body()
        }
    }

    private static func at(_ address: UnsafeMutableRawPointer?) -> CallFrame? {
        address?.assumingMemoryBound(to: CallFrame.self).pointee
    }
}
