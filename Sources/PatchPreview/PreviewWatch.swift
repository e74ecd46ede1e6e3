import Foundation

/// Looks after a session's files from a thread of its own: a build takes seconds, and the threads of
/// Swift's tasks answer requests.
public final class PreviewWatch: @unchecked Sendable {
    // Unchecked: `isStopped` is only touched while `lock` is held.
    private let lock = NSLock()
    private var isStopped = false

    /// Begins to look, some times a second.
    public init(_ session: PreviewSession, every seconds: Double = 0.25) {
        let thread = Thread { [weak self] in
            while self?.isRunning == true {
                session.buildIfChanged()
                Thread.sleep(forTimeInterval: seconds)
            }
        }
        // The compiler's caller parses whole files; the usual half megabyte is little.
        thread.stackSize = 8 << 20
        thread.start()
    }

    private var isRunning: Bool { lock.withLock { !isStopped } }

    /// Ends it; a build that is under way ends first.
    public func stop() { lock.withLock { isStopped = true } }
}
