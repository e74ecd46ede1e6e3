import Foundation
import PatchPlatform

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a server's API: a session's delegate, because that is how progress is told.
///
/// A request carries a token, so it is sent to the address that the user named and nowhere else:
/// redirects are refused.
final class RequestWatcher: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var data = Data()
        var done: CheckedContinuation<(Data, Int), any Error>?
        var redirect: URL?
    }

    /// An answer of ours is far smaller.
    private static let largestAnswer = 1 << 20

    private let progress: @Sendable (Double) -> Void
    private let state = Lock(State())
    #if canImport(FoundationNetworking)
        private let queue = BoundedQueue()
    #else
        private let queue: OperationQueue? = nil
    #endif

    init(progress: @escaping @Sendable (Double) -> Void) { self.progress = progress }

    /// A session for one request at a time, to be invalidated at the end.
    func session() -> URLSession {
        URLSession(configuration: .ephemeral, delegate: self, delegateQueue: queue)
    }

    /// Sends `body`.
    /// - Returns: the answer's body and status.
    /// - Throws: `HTTPError`; ``ServerRefusal`` with code `redirected`.
    func upload(
        _ body: Data, _ request: URLRequest, _ session: URLSession
    ) async throws -> (Data, Int) {
        try await wait { session.uploadTask(with: request, from: body) }
    }

    /// Sends a request with the body that it holds.
    /// - Returns: the answer's body and status.
    /// - Throws: `HTTPError`; ``ServerRefusal`` with code `redirected`.
    func send(_ request: URLRequest, _ session: URLSession) async throws -> (Data, Int) {
        try await wait { session.dataTask(with: request) }
    }

    private func wait(_ task: () -> URLSessionTask) async throws -> (Data, Int) {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0 = State(done: continuation) }
            task().resume()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard totalBytesExpectedToSend > 0 else { return }
        progress(Double(totalBytesSent) / Double(totalBytesExpectedToSend))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        state.withLock { $0.redirect = request.url }
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        let done = state.withLock { state -> CheckedContinuation<(Data, Int), any Error>? in
            guard state.data.count + data.count > Self.largestAnswer else {
                state.data.append(data)
                return nil
            }
            defer { state.done = nil }
            return state.done
        }
        guard let done, let url = dataTask.originalRequest?.url else { return }
        done.resume(throwing: HTTPError(.tooLarge, url: url))
        #if canImport(FoundationNetworking)
            queue.withoutBound { dataTask.cancel() }
        #else
            dataTask.cancel()
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let (data, redirect, done) = state.withLock { state in
            defer { state.done = nil }
            return (state.data, state.redirect, state.done)
        }
        let status = (task.response as? HTTPURLResponse)?.statusCode
        if let url = task.originalRequest?.url, let status, (300..<400).contains(status) {
            let target = redirect.map { "to \($0.absoluteString)" } ?? "elsewhere"
            done?.resume(
                throwing: ServerRefusal(
                    status: status, code: "redirected",
                    message: "\(url.absoluteString) points \(target). A token is sent to the "
                        + "address that you name and nowhere else: if that is the server now, name "
                        + "it with 'patchcli init --server'."))
        } else if let status {
            // A refusal may come while the body is still on its way; it is the better story.
            done?.resume(returning: (data, status))
        } else if let url = task.originalRequest?.url {
            done?.resume(
                throwing: HTTPError(
                    .unreachable, url: url, detail: error?.localizedDescription ?? "no answer"))
        } else {
            done?.resume(throwing: error ?? URLError(.unknown))
        }
    }
}
