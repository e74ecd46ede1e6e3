import CommandLineKit
import Foundation

/// `patchcli wasm run FILE [--invoke NAME ARG…]`
enum WasmRunCommand {
    private static let invoke = Parameter<String?>.option(
        "invoke", placeholder: "export",
        help: "Call this export with the arguments that follow; without it `_start` is run.")
    private static let fuel = Parameter<UInt64?>.option(
        "fuel", placeholder: "n",
        help: "End each call after this many backward branches and calls.")
    private static let timeout = Parameter<Double?>.option(
        "timeout", placeholder: "seconds", help: "End each call after this time.",
        check: { $0 > 0 && $0 < 1e9 ? nil : "expected a number of seconds above 0" })
    private static let environment = Parameter<[String]>.options(
        "env", placeholder: "name=value",
        help: "Set a variable of the program; it sees none of your own.",
        check: { $0.contains("=") ? nil : "expected name=value" })
    private static let trace = Parameter<Bool>.flag(
        "trace", help: "Print every call with its arguments and results, to standard error.")
    private static let traceLimit = Parameter<Int>.option(
        "trace-limit", placeholder: "lines", default: 1000, help: "Stop printing calls after this.",
        check: { $0 > 0 ? nil : "expected a number above 0" })
    private static let profile = Parameter<Bool>.flag(
        "profile", help: "Print the time and calls of each function, to standard error.")
    private static let folded = Parameter<String?>.option(
        "folded", placeholder: "file",
        help: "With --profile, write folded stacks for a flame graph (values in nanoseconds).")
    private static let debug = Parameter<String?>.option(
        "debug", placeholder: "file",
        help: "Take function names from this debug file; by default from FILE.debug if it exists.",
        completion: .file(["debug"]))
    private static let words = Parameter<[String]>.arguments(
        "argument", help: "Arguments of the export, or of the program.")

    static var command: Command {
        Command(
            "run", abstract: "Run a module, or call one of its exports.",
            discussion: """
                Prints one result a line: integers in signed decimal, floating-point numbers as \
                the shortest text that reads back the same. Arguments are decimals, 0x…, and for \
                floating point also inf and nan. A library's `_initialize` runs first.

                The module gets clocks, randomness, standard streams, the arguments given here and \
                an empty file system in memory; none of your files or variables. A trap ends with \
                exit code 70, a file that is no module with 65.

                A run that is traced or profiled is several times slower; one that is not pays \
                nothing for it.
                """,
            examples: [
                ("patchcli wasm run add.wasm --invoke add 2 -3", "Call an export."),
                ("patchcli wasm run tool.wasm input.txt", "Run a program with an argument."),
                (
                    "patchcli wasm run loop.wasm --invoke run 1 --fuel 1000000",
                    "Stop what does not end."
                ),
                (
                    "patchcli wasm run app.wasm --invoke run 9 --profile --folded app.folded",
                    "See where the time goes."
                ),
            ],
            parameters: parameters(
                WasmCommands.file, invoke, fuel, timeout, environment, trace, traceLimit, profile,
                folded, debug, words)
        ) { invocation in
            let console = invocation.console
            var run = WasmRun(path: try invocation[WasmCommands.file])
            run.export = try invocation[invoke]
            run.fuel = try invocation[fuel]
            run.timeoutSeconds = try invocation[timeout]
            run.variables = try invocation[environment]
            run.words = try invocation[words]
            run.debug = try invocation[debug]
            run.observation = try observation(of: invocation)
            // With --json standard output carries the document alone.
            run.printed =
                console.mode == .json ? FileHandle.standardError : FileHandle.standardOutput
            let outcome = try run.perform(console)
            try console.report(outcome) { console in
                for result in outcome.results { console.print(result.value) }
            }
            if outcome.exit != 0 { try end(outcome.exit) }
        }
    }

    private static func observation(of invocation: Invocation) throws -> RunObservation.Kind {
        let file = try invocation[folded]
        let profiles = try invocation[profile]
        guard try invocation[trace] else {
            guard profiles || file == nil else {
                throw CommandFailure(
                    "missing_option", "--folded needs --profile", exit: .usage)
            }
            return profiles ? .profile(folded: file) : .none
        }
        guard !profiles, file == nil else {
            throw CommandFailure(
                "options_conflict", "--trace and --profile cannot go together",
                why: "What a trace prints would be measured.", exit: .usage)
        }
        return .trace(limit: try invocation[traceLimit])
    }

    /// Ends as the program asked. Its code is its own to choose, so one that is none of ours ends
    /// the process here.
    private static func end(_ code: UInt32) throws -> Never {
        let code = Int32(code & 0xff)
        if let known = ExitCode(rawValue: code) { throw SilentExit(known) }
        exit(code)
    }
}
