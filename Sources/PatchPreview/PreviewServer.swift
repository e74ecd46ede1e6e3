import Foundation
import PatchHTML
import PatchServer
import ViewTree

/// The preview's pages and what their script asks.
public struct PreviewServer: RequestHandler {
    private let session: PreviewSession

    /// A server of a session.
    public init(_ session: PreviewSession) { self.session = session }

    /// Answers pages at once; what the script asks runs off the network threads.
    public func plan(for request: HTTPRequest) -> RequestPlan {
        // Only pages of this server may ask: another page could read the developer's sources.
        if let origin = request.headers["origin"], let host = request.headers["host"],
            origin != "http://\(host)"
        {
            return .respond(HTTPResponse(status: 403))
        }
        switch (request.method, request.path) {
        case ("GET", "/"): return page(PreviewPage.html, "text/html; charset=utf-8")
        case ("GET", "/preview.css"):
            return page(PreviewPage.style + HTMLStyle.sheet, "text/css; charset=utf-8")
        case ("GET", "/preview.js"): return page(PreviewPage.script, "text/javascript")
        case ("GET", "/status"): return .respond(Self.json(session.status()))
        case ("POST", "/show"), ("POST", "/events"), ("POST", "/rows"):
            return .receive(Question(session, request.path))
        default: return .respond(HTTPResponse(status: 404))
        }
    }

    /// Nothing is counted.
    public func answered(
        _ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64
    ) {}

    private func page(_ text: String, _ type: String) -> RequestPlan {
        .respond(
            HTTPResponse(
                status: 200, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
                body: .bytes(Array(text.utf8))))
    }

    static func json(_ value: some Encodable) -> HTTPResponse {
        guard let data = try? JSONEncoder().encode(value) else { return HTTPResponse(status: 500) }
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes([UInt8](data)))
    }
}

/// One question of the script: JSON in, JSON out.
private final class Question: BodyReceiver, @unchecked Sendable {
    // Unchecked: the server calls one method after the other.
    private let session: PreviewSession
    private let path: String
    private var body: [UInt8] = []
    let maximumSize = 1 << 20

    init(_ session: PreviewSession, _ path: String) {
        self.session = session
        self.path = path
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse? {
        body.append(contentsOf: bytes)
        return nil
    }

    func abandon() {}

    func finish() async -> HTTPResponse {
        guard let asked = try? JSONDecoder().decode(Asked.self, from: Data(body)),
            let view = UInt64(asked.view)
        else { return HTTPResponse(status: 400) }
        let wishes = PreviewSession.Wishes(
            withTree: asked.tree ?? false, withNative: asked.native ?? false,
            locale: asked.locale.flatMap { $0.isEmpty ? nil : $0 })
        switch path {
        case "/show":
            return PreviewServer.json(
                session.show(
                    view, in: asked.surroundings, restarting: asked.restart ?? false,
                    wishes))
        case "/rows":
            guard let token = asked.token.flatMap({ UInt64($0) }), let from = asked.from,
                from >= 0
            else { return HTTPResponse(status: 400) }
            return PreviewServer.json(
                session.rows(
                    view, EventToken(rawValue: token), from: from, count: asked.count ?? 0,
                    wishes))
        default:
            let events = (asked.events ?? []).compactMap(\.event)
            return PreviewServer.json(session.send(view, events, wishes))
        }
    }

    private struct Asked: Decodable {
        var view: String
        var tree: Bool?
        var native: Bool?
        var locale: String?
        var restart: Bool?
        var dark: Bool?
        var rightToLeft: Bool?
        var typeSize: UInt8?
        var width: Double?
        var height: Double?
        var token: String?
        var from: Int?
        var count: Int?
        var events: [Event]?

        struct Event: Decodable {
            var token: String
            var bool: Bool?
            var string: String?
            var number: Double?
            var integer: String?

            var event: PreviewEvent? {
                guard let token = UInt64(token) else { return nil }
                var payload = EventPayload.none
                if let bool { payload = .bool(bool) }
                if let string { payload = .string(string) }
                if let number { payload = .double(number) }
                if let integer, let value = UInt64(integer) { payload = .integer(value) }
                return PreviewEvent(token: EventToken(rawValue: token), payload: payload)
            }
        }

        var surroundings: Surroundings {
            var values = Surroundings()
            values.scheme = dark == true ? .dark : .light
            values.isRightToLeft = rightToLeft ?? false
            values.typeSize = min(typeSize ?? 3, 11)
            values.width = width ?? values.width
            values.height = height ?? values.height
            return values
        }
    }
}
