import Foundation
import TestSupport
import Testing

@testable import PatchServer

/// `schemathesis` makes requests from the OpenAPI document, sound ones and others, and holds the
/// answers against it. `OPENPATCH_API_EXAMPLES` says how many per operation (`make fuzz-api`).
@Suite struct SchemaTests {
    /// The document with the names in paths bound to what is there.
    private func document(_ fixture: ServerFixture) throws -> [String: Any] {
        let values: [String: [String]] = [
            "app_key": [fixture.appKey], "channel": ["production", "staging"],
            "fingerprint": [ServerFixture.fingerprint, fixture.fp16],
            "bundle": ["app", "docs"], "version": ["1.0.0", "2.0"], "build": ["310"],
            "install_id": ["6f1c2a30-0000-4000-8000-00000000000a"],
        ]
        var document =
            try JSONSerialization.jsonObject(with: Data(OpenAPI.document)) as? [String: Any] ?? [:]
        var paths = document["paths"] as? [String: [String: [String: Any]]] ?? [:]
        for (path, operations) in paths {
            for (method, operation) in operations {
                var parameters = operation["parameters"] as? [[String: Any]] ?? []
                for index in parameters.indices {
                    let name = parameters[index]["name"] as? String ?? ""
                    if let known = values[name], parameters[index]["in"] as? String == "path" {
                        parameters[index]["schema"] = ["enum": known]
                    }
                }
                paths[path]?[method]?["parameters"] = parameters
            }
        }
        document["paths"] = paths
        return document
    }

    private func run(
        _ fixture: ServerFixture, token: String, examples: Int
    ) async throws -> ChildProcess.Result {
        let file = fixture.folder.file("openapi-\(UUID().uuidString).json")
        try JSONSerialization.data(withJSONObject: try document(fixture)).write(to: file)
        let tool = URL(fileURLWithPath: Tools.python).deletingLastPathComponent()
            .appendingPathComponent("schemathesis").path
        let arguments = [
            "run", file.path, "--url", "http://127.0.0.1:\(fixture.http.port)",
            "-H", "Authorization: Bearer \(token)", "--max-examples", "\(examples)",
            "--checks",
            "not_a_server_error,content_type_conformance,response_schema_conformance",
            "--phases", "examples,coverage,fuzzing", "--generation-database", "none",
            "--request-timeout", "1200", "--no-color",
            // The same requests each time; `make fuzz-api` draws others.
            "--seed", ProcessInfo.processInfo.environment["OPENPATCH_SEED"] ?? "20261130",
            "--suppress-health-check", "all",
        ]
        let folder = fixture.folder.url
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try ChildProcess.run(tool, arguments, in: folder, seconds: 3_000)
                    })
            }
        }
    }

    @Test(
        "requests made from the OpenAPI document meet no server error and no other answer than it says"
    )
    func conforms() async throws {
        var settings = APISettings()
        settings.changesPerMinute = 10_000_000
        settings.wrongTokensPerMinute = 10_000_000
        settings.telemetryPerMinute = 10_000_000
        settings.installsPerMinute = 10_000_000
        let fixture = try await BundleGateTests.rolledOut(settings: settings)
        let asked = ProcessInfo.processInfo.environment["OPENPATCH_API_EXAMPLES"]
        let examples = asked.flatMap { Int($0) } ?? 2
        let admin = AppStore.readToken(fixture.server.adminTokenFile) ?? ""
        for token in [fixture.token, admin] {
            let result = try await run(fixture, token: token, examples: examples)
            #expect(
                result.status == 0,
                "\(result.standardOutput.suffix(6_000))\(result.standardError.suffix(2_000))")
        }
    }
}
