import Foundation
import TUF
import TestSupport
import Testing

@testable import PatchServer

@Suite struct OpenAPITests {
    @Test("the document describes the routes that there are, no more and no fewer")
    func complete() async throws {
        let fixture = try await ServerFixture()
        let described = Set(OpenAPI.operations.map { "\($0.method) \($0.path)" })
        let served = Set(fixture.server.routes.map { "\($0.method) \($0.path)" })
        #expect(described == served)
        #expect(OpenAPI.operations.count == described.count)
        let answer = try await fixture.http.send("GET", "/api/v1/openapi.json")
        #expect(answer.status == 200 && answer.json["openapi"] as? String == "3.1.0")
    }

    @Test("every reference of the document leads somewhere")
    func references() throws {
        let text = String(decoding: OpenAPI.document, as: UTF8.self)
        let document = try JSONValue(parsing: OpenAPI.document)
        let schemas = try #require(document["components"]?["schemas"]?.object)
        for piece in text.components(separatedBy: "#/components/schemas/").dropFirst() {
            let name = String(piece.prefix { $0 != "\"" })
            #expect(schemas[name] != nil, "\(name)")
        }
    }

    @Test("Docs/http-api.md names every address")
    func documented() throws {
        let text = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Docs/http-api.md"),
            encoding: .utf8)
        for operation in OpenAPI.operations {
            let path = operation.path.replacingOccurrences(of: "/api/v1", with: "")
                .replacingOccurrences(of: "{app_key}", with: "<key>")
                .replacingOccurrences(of: "{", with: "<")
                .replacingOccurrences(of: "}", with: ">")
            #expect(text.contains("`\(operation.method) \(path)`"), "\(operation.method) \(path)")
        }
    }
}
