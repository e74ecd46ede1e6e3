import Foundation
import PatchPlatform
import TUF

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Talks to a `patchd`.
struct ServerClient: Sendable {
    /// The answer to a request for a new app.
    struct CreatedApp: Sendable {
        let appKey: String
        let appID: String
        let token: String
        let serverKeys: ServerKeys
    }

    /// The public keys that a server signs an app's freshness and brakes with.
    struct ServerKeys: Sendable {
        let freshness: [TUFKey]
        /// Empty where the server signs no brakes.
        let ops: [TUFKey]

        init(_ document: JSONValue) throws {
            freshness = try (document["freshness_keys"]?.array ?? []).map { try TUFKey(json: $0) }
            ops = try (document["ops_keys"]?.array ?? []).map { try TUFKey(json: $0) }
        }
    }

    /// The answer to an upload.
    struct UploadAnswer: Decodable, Sendable {
        let created: Bool
    }

    /// `http://host:port/api/v1`
    let base: URL
    private let transport = URLSessionTransport()

    init(base: URL) { self.base = base }

    /// The API of a server named as people name it: with or without a slash, or with `/api/v1`.
    static func apiBase(_ server: String) -> URL? {
        var text = server
        while text.hasSuffix("/") { text.removeLast() }
        if !text.hasSuffix("/api/v1") { text += "/api/v1" }
        guard let url = URL(string: text), let scheme = url.scheme,
            ["http", "https"].contains(scheme), url.host != nil
        else { return nil }
        return url
    }

    /// A published file, nil when there is none.
    /// - Throws: `HTTPError`.
    func get(_ path: String, maximumSize: Int) async throws -> [UInt8]? {
        let url = base.appendingPathComponent(path)
        let answer = try await Self.retryingOnce {
            try await transport.fetch(HTTPRequest(url, maximumSize: maximumSize))
        }
        switch answer.status {
        case 200: return answer.body
        case 403, 404, 410: return nil
        default: throw HTTPError(.badStatus, url: url, status: answer.status)
        }
    }

    /// Makes an app.
    /// - Throws: `HTTPError`, ``ServerRefusal``.
    func createApp(name: String, appID: String, adminToken: String) async throws -> CreatedApp {
        let body: JSONValue = ["name": .string(name), "app_id": .string(appID)]
        let bytes = try await post(
            "apps", token: adminToken, contentType: "application/json", body: body.encoded(),
            progress: { _ in })
        let document = try JSONValue(parsing: bytes)
        guard let key = document["app_key"]?.string, let id = document["app_id"]?.string,
            let token = document["token"]?.string
        else {
            throw ServerRefusal(
                status: 500, code: "unexpected_answer",
                message: "The server's answer is not that of a patchd.")
        }
        return CreatedApp(
            appKey: key, appID: id, token: token, serverKeys: try ServerKeys(document))
    }

    /// The public keys that the server signs for an app with.
    /// - Throws: `HTTPError`, ``ServerRefusal``.
    func serverKeys(appKey: String, token: String) async throws -> ServerKeys {
        let url = base.appendingPathComponent("apps/\(appKey)")
        let answer = try await Self.retryingOnce {
            try await transport.fetch(
                HTTPRequest(
                    url, headers: ["Authorization": "Bearer \(token)"], maximumSize: 64 << 10))
        }
        guard answer.status == 200 else { throw Self.refusal(answer.status, Data(answer.body)) }
        return try ServerKeys(try JSONValue(parsing: answer.body))
    }

