import CommandLineKit
import Foundation
import PatchServer

/// `patchcli serve`: a server of one's own, for trying things.
enum ServeCommand {
    private static let data = Parameter<String>.option(
        "data", placeholder: "folder", default: ".openpatch/out/server",
        help: "The folder that holds everything; made when missing.", completion: .folder)
    private static let port = Parameter<UInt16>.option(
        "port", placeholder: "number", default: 8080,
        help: "Port on this machine to listen on; 0 takes a free one.")

    static var command: Command {
        Command(
            "serve", abstract: "Run a patchd on this machine, for trying things.",
            discussion: """
                The whole server over a folder of the project that is not committed, for nobody but \
                this machine. Ends with Ctrl-C. For anybody else run 'patchd'.
                """,
            examples: [
                ("patchcli serve", "In one terminal."),
                (
                    "patchcli init --server http://127.0.0.1:8080 "
                        + "--admin-token-file .openpatch/out/server/admin-token",
                    "In another one."
                ),
            ],
            parameters: parameters(data, port), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        var configuration = PatchServer.Configuration(
            dataFolder: URL(fileURLWithPath: try invocation[data]).path)
        configuration.port = try invocation[port]
        let server: PatchServer
        let address: String
        let stopped = TerminationSignals()
        do {
            server = try PatchServer(configuration: configuration)
            address = try server.start()
        } catch {
            throw CommandFailure(
                "server_failed", "The server cannot be started", why: Explain.text(error),
                fix: "patchcli serve --port 0", exit: .unavailable)
        }
        try invocation.console.report(
            ["listening": address, "admin_token_file": server.adminTokenFile]
        ) { console in
            console.print("listening on \(console.style.bold(address))")
            console.note("admin token: \(server.adminTokenFile)")
            console.note("Ctrl-C ends it.")
        }
        await stopped.wait()
        server.stop()
    }
}
