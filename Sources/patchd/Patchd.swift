import CommandLineKit
import Foundation
import PatchPlatform
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
                fix: "patchd --data DIR " + (error.isHostWrong ? "--host 127.0.0.1" : "--port 0"),
                exit: .unavailable)
        case let error as APIError:
            return CommandFailure(
                error.code, "The server could not start", why: error.message, exit: .unavailable)
        case let error as FileError:
            return CommandFailure(
                error.code, "The server's folder cannot be used", why: error.description,
                exit: .cannotCreate)
        default: return nil
        }
    }
}
