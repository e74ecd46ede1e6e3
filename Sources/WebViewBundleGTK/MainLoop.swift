import CWebKitGTK

/// GLib's main loop, on which everything of GTK happens.
public enum GTKMainLoop {
    /// Prepares GTK on the calling thread.
    /// - Returns: false when there is no display.
    @MainActor
    public static func prepare() -> Bool { openpatch_webkit_init() }

    /// Runs the loop until ``quit()``.
    @MainActor
    public static func run() { openpatch_run() }

    /// Ends the loop.
    @MainActor
    public static func quit() { openpatch_quit() }

    /// Runs `body` on the loop; may be called from any thread.
    public static func perform(_ body: @escaping @MainActor @Sendable () -> Void) {
        openpatch_on_main(runBox, Unmanaged.passRetained(Box(body)).toOpaque())
    }

    /// Runs `body` on the loop after a time.
    public static func perform(
        afterMilliseconds delay: UInt32, _ body: @escaping @MainActor @Sendable () -> Void
    ) {
        openpatch_after(delay, runBox, Unmanaged.passRetained(Box(body)).toOpaque())
    }

    private final class Box {
        let body: @MainActor @Sendable () -> Void
        init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }
    }

    private static let runBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        guard let context else { return }
        let box = Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
        let body = box.body
        // The loop runs on the thread that ran `prepare`, which is the main one.
        MainActor.assumeIsolated { body() }
    }
}
