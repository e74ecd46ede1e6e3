import Foundation
import PatchCrypto
import TestSupport
import Testing

import class PatchPlatform.Lock

@testable import PatchServer

@Suite struct WebhookTests {
    /// A server that keeps what it is told, and refuses as long as it is told to.
    private final class Listener: RequestHandler {
        struct Notice: Sendable {
            let signature: String
            let body: [UInt8]
        }

        let notices = Lock<[Notice]>([])
        let refusals = Lock(0)

        func plan(for request: HTTPRequest) -> RequestPlan {
            let signature = request.headers["openpatch-signature"] ?? ""
            return .receive(
                SmallBodyReceiver(maximumSize: 64 << 10) { [self] body in
                    let refuses = refusals.withLock { left -> Bool in
                        left -= 1
                        return left >= 0
                    }
                    if refuses { return HTTPResponse(status: 500) }
                    notices.withLock { $0.append(Notice(signature: signature, body: body)) }
                    return HTTPResponse(status: 204)
                })
        }

        func answered(_ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64) {}
    }

    private func fixture() async throws -> ServerFixture {
        var settings = APISettings()
        settings.privateWebhooks = true
        return try await ServerFixture(settings: settings)
    }

    @Test("a change is told once it can be, signed, and again until it is taken")
    func delivery() async throws {
        let fixture = try await fixture()
        let listener = Listener()
        let http = HTTPServer(handler: listener)
        try http.start(host: "127.0.0.1", port: 0)
        defer { http.stop() }
        let made = try await fixture.call(
            "POST", "webhooks",
            ["url": "http://127.0.0.1:\(http.port)/hook", "events": ["token.created"]])
        let secret = try #require(made.json["secret"] as? String, "\(made.text)")
        let id = try #require(made.json["id"] as? String)
        let list = try await fixture.call("GET", "webhooks")
        #expect(!list.text.contains(secret))
        listener.refusals.withLock { $0 = 2 }
        _ = try await fixture.call("POST", "tokens", ["name": "x", "actions": ["read"]])
        // Not asked for, so not told.
        _ = try await fixture.call("DELETE", "tokens/none")
        for pause in [0, 10, 30] {
            fixture.clock.advance(by: Double(pause))
            try await fixture.server.sendWebhooks()
        }
        try await fixture.server.sendWebhooks()
        let notices = listener.notices.withLock { $0 }
        #expect(notices.count == 1)
        let notice = try #require(notices.first)
        let time = notice.signature.dropFirst(2).prefix { $0 != "," }
        let expected = HMAC.sha256(
            key: Array(secret.utf8), Array("\(time).".utf8) + notice.body
        ).hex
        #expect(notice.signature == "t=\(time),v1=\(expected)")
        let text = String(decoding: notice.body, as: UTF8.self)
        #expect(text.contains(#""event":"token.created""#) && text.contains(fixture.appKey))
        let told = try await fixture.call("GET", "webhooks/\(id)/deliveries")
        let line = (told.json["deliveries"] as? [[String: Any]])?.first
        #expect(line?["attempts"] as? Int == 3 && line?["delivered"] != nil, "\(told.text)")
        #expect(try await fixture.call("DELETE", "webhooks/\(id)").status == 204)
        #expect(try await fixture.call("GET", "webhooks/\(id)/deliveries").status == 404)
    }

    @Test("a webhook that never answers is given up after a bounded number of attempts")
    func givingUp() async throws {
        let fixture = try await fixture()
        let made = try await fixture.call(
            "POST", "webhooks", ["url": "http://127.0.0.1:1/", "events": ["*"]])
        let id = made.json["id"] as? String ?? ""
        for attempt in 1...(WebhookSender.mostAttempts + 2) {
            try await fixture.server.sendWebhooks()
            fixture.clock.advance(by: Double(WebhookSender.pause(attempt)) + 1)
        }
        let told = try await fixture.call("GET", "webhooks/\(id)/deliveries")
        let line = (told.json["deliveries"] as? [[String: Any]])?.first
        #expect(line?["attempts"] as? Int == WebhookSender.mostAttempts, "\(told.text)")
        #expect(line?["due"] == nil && line?["problem"] is String)
    }

    @Test("webhooks cannot be pointed at the server's own network")
    func privateAddresses() async throws {
        let fixture = try await ServerFixture()
        let bad = [
            "http://example.com/", "https://localhost/", "https://127.0.0.1/", "https://10.1.2.3",
            "https://[::1]/", "https://169.254.169.254/latest", "https://2130706433/",
            "https://0x7f.1/", "https://127.1/", "https://db.internal/", "https://192.168.0.1:8443",
            "https://printer/", "https://127.0.0.1./", "ftp://example.com", "//x",
            "https://a@b.com",
        ]
        for url in bad {
            let answer = try await fixture.call(
                "POST", "webhooks", ["url": url, "events": ["*"]])
            #expect([400, 422].contains(answer.status), "\(url): \(answer.text)")
        }
        for url in [
            "https://example.com/hook?x=1", "https://8.8.8.8/", "https://a.b.example.org:444",
        ] {
            let answer = try await fixture.call("POST", "webhooks", ["url": url, "events": ["*"]])
            #expect(answer.status == 201, "\(url): \(answer.text)")
        }
    }

    @Test("keyed hashes are those of RFC 4231")
    func hmac() {
        let cases: [([UInt8], String, String)] = [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
        for (key, text, expected) in cases {
            #expect(HMAC.sha256(key: key, Array(text.utf8)).hex == expected)
        }
    }
}
