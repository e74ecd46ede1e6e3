import CommandLineKit
import Foundation

/// A small tool that prints back what it was given.
enum SampleTool {
    enum Colour: String, CaseIterable, ArgumentValue { case red, green, blue }

    static let count = Parameter<Int>.option(
        "count", short: "c", default: 1, help: "How often.",
        check: { $0 > 0 ? nil : "expected at least 1" })
    static let name = Parameter<String?>.option(
        "name", short: "n", help: "Whose.", environment: "SAMPLE_NAME")
    static let colour = Parameter<Colour>.option("colour", default: .red, help: "Which colour.")
    static let loud = Parameter<Bool>.flag("loud", short: "l", help: "Louder.")
    static let quick = Parameter<Bool>.flag("quick", short: "q", help: "Faster.")
    static let tags = Parameter<[String]>.options("tag", help: "Tags.")
    static let file = Parameter<String>.argument(
        "file", help: "What to read.", completion: .file(["wasm"]))
    static let numbers = Parameter<[Double]>.arguments("numbers", help: "What to add.")
    static let rest = Parameter<[String]>.arguments(
        "words", help: "Passed on.", remainder: true)
    static let token = Parameter<String>.required("token", help: "The token.")

    struct Echo: Codable, Equatable {
        var count: Int
        var name: String?
        var colour: String
        var loud: Bool
        var quick: Bool
        var tags: [String]
        var file: String
        var numbers: [Double]
    }

    struct OtherError: Error {}

    static let tool = CommandLineTool(
        Command(
            "sample", abstract: "A sample.",
            subcommands: [
                Command(
                    "echo", abstract: "Print back.", discussion: "A discussion of echo.",
                    examples: [("sample echo f", "The simplest form.")],
                    parameters: parameters(count, name, colour, loud, quick, tags, file, numbers)
                ) { invocation in
                    let echo = Echo(
                        count: try invocation[count], name: try invocation[name],
                        colour: try invocation[colour].rawValue, loud: try invocation[loud],
                        quick: try invocation[quick], tags: try invocation[tags],
                        file: try invocation[file], numbers: try invocation[numbers])
                    try invocation.console.report(echo) { $0.print("\(echo.file) read") }
                },
                Command("pass", abstract: "Pass on.", parameters: parameters(loud, rest)) {
                    invocation in
                    let words = try invocation[rest]
                    try invocation.console.report(words) {
                        $0.print(words.joined(separator: "|"))
                    }
                },
                Command(
                    "group", abstract: "A group.",
                    subcommands: [
                        Command("login", abstract: "Log in.", parameters: parameters(token)) {
                            $0.console.print("token \(try $0[token])")
                        },
                        Command("secret", abstract: "Hidden.", hidden: true) { _ in },
                    ]),
                Command("fail", abstract: "Fail.") { _ in
                    throw CommandFailure(
                        "it_broke", "It broke", why: "Somebody dropped it.", fix: "sample mend",
                        exit: .cannotShip)
                },
                Command("other", abstract: "Fail otherwise.") { _ in throw OtherError() },
                Command("undeclared", abstract: "A mistake.") { _ = try $0[loud] },
            ]), version: "9.8.7",
        explain: { error in
            error is OtherError
                ? CommandFailure("other", "Another thing", exit: .temporaryFailure) : nil
        })
}

/// What one run of a tool printed and how it ended.
struct Run {
    var output = ""
    var errors = ""
    var code = ExitCode.success

    static func tool(
        _ words: String..., environment: [String: String] = [:], mode: Console.Mode? = nil
    ) async -> Run {
        await tool(words, environment: environment, mode: mode)
    }

    static func tool(
        _ words: [String], environment: [String: String] = [:], mode: Console.Mode? = nil
    ) async -> Run {
        let sink = Sink()
        let console = Console(
            mode: mode ?? (words.contains("--json") ? .json : .human),
            output: { sink.append($0, toErrors: false) },
            errors: { sink.append($0, toErrors: true) })
        let code = await SampleTool.tool.run(words, environment: environment, console: console)
        return Run(output: sink.output, errors: sink.errors, code: code)
    }

    var echo: SampleTool.Echo? {
        try? JSONDecoder().decode(SampleTool.Echo.self, from: Data(output.utf8))
    }
}

final class Sink: @unchecked Sendable {
    // Unchecked: both texts are only touched under the lock.
    private let lock = NSLock()
    private var texts = ["", ""]

    func append(_ text: String, toErrors: Bool) {
        lock.lock()
        texts[toErrors ? 1 : 0] += text
        lock.unlock()
    }

    var output: String { lock.withLock { texts[0] } }
    var errors: String { lock.withLock { texts[1] } }
}
