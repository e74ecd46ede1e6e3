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
        let watcher = RequestWatcher(progress: { _ in })
        let session = watcher.session()
        defer { session.finishTasksAndInvalidate() }
        let final = request
        // Only what changes nothing is asked twice by itself.
        let (data, status) =
            method == "GET"
            ? try await Self.retryingOnce { try await watcher.send(final, session) }
            : try await watcher.send(final, session)
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
        let watcher = RequestWatcher(progress: progress)
        let session = watcher.session()
        defer { session.finishTasksAndInvalidate() }
        let (data, status) = try await watcher.upload(Data(body), request, session)
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
        // Anything may answer at an address: what is no code of ours is not told as one.
        if let document = try? JSONDecoder().decode(Document.self, from: data),
            document.error.code.utf8.allSatisfy({
                $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            })
        {
            return ServerRefusal(
                status: status, code: document.error.code, message: document.error.message)
        }
        return ServerRefusal(
            status: status, code: "http_\(status)",
            message: "The server answered with status \(status).")
    }
}
