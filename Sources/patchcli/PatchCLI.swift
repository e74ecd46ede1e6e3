import CommandLineKit

/// Everything a developer does with OpenPatch from a terminal.
@main
struct PatchCLI {
    static let version = "0.1.0"

    static var root: Command {
        Command(
            "patchcli", abstract: "Ship over-the-air updates to native Swift apps.",
            subcommands: [
                InitCommand.command,
                UninitCommand.command,
                DoctorCommand.command,
                PrepareCommands.prepare,
                PrepareCommands.unprepare,
                FingerprintCommands.group,
                AuditCommand.command,
                BuildCommand.command,
                PreviewCommand.command,
                ReleaseCommand.command,
                RolloutCommands.rollout,
                PromoteCommand.command,
                RolloutCommands.halt,
                RolloutCommands.resume,
                RollbackCommand.command,
                RolloutCommands.recall,
                StatusCommand.command,
                ListCommands.list,
                ListCommands.show,
                ExplainCommand.command,
                InsightsCommand.command,
                BuildsCommands.group,
                ChannelCommands.group,
                AppCommands.group,
                TokenCommands.login,
                TokenCommands.whoami,
                TokenCommands.group,
                InviteCommand.command,
                SimulateCommand.command,
                ServeCommand.command,
                PublishCommand.command,
                PruneCommand.command,
                KeysCommands.group,
                SymbolicateCommand.command,
                TUFCommand.command,
                WasmCommands.group,
                WebCommands.group,
                CompletionsCommand.command,
            ])
    }

    static let tool = CommandLineTool(root, version: version, explain: Explain.failure)

    static func main() async { await tool.main() }
}
