import CMicroHTTPD
import PatchPlatform

/// One request on its way through the server; owned by the library's per-request pointer.
final class Exchange: Sendable {
    /// Where the exchange stands.
    enum Stage {
        /// The headers were read; the next call starts the answer or the body.
        case planned(RequestPlan)
        /// The body is coming in.
        case receiving(any BodyReceiver, received: Int)
        /// The answer is decided while the body still comes in.
        case refusing(HTTPResponse, swallowed: Int)
        /// Work goes on elsewhere and the connection is suspended.
        case working
        /// The answer waits for the network thread.
        case answering(HTTPResponse)
        /// The answer is queued.
        case answered
    }

    let request: HTTPRequest
    let watch: ConnectionWatch.Entry?
    let started = monotonicNanoseconds()
    let stage: Lock<Stage>

    /// Whether another party could see the end of this request elsewhere; such a connection must
    /// not be used again.
    let isFramingSuspect: Bool

    init(
        request: HTTPRequest, watch: ConnectionWatch.Entry?, plan: sending RequestPlan,
        isFramingSuspect: Bool
    ) {
        self.request = request
        self.isFramingSuspect = isFramingSuspect
        self.watch = watch
        stage = Lock(.planned(plan))
    }
}
