import Foundation

/// A whole command-line tool: parses, runs, prints what failed, and says how to exit.
public struct CommandLineTool: Sendable {
    private let root: Command
    private let version: String
    private let explain: @Sendable (any Error) -> CommandFailure?

    /// Makes a tool.
    /// - Parameter explain: turns errors of other modules into what, why and fix; nil leaves the
    ///   error to its own description.
    public init(
        _ root: Command, version: String,
        explain: @escaping @Sendable (any Error) -> CommandFailure? = { _ in nil }
    ) {
        self.root = root
        self.version = version
        self.explain = explain
    }

    /// Runs the process's command line and ends the process.
    public func main() async -> Never {
        let code = await run(
            Array(CommandLine.arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment)
        exit(code.rawValue)
    }

    /// Runs one command line.
    /// - Parameter console: replaces the process's console, for tests.
    public func run(
        _ words: [String], environment: [String: String] = [:], console: Console? = nil
    ) async -> ExitCode {
        let optionWords = words.prefix { $0 != "--" }
        let mode: Console.Mode = optionWords.contains("--json") ? .json : .human
        let console = console ?? Console(mode: mode, environment: environment)
        do {
            switch try Parser(root: root, environment: environment).parse(words) {
            case .version:
                console.output(version + "\n")
            case .help(let command, let path):
                console.output(help(command, path, console))
            case .run(let command, let path, let values):
                let invocation = Invocation(
                    console: console, path: path, environment: environment, values: values)
                try await command.body?(invocation)
            }
            if let problem = console.outputProblem() {
                // Exit 0 would tell a script that it has the whole result.
                throw CommandFailure(
                    "output_failed", "The result could not be written", why: problem,
                    exit: .ioError)
            }
            return .success
        } catch let failure as Parser.Failure {
            report(failure, on: console)
            return .usage
        } catch let exit as SilentExit {
            return exit.code
        } catch {
            let failure = describe(error)
            console.fail(failure)
            return failure.exit
        }
    }

    /// Completion script of the tool for a shell.
    public func completionScript(for shell: Shell) -> String {
        CompletionScript(root: root).text(for: shell)
    }

    private func help(_ command: Command, _ path: [String], _ console: Console) -> String {
        HelpText(command: command, path: path, width: console.width, style: console.style).text
    }

    private func describe(_ error: any Error) -> CommandFailure {
        if let failure = error as? CommandFailure { return failure }
        if let failure = explain(error) { return failure }
        return CommandFailure("unexpected", String(describing: error), exit: .software)
    }

    private func report(_ failure: Parser.Failure, on console: Console) {
        let name = failure.path.joined(separator: " ")
        let style = console.errorStyle
        let usage = HelpText(
            command: failure.command, path: failure.path, width: console.width, style: style
        ).usageLine
        var message = failure.error.message
        if let suggestion = failure.error.suggestion {
            message += ". Did you mean '\(suggestion)'?"
        }
        if console.mode == .json {
            let document = FailureDocument(
                CommandFailure(
                    failure.error.code, message, fix: "\(name) --help", exit: .usage))
            if let text = try? Console.encode(document) { console.output(text + "\n") }
        }
        console.errors(
            """
            \(style.red("error:")) \(style.bold(message))
            \(style.dim("Usage:")) \(usage)
              See '\(name) --help' for more information.

            """)
    }
}

/// Ends a command with a code when all has been said already.
public struct SilentExit: Error, Sendable {
    let code: ExitCode

    /// Ends with `code`.
    public init(_ code: ExitCode) { self.code = code }
}
