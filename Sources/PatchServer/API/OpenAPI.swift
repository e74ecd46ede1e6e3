import Foundation
import TUF

/// The description of the API (OpenAPI 3.1), served at `/api/v1/openapi.json`. A test holds that it
/// names the routes that there are, no more and no fewer.
enum OpenAPI {
    /// One operation as it is described.
    struct Operation {
        let method: String
        let path: String
        let summary: String
        var access = "app"
        /// Schema of the request's body.
        var request: String?
        var requestType = "application/json"
        /// Names of the query's arguments, with their schemas.
        var query: [(name: String, schema: JSONValue)] = []
        /// Headers that are understood.
        var headers: [String] = []
        /// Status and schema of what is answered when all is well; no schema for no body.
        let answers: [(status: Int, schema: String?)]
        var answerType = "application/json"
    }

    static let document: [UInt8] =
        JSONValue.object([
            "openapi": "3.1.0",
            "info": [
                "title": "patchd",
                "version": "1",
                "description": .string(
                    "Over-the-air updates for native apps. Errors are {error: {code, message}}; codes "
                        + "are stable, sentences are not. Docs/http-api.md says more."),
            ],
            "servers": [["url": "/"]],
            "paths": .object(paths),
            "components": .object([
                "schemas": OpenAPISchemas.all,
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"]
                ],
            ]),
        ]).encoded() + [0x0A]

    static let response = HTTPResponse(
        status: 200,
        headers: [("Content-Type", "application/json"), ("Cache-Control", "no-cache")],
        body: .bytes(document))

    private static var paths: [String: JSONValue] {
        var paths: [String: [String: JSONValue]] = [:]
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.lowercased()] = describe(operation)
        }
        return paths.mapValues { .object($0) }
    }

    private static func describe(_ operation: Operation) -> JSONValue {
        var parameters: [JSONValue] = operation.path.split(separator: "/")
            .filter { $0.hasPrefix("{") }.map { part in
                [
                    "name": .string(String(part.dropFirst().dropLast())), "in": "path",
                    "required": true,
                    "schema": ["type": "string", "minLength": 1, "maxLength": 200],
                ]
            }
        parameters += operation.query.map {
            ["name": .string($0.name), "in": "query", "schema": $0.schema]
        }
        parameters += operation.headers.map {
            [
                "name": .string($0), "in": "header",
                "required": .bool($0 == "Upload-Offset"), "schema": ["type": "string"],
            ]
        }
        var responses: [String: JSONValue] = [
            "default": [
                "description": "A refusal.",
                "content": ["application/json": ["schema": reference("Error")]],
            ]
        ]
        for answer in operation.answers {
            var response: [String: JSONValue] = ["description": "Done."]
            if let schema = answer.schema {
                response["content"] = .object([
                    operation.answerType: ["schema": reference(schema)]
                ])
            }
            responses["\(answer.status)"] = .object(response)
        }
        var described: [String: JSONValue] = [
            "summary": .string(operation.summary), "parameters": .array(parameters),
            "responses": .object(responses),
        ]
        if operation.access != "anybody" {
            described["security"] = [["token": []]]
            described["description"] = .string("Needs \(operation.access).")
        }
        if let request = operation.request {
            described["requestBody"] = [
                "required": true,
                "content": .object([operation.requestType: ["schema": reference(request)]]),
            ]
        }
        return .object(described)
    }

    private static func reference(_ name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(name)")]
    }
}
