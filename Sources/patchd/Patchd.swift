import CommandLineKit
import Foundation
import PatchServer

/// The update server: one binary, one folder.
@main
struct Patchd {
    static let version = "0.1.0"

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        await CommandLineTool(ServeCommand.command, version: version, explain: explain).main()
    }

    @Sendable private static func explain(_ error: any Error) -> CommandFailure? {
        switch error {
        case let error as HTTPServer.StartError:
            return CommandFailure(
                error.code, "The server could not start", why: error.description,
                fix: "patchd --data DIR --port 0", exit: .unavailable)
        default: return nil
        }
    }
}
