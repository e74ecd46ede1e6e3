import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``HTTPTransport`` over URLSession: no cookies, no cache, no redirect to a less secure place.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let router: TaskRouter

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        router = TaskRouter()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
    }

    // The session holds its delegate until it is told to stop.
    deinit { session.invalidateAndCancel() }

    public func stream(_ request: HTTPRequest, into receiver: any HTTPReceiver) async throws {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.timeoutInterval = request.idleTimeout
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        // Sizes and digests are those of the bytes as published: no coding on the way.
        urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for (name, value) in request.headers {
            urlRequest.setValue(value, forHTTPHeaderField: name)
        }
        let task = session.dataTask(with: urlRequest)
        let exchange = Exchange(request: request, receiver: receiver)
        router.add(exchange, for: task)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, Error>) in
                exchange.start(task: task, done: done)
            }
        } onCancel: {
            exchange.fail(HTTPError(.cancelled, url: request.url))
        }
    }
}

/// Sends the session's callbacks to the exchange of their task.
private final class TaskRouter: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Lock<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return completionHandler(nil) }
        if exchange.allowsRedirect(to: request.url) { return completionHandler(request) }
        completionHandler(nil)
        exchange.refuseRedirect()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = exchange(of: dataTask)?.receive(response) ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    ) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}

/// One request and its answer. The first outcome counts; later ones are dropped.
private final class Exchange: Sendable {
    private struct State {
        var task: URLSessionTask?
        var done: CheckedContinuation<Void, Error>?
        var failure: Error?
        var isOver = false
        var received = 0
        var announced: Int?
        var redirects = 0
    }

    private let request: HTTPRequest
    private let receiver: any HTTPReceiver
    private let state = Lock(State())

    init(request: HTTPRequest, receiver: any HTTPReceiver) {
        self.request = request
        self.receiver = receiver
    }

    func start(task: URLSessionTask, done: CheckedContinuation<Void, Error>) {
        let earlier: Error? = state.withLock {
            if $0.isOver { return $0.failure }
            $0.task = task
            $0.done = done
            return nil
        }
        if let earlier {
            task.cancel()
            done.resume(throwing: earlier)
            return
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + request.deadline) { [weak self] in
            guard let self else { return }
            fail(HTTPError(.timedOut, url: request.url))
        }
        task.resume()
    }

    func allowsRedirect(to target: URL?) -> Bool {
        let count = state.withLock {
            $0.redirects += 1
            return $0.redirects
        }
        let isSecure = target?.scheme == "https"
        let isSame = target?.scheme == "http" && request.url.scheme == "http"
        let isHostAllowed =
            request.followsToOtherHosts
            || (target?.host == request.url.host && target?.port == request.url.port)
        return count <= 5 && isHostAllowed && (isSecure || isSame)
    }

    /// Ends the exchange but not the task: FoundationNetworking ends the process when a task is
    /// cancelled while it waits to hear about a redirect. Told "no", it completes by itself.
    func refuseRedirect() {
        finish(HTTPError(.insecureRedirect, url: request.url), cancelling: false)
    }

    func receive(_ response: URLResponse) -> Bool {
        if state.withLock({ $0.isOver }) { return false }
        guard let response = response as? HTTPURLResponse else {
            fail(HTTPError(.noAnswer, url: request.url))
            return false
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            headers["\(name)".lowercased()] = "\(value)"
        }
        let head = HTTPHead(status: response.statusCode, headers: headers)
        if let announced = head.contentLength, announced > request.maximumSize {
            fail(HTTPError(.tooLarge, url: request.url, status: head.status))
            return false
        }
        // Other answers (304) may announce the size of a body that they do not carry.
        let hasBody = request.method == .get && (head.status == 200 || head.status == 206)
        state.withLock { $0.announced = hasBody ? head.contentLength : nil }
        do {
            try receiver.begin(head)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    func receive(_ data: Data) {
        let (isOver, total) = state.withLock { state -> (Bool, Int) in
            state.received += data.count
            return (state.isOver, state.received)
        }
        if isOver { return }
        guard total <= request.maximumSize else {
            fail(HTTPError(.tooLarge, url: request.url))
            return
        }
        do {
            try data.withUnsafeBytes { try receiver.receive($0) }
        } catch {
            fail(error)
        }
    }

    func complete(_ error: Error?) {
        if let error {
            fail(translated(error))
            return
        }
        let (received, announced) = state.withLock { ($0.received, $0.announced) }
        if let announced, received < announced {
            fail(HTTPError(.cutOff, url: request.url))
            return
        }
        finish(nil)
    }

    func fail(_ error: Error) { finish(error) }

    private func finish(_ error: Error?, cancelling: Bool = true) {
        let (task, done) = state.withLock {
            state -> (URLSessionTask?, CheckedContinuation<Void, Error>?) in
            if state.isOver { return (nil, nil) }
            state.isOver = true
            state.failure = error
            defer { state.done = nil }
            return (state.task, state.done)
        }
        if let error {
            if cancelling { task?.cancel() }
            done?.resume(throwing: error)
        } else {
            done?.resume()
        }
    }

    private func translated(_ error: Error) -> HTTPError {
        let urlError = error as? URLError
        let detail = urlError?.localizedDescription ?? "\(error)"
        switch urlError?.code {
        case .cancelled: return HTTPError(.cancelled, url: request.url)
        case .timedOut: return HTTPError(.timedOut, url: request.url)
        case .networkConnectionLost: return HTTPError(.cutOff, url: request.url, detail: detail)
        default:
            let received = state.withLock { $0.received }
            return HTTPError(
                received > 0 ? .cutOff : .unreachable, url: request.url, detail: detail)
        }
    }
}
