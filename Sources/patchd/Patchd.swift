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
        await CommandLineTool(command, version: version, explain: explain).main()
    }

    /// To serve needs no verb; what else an operator does has one.
    private static var command: Command {
        let verb = CommandLine.arguments.dropFirst().first
        guard CareCommands.all.contains(where: { $0.name == verb }) else {
            return ServeCommand.command
        }
        return Command(
            "patchd", abstract: "Care for the folder of an update server.",
            subcommands: CareCommands.all)
    }

    @Sendable private static func explain(_ error: any Error) -> CommandFailure? {
        switch error {
        case let error as HTTPServer.StartError:
            return CommandFailure(
                error.code, "The server could not start", why: error.description,
                fix: "patchd --data DIR " + (error.isHostWrong ? "--host 127.0.0.1" : "--port 0"),
                exit: .unavailable)
        case let error as StartFailure: return refused(error)
        case let error as APIError:
            return CommandFailure(
                error.code, "The server could not start", why: error.message, exit: .unavailable)
        case let error as FolderBackup.Failure:
            return CommandFailure(
                error.code, "Nothing was changed", why: error.description, exit: .dataError)
        case let error as FileError:
            return CommandFailure(
                error.code, "The server's folder cannot be used", why: error.description,
                exit: .cannotCreate)
        default: return nil
        }
    }

    private static func refused(_ error: StartFailure) -> CommandFailure {
        let (what, exit): (String, ExitCode) =
            switch error.reason {
            case .folderUnusable: ("The server's folder cannot be used", .cannotCreate)
            case .databaseDamaged: ("A database of the server is damaged", .dataError)
            case .databaseTooNew: ("A database is of a newer patchd", .dataError)
            case .adminTokenUnusable: ("The admin token cannot be used", .noInput)
            }
        return CommandFailure(
            error.reason.rawValue, what, why: error.description, fix: error.remedy, exit: exit)
    }
}
