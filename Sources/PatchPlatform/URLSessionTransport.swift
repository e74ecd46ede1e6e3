import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``HTTPTransport`` over URLSession: no cookies, no cache, no redirect to a less secure place.
public final class URLSessionTransport: HTTPTransport {
    private struct Opened {
        let session: URLSession
        let router: TaskRouter
        /// Cancels a task of the session.
        let cancel: @Sendable (URLSessionTask) -> Void
    }

    private let opened = Lock<Opened?>(nil)

    /// A session of its own, opened with the first request: it costs milliseconds and sockets,
    /// which a start without network should not pay.
    public init() {}

    // The session holds its delegate until it is told to stop. Tasks that nobody waits for any more
    // end by themselves; cancelling them is not safe at every moment (see ``Exchange``).
    deinit { opened.withLock { $0?.session.finishTasksAndInvalidate() } }

    private func open() -> Opened {
        opened.withLock { opened in
            if let opened { return opened }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            let router = TaskRouter()
            #if canImport(FoundationNetworking)
                let queue = BoundedQueue()
                let cancel: @Sendable (URLSessionTask) -> Void = { task in
                    queue.withoutBound { task.cancel() }
                }
            #else
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                let cancel: @Sendable (URLSessionTask) -> Void = { $0.cancel() }
            #endif
            let fresh = Opened(
                session: URLSession(
                    configuration: configuration, delegate: router, delegateQueue: queue),
                router: router, cancel: cancel)
            opened = fresh
            return fresh
        }
    }

    /// See ``HTTPTransport/stream(_:into:)``.
    public func stream(_ request: HTTPRequest, into receiver: any HTTPReceiver) async throws {
        var request = request
        for _ in 0...Self.maximumRedirects {
            guard let target = try await exchange(request, receiver) else { return }
            guard Self.mayRedirect(request, to: target) else { break }
            request.url = target
        }
        throw HTTPError(.insecureRedirect, url: request.url)
    }

    private static let maximumRedirects = 5

    /// Only to where the connection is at least as safe, and to other hosts only when that is
    /// allowed.
    private static func mayRedirect(_ request: HTTPRequest, to target: URL) -> Bool {
        let source = request.url
        let isSameHost = target.host == source.host && target.port == source.port
        guard request.followsToOtherHosts || isSameHost else { return false }
        return target.scheme == "https" || (target.scheme == "http" && source.scheme == "http")
    }

    /// One request and one answer.
    /// - Returns: where the answer redirects to, if it does.
    private func exchange(
        _ request: HTTPRequest, _ receiver: any HTTPReceiver
    ) async throws -> URL? {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = request.body.map { Data($0) }
        urlRequest.timeoutInterval = request.idleTimeout
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        // Sizes and digests are those of the bytes as published: no coding on the way.
        urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for (name, value) in request.headers {
            urlRequest.setValue(value, forHTTPHeaderField: name)
        }
        let opened = open()
        let task = opened.session.dataTask(with: urlRequest)
        let exchange = Exchange(request: request, receiver: receiver, cancel: opened.cancel)
        opened.router.add(exchange, for: task)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<URL?, Error>) in
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

    // Redirects are followed by ``URLSessionTransport`` itself.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(of: task), exchange.beginAnswer(redirect: request.url) else {
            Self.unlessOnLinux { completionHandler(nil) }
            return
        }
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let exchange = exchange(of: dataTask), exchange.beginAnswer(redirect: nil) else {
            Self.unlessOnLinux { completionHandler(.cancel) }
            return
        }
        completionHandler(exchange.receive(response) ? .allow : .cancel)
    }

    /// FoundationNetworking ends the whole process when it is answered about a task that was
    /// cancelled meanwhile ("Received callback …, but we're not waiting for it"); unanswered, such
    /// a task just ends.
    private static func unlessOnLinux(_ answer: () -> Void) {
        #if !canImport(FoundationNetworking)
            answer()
        #endif
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
    private enum Phase {
        /// Nothing has come yet.
        case waiting
        /// The session was told what to do with an answer, and may not have heard it yet: a task
        /// cancelled now would end the process on Linux.
        case answering
        /// The body is coming.
        case receiving
    }

    private struct State {
        var phase = Phase.waiting
        var task: URLSessionTask?
        var done: CheckedContinuation<URL?, Error>?
        var failure: Error?
        var isOver = false
        var received = 0
        var announced: Int?
        /// Where the answer points to instead of being one.
        var redirect: URL?
    }

    private let request: HTTPRequest
    private let receiver: any HTTPReceiver
    private let cancel: @Sendable (URLSessionTask) -> Void
    private let state = Lock(State())

    init(
        request: HTTPRequest, receiver: any HTTPReceiver,
        cancel: @escaping @Sendable (URLSessionTask) -> Void
    ) {
        self.request = request
        self.receiver = receiver
        self.cancel = cancel
    }

    func start(task: URLSessionTask, done: CheckedContinuation<URL?, Error>) {
        let earlier: Error? = state.withLock {
            if $0.isOver { return $0.failure }
            $0.task = task
            $0.done = done
            return nil
        }
        if let earlier {
            cancel(task)
            done.resume(throwing: earlier)
            return
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + request.deadline) { [weak self] in
            guard let self else { return }
            fail(HTTPError(.timedOut, url: request.url))
        }
        task.resume()
        watchRate(from: 0)
    }

    /// Looks after each window whether enough has come.
    private func watchRate(from before: Int) {
        guard request.minimumRate > 0 else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + request.rateWindow) { [weak self] in
            guard let self else { return }
            let (isOver, received) = state.withLock { ($0.isOver, $0.received) }
            guard !isOver else { return }
            if Double(received - before) < Double(request.minimumRate) * request.rateWindow {
                fail(HTTPError(.timedOut, url: request.url, detail: "too slow"))
            } else {
                watchRate(from: received)
            }
        }
    }

    /// Notes that the session is about to be answered.
    /// - Returns: false when the exchange is over and its task cancelled; do not answer then.
    func beginAnswer(redirect: URL?) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.phase = .answering
            if let redirect { state.redirect = redirect }
            return true
        }
    }

    func receive(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else {
            fail(HTTPError(.noAnswer, url: request.url))
            return false
        }
        if state.withLock({ $0.redirect != nil }) { return true }
        // The session itself does not offer to follow to a scheme that it does not speak.
        if [301, 302, 303, 307, 308].contains(response.statusCode) {
            fail(HTTPError(.insecureRedirect, url: request.url, status: response.statusCode))
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
        let (isOver, isRedirect, total, task) = state.withLock {
            state -> (Bool, Bool, Int, URLSessionTask?) in
            state.phase = .receiving
            state.received += data.count
            return (state.isOver, state.redirect != nil, state.received, state.task)
        }
        if isOver {
            // It may not have been safe to cancel before.
            task.map(cancel)
            return
        }
        let allowed = isRedirect ? max(request.maximumSize, 64 << 10) : request.maximumSize
        guard total <= allowed else {
            fail(HTTPError(.tooLarge, url: request.url))
            return
        }
        // The page that comes with a redirect is for people.
        if isRedirect { return }
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

    private func finish(_ error: Error?) {
        let (task, done, redirect) = state.withLock {
            state -> (URLSessionTask?, CheckedContinuation<URL?, Error>?, URL?) in
            if state.isOver { return (nil, nil, nil) }
            state.isOver = true
            state.failure = error
            defer { state.done = nil }
            return (state.phase == .answering ? nil : state.task, state.done, state.redirect)
        }
        if let error {
            task.map(cancel)
            done?.resume(throwing: error)
        } else {
            done?.resume(returning: redirect)
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
