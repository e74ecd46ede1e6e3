import CommandLineKit

/// `patchcli completions <shell>`
enum CompletionsCommand {
    private static let shell = Parameter<Shell>.argument("shell", help: "The shell to write for.")

    static var command: Command {
        Command(
            "completions", abstract: "Print a completion script for your shell.",
            examples: [
                ("source <(patchcli completions bash)", "Completion in this bash session.")
            ],
            parameters: parameters(shell)
        ) { invocation in
            let script = PatchCLI.tool.completionScript(for: try invocation[shell])
            try invocation.console.report(["script": script]) { $0.print(script) }
        }
    }
}
