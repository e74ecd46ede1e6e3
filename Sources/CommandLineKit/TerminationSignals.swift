import Dispatch
import Foundation

/// Waits for SIGTERM or SIGINT, so that a server can end in good order.
///
/// From its making on these signals no longer end the process: make it before the work starts that
/// must not be cut off.
public final class TerminationSignals: @unchecked Sendable {
    // Unchecked: the sources are only kept alive here and never touched after `init`.
    private let stream: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Takes the two signals over.
    public init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.stream = stream
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
    }

    /// Returns at the first of the signals, also when it came before the call.
    public func wait() async {
        for await _ in stream { break }
    }
}
