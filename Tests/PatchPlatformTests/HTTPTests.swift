import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateTestSupport

@Suite struct HTTPTests {
    let folder: TemporaryDirectory
    let server: FaultServer
    let transport = URLSessionTransport()

    init() throws {
        folder = try TemporaryDirectory("http")
        server = try FaultServer(folder.url)
    }

    func url(_ name: String) -> URL { server.baseURL.appendingPathComponent(name) }

    func failure(_ request: HTTPRequest) async -> HTTPError? {
        do {
            _ = try await transport.fetch(request)
            return nil
        } catch {
            return error as? HTTPError
        }
    }

    @Test("a file arrives whole, with its tag")
    func fetches() async throws {
        try folder.write("hello", to: "f")
        let response = try await transport.fetch(HTTPRequest(url("f"), maximumSize: 5))
        #expect(response.status == 200)
        #expect(response.body == Array("hello".utf8))
        #expect(response.head.etag?.isEmpty == false)
        #expect(response.head.contentLength == 5)
        #expect(response.head.date != nil)
    }

    @Test("an unchanged file answers 304 without a body")
    func conditional() async throws {
        try folder.write("hello", to: "f")
        let first = try await transport.fetch(HTTPRequest(url("f"), maximumSize: 5))
        let request = HTTPRequest(url("f"), maximumSize: 5).ifChanged(since: first.head.etag)
        let second = try await transport.fetch(request)
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        try folder.write("other", to: "f")
        #expect(try await transport.fetch(request).status == 200)
    }

    @Test("a body one byte larger than allowed is refused, announced or not")
    func bounded() async throws {
        try folder.write("hello!", to: "f")
        #expect(await failure(HTTPRequest(url("f"), maximumSize: 5))?.reason == .tooLarge)
        #expect(await failure(HTTPRequest(url("f"), maximumSize: 6)) == nil)
    }

    @Test("an error status is an answer, not an error")
    func statuses() async throws {
        let response = try await transport.fetch(HTTPRequest(url("none"), maximumSize: 500))
        #expect(response.status == 404)
        try server.setFaults(["f": .status(503)])
        #expect(try await transport.fetch(HTTPRequest(url("f"), maximumSize: 5)).status == 503)
    }

    @Test("a range continues a file, and only the same one")
    func ranges() async throws {
        try folder.write("0123456789", to: "f")
        let request = HTTPRequest(url("f"), maximumSize: 10)
        let tag = try await transport.fetch(request).head.etag
        let rest = try await transport.fetch(request.resuming(at: 4, etag: tag))
        #expect(rest.status == 206)
        #expect(rest.body == Array("456789".utf8))
        let other = try await transport.fetch(request.resuming(at: 4, etag: "\"old\""))
        #expect(other.status == 200)
        #expect(other.body.count == 10)
    }

    @Test("a connection that ends early is told from a whole answer")
    func cutOff() async throws {
        try folder.write(String(repeating: "x", count: 50_000), to: "f")
        try server.setFaults(["f": .cut(after: 20_000)])
        #expect(await failure(HTTPRequest(url("f"), maximumSize: 50_000))?.reason == .cutOff)
    }

    @Test("a server that is not there is unreachable")
    func refused() async throws {
        let nobody = try #require(URL(string: "http://127.0.0.1:\(Tools.freePort())/f"))
        let error = await failure(HTTPRequest(nobody, maximumSize: 5))
        #expect(error?.reason == .unreachable)
        #expect(error?.description.contains("cannot be reached") == true)
    }

    @Test("a server that never answers ends with the deadline")
    func stalled() async throws {
        try server.setFaults(["f": .stall])
        let error = await failure(
            HTTPRequest(url("f"), maximumSize: 5, idleTimeout: 30, deadline: 0.2))
        #expect(error?.reason == .timedOut)
    }

    @Test("a cancelled task ends at once")
    func cancelled() async throws {
        try server.setFaults(["f": .stall])
        let request = HTTPRequest(url("f"), maximumSize: 5)
        let transport = transport
        let task = Task { try await transport.fetch(request) }
        task.cancel()
        await #expect(throws: HTTPError.self) { try await task.value }
    }

    @Test("a redirect on the same footing is followed, one to a strange scheme is not")
    func redirects() async throws {
        try folder.write("there", to: "target")
        try server.setFaults(["f": .redirect("/target")])
        let response = try await transport.fetch(HTTPRequest(url("f"), maximumSize: 5))
        #expect(response.body == Array("there".utf8))
        // Foundation on Linux reads such a location as a path of the same server.
        try server.setFaults(["f": .redirect("file://\(folder.file("target").path)")])
        let strange = try? await transport.fetch(HTTPRequest(url("f"), maximumSize: 500))
        #expect(strange?.status != 200)
        try server.setFaults(["f": .redirect("/f")])
        #expect(await failure(HTTPRequest(url("f"), maximumSize: 5)) != nil)
    }

    @Test("requests cancelled at any moment end, and the process lives", arguments: [0, 1, 2])
    func cancelledAtAnyMoment(_ kind: Int) async throws {
        try folder.write(String(repeating: "x", count: 20_000), to: "f")
        let faults: [FaultServer.Fault] = [.redirect("/f"), .noRanges, .cut(after: 10_000)]
        try server.setFaults(["f": faults[kind]])
        let request = HTTPRequest(url("f"), maximumSize: 20_000)
        let transport = transport
        for delay in 0..<40 {
            let task = Task { try await transport.fetch(request) }
            try await Task.sleep(nanoseconds: UInt64(delay) * 250_000)
            task.cancel()
            _ = try? await task.value
        }
    }

    @Test("many requests at once do not mix their answers")
    func concurrent() async throws {
        for index in 0..<20 { try folder.write("file \(index)", to: "f\(index)") }
        try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for index in 0..<20 {
                let request = HTTPRequest(url("f\(index)"), maximumSize: 20)
                group.addTask { (index, try await self.transport.fetch(request).body) }
            }
            for try await (index, body) in group {
                #expect(body == Array("file \(index)".utf8))
            }
        }
    }

    @Test("HTTP dates are read, and nothing else is")
    func dates() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
        for text in ["", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 XYZ 1994 8:49:37 GMT"] {
            #expect(HTTPDate.seconds(text) == nil)
        }
    }
}
