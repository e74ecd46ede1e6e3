import CommandLineKit
import PatchCompiler

/// The app on its server, as a command with a token sees it.
struct ServerAccess: Sendable {
    let client: ServerClient
    let app: String
    let token: String

    /// - Parameter given: the token, instead of the one that is kept.
    /// - Throws: ``CommandFailure`` `no_server` in a static project, `token_missing`.
    init(_ workspace: Workspace, token given: String? = nil) throws {
        guard !workspace.isStatic else {
            throw CommandFailure(
                "no_server", "This project is published as a static tree",
                why: "What devices tell, gates and brakes are a server's; there is none here.",
                fix: "patchcli status", exit: .configuration)
        }
        guard let server = workspace.configuration.server,
            let base = ServerClient.apiBase(server), !workspace.app.isEmpty
        else {
            throw CommandFailure(
                "no_server", "openpatch.json names no server",
                fix: "patchcli init --server <url>", exit: .configuration)
        }
        client = ServerClient(base: base)
        app = workspace.app
        token = try given ?? workspace.keys.token(workspace.app, environment: workspace.environment)
    }

    /// Calls the API below `apps/<app key>/`.
    func call<Answer: Decodable>(
        _ method: String, _ path: String, query: [(String, String)] = [],
        body: (any Encodable & Sendable)? = nil, headers: [String: String] = [:],
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await client.call(
            method, "apps/\(app)" + (path.isEmpty ? "" : "/\(path)"), token: token, query: query,
            body: body, headers: headers)
    }

    /// The same for an answer that nobody reads.
    func send(
        _ method: String, _ path: String, body: (any Encodable & Sendable)? = nil,
        headers: [String: String] = [:]
    ) async throws {
        _ = try await client.call(
            method, "apps/\(app)/\(path)", token: token, body: body, headers: headers)
    }
}