    /// Uploads a release; again when the connection broke, since the server takes the same upload
    /// twice without harm.
    /// - Parameter progress: told the share of the body that was sent.
    /// - Returns: Whether anything was new.
    /// - Throws: `HTTPError`, ``ServerRefusal``.
    func upload(
        _ form: MultipartForm, appKey: String, token: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Bool {
        let body = form.encoded()
        let attempts = Lock(0)
        let bytes = try await Self.retryingOnce {
            attempts.withLock { $0 += 1 }
            return try await post(
                "apps/\(appKey)/releases", token: token, contentType: form.contentType,
                body: body, progress: progress)
        }
        let answer = try JSONDecoder().decode(UploadAnswer.self, from: Data(bytes))
        // The first attempt may have been taken although its answer was lost.
        return answer.created || attempts.withLock { $0 } > 1
    }

    private static func retryingOnce<Result>(
        _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as HTTPError where error.status == nil && error.reason != .tooLarge {
            try await Task.sleep(nanoseconds: 500_000_000)
            return try await work()
        }
    }

    /// One call of the API: an answer as JSON, or a refusal.
    /// - Parameters:
    ///   - query: names and values, in this order.
    ///   - body: sent as JSON.
    ///   - headers: beside the token's.
    /// - Throws: `HTTPError`, ``ServerRefusal``.
    func call(
        _ method: String, _ path: String, token: String?, query: [(String, String)] = [],
        body: (any Encodable & Sendable)? = nil, headers: [String: String] = [:]
    ) async throws -> [UInt8] {
        var parts = URLComponents(
            url: base.appendingPathComponent(path), resolvingAgainstBaseURL: false)
        if !query.isEmpty { parts?.queryItems = query.map { URLQueryItem(name: $0, value: $1) } }
        let url = parts?.url ?? base
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = 30
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpBody = try JSONEncoder().encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let watcher = UploadWatcher(progress: { _ in })
        let session = URLSession(
            configuration: .ephemeral, delegate: watcher, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let final = request
        // Only what changes nothing is asked twice by itself.
        let (data, status) =
            method == "GET"
            ? try await Self.retryingOnce { try await watcher.send(final, session, url) }
            : try await watcher.send(final, session, url)
        guard (200..<300).contains(status) else { throw Self.refusal(status, data) }
        return [UInt8](data)
    }

    /// The same, with the answer read.
    /// - Throws: `HTTPError`, ``ServerRefusal``.
    func call<Answer: Decodable>(
        _ method: String, _ path: String, token: String?, query: [(String, String)] = [],
        body: (any Encodable & Sendable)? = nil, headers: [String: String] = [:],
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let bytes = try await call(
            method, path, token: token, query: query, body: body, headers: headers)
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(bytes))
        } catch {
            throw ServerRefusal(
                status: 502, code: "unexpected_answer",
                message: "The server's answer is not that of a patchd: " + Explain.text(error))
        }
    }

    private func post(
        _ path: String, token: String, contentType: String, body: [UInt8],
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> [UInt8] {
        let url = base.appendingPathComponent(path)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.timeoutInterval = 60
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        let watcher = UploadWatcher(progress: progress)
        let session = URLSession(
            configuration: .ephemeral, delegate: watcher, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (data, status) = try await watcher.upload(Data(body), request, session, url)
        guard (200..<300).contains(status) else { throw Self.refusal(status, data) }
        return [UInt8](data)
    }

    private static func refusal(_ status: Int, _ data: Data) -> ServerRefusal {
        struct Document: Decodable {
            struct Body: Decodable {
                let code: String
                let message: String
            }
            let error: Body
        }
        if let document = try? JSONDecoder().decode(Document.self, from: data) {
            return ServerRefusal(
                status: status, code: document.error.code, message: document.error.message)
        }
        return ServerRefusal(
            status: status, code: "http_\(status)",
            message: "The server answered with status \(status).")
    }
}

/// One upload with progress; a session's delegate, because that is how progress is told.
private final class UploadWatcher: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var data = Data()
        var done: CheckedContinuation<(Data, Int), any Error>?
    }

    /// An answer of ours is far smaller.
    private static let largestAnswer = 1 << 20

    private let progress: @Sendable (Double) -> Void
    private let state = Lock(State())

    init(progress: @escaping @Sendable (Double) -> Void) { self.progress = progress }

    func upload(
        _ body: Data, _ request: URLRequest, _ session: URLSession, _ url: URL
    ) async throws -> (Data, Int) {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.done = continuation }
            session.uploadTask(with: request, from: body).resume()
        }
    }

    func send(_ request: URLRequest, _ session: URLSession, _ url: URL) async throws -> (Data, Int)
    {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock {
                $0.data = Data()
                $0.done = continuation
            }
            session.dataTask(with: request).resume()
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
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        let isTooLong = state.withLock { state -> Bool in
            state.data.append(data)
            return state.data.count > Self.largestAnswer
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let (data, done) = state.withLock { state in
            defer { state.done = nil }
            return (state.data, state.done)
        }
        if let status = (task.response as? HTTPURLResponse)?.statusCode {
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
