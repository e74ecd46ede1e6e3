import Foundation
import Testing

@testable import CommandLineKit

@Suite struct ConsoleTests {
    @Test("a failure is told in three parts and sets the exit code")
    func failure() async {
        let run = await Run.tool("fail")
        #expect(run.code == .cannotShip)
        #expect(
            run.errors == "error: It broke\n  Somebody dropped it.\n  try: sample mend\n")
        #expect(run.output.isEmpty)
    }

    @Test("under --json a failure is one document")
    func failureDocument() async throws {
        let run = await Run.tool("fail", "--json")
        let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let error = (document as? [String: Any])?["error"] as? [String: Any]
        #expect(error?["code"] as? String == "it_broke")
        #expect(error?["run"] as? String == "sample mend")
        #expect(error?["exit"] as? Int == 6)
        #expect(run.code.rawValue == 6)
    }

    @Test("errors of other modules are put into words by the tool")
    func explained() async {
        let run = await Run.tool("other")
        #expect(run.code == .temporaryFailure && run.errors.contains("Another thing"))
    }

    @Test("reading a parameter that is not declared is an error of the tool, not a crash")
    func undeclared() async {
        let run = await Run.tool("undeclared")
        #expect(run.code == .software && run.errors.contains("does not declare"))
    }

    @Test("with --json standard output carries the document and nothing else")
    func oneDocument() async {
        let sink = Sink()
        let console = Console(
            mode: .json, output: { sink.append($0, toErrors: false) },
            errors: { sink.append($0, toErrors: true) })
        console.print("a line for people")
        console.note("a note")
        console.warn("a warning")
        try? console.report(["a": 1]) { $0.print("not this") }
        #expect(sink.output == "{\n  \"a\" : 1\n}\n")
        #expect(sink.errors == "a line for people\na note\nwarning: a warning\n")
    }

    @Test("what others wrote cannot steer the terminal; our own colours can")
    func controlCharacters() {
        let sink = Sink()
        let console = Console(
            coloured: true, output: { sink.append($0, toErrors: false) },
            errors: { sink.append($0, toErrors: true) })
        let evil = "a\u{1B}]0;title\u{7}b\u{9B}2Jc\r\u{1B}[8md"
        let harmless = "a\\u{1B}]0;title\\u{7}b\\u{9B}2Jc\\u{D}\\u{1B}[8md"
        console.fail(
            CommandFailure("x", evil, why: evil + "\n\t" + evil, fix: evil))
        console.note(evil + console.style.red("mine"))
        console.print(evil)
        for text in [sink.errors, sink.output] {
            for part in ["\u{1B}]", "\u{9B}", "\u{7}", "\r", "\u{1B}[8m"] {
                #expect(!text.contains(part), "\(text.debugDescription)")
            }
            #expect(text.contains(harmless), "\(text.debugDescription)")
        }
        #expect(sink.errors.contains("\u{1B}[31mmine\u{1B}[0m\n"))
        #expect(sink.errors.contains("\u{1B}[31merror:\u{1B}[0m"))
        #expect(ControlCharacters.shown("\u{1B}[31mx\u{1B}[0m") == "\\u{1B}[31mx\\u{1B}[0m")
        #expect(ControlCharacters.shown("a\r\nb\tc") == "a\nb\tc")
    }

    @Test("a document has no control characters that a terminal obeys, and says the same")
    func controlCharactersInJSON() throws {
        let words = ["\u{9B}2J", "\u{1B}[2J", "\u{7F}", "é"]
        let text = try Console.text(words)
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 })
        #expect(!text.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) })
        #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == words)
    }

    @Test("under --json a group without a subcommand is a document too")
    func groupDocument() async throws {
        for words in [["--json"], ["group", "--json"]] {
            let run = await Run.tool(words)
            let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
            let error = (document as? [String: Any])?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "missing_subcommand", "\(words)")
            #expect(run.code == .usage, "\(words)")
        }
        #expect(await Run.tool("group").code == .success)
        #expect(await Run.tool("group", "--json", "--help").code == .success)
    }

    @Test("colour follows the terminal, NO_COLOR and CLICOLOR_FORCE")
    func colour() {
        #expect(Style.detect(isTerminal: true, environment: [:]).isColoured)
        #expect(!Style.detect(isTerminal: false, environment: [:]).isColoured)
        #expect(!Style.detect(isTerminal: true, environment: ["NO_COLOR": "1"]).isColoured)
        #expect(Style.detect(isTerminal: true, environment: ["NO_COLOR": ""]).isColoured)
        #expect(Style.detect(isTerminal: false, environment: ["CLICOLOR_FORCE": "1"]).isColoured)
        #expect(!Style.detect(isTerminal: true, environment: ["TERM": "dumb"]).isColoured)
        #expect(Style(isColoured: true).red("x") == "\u{1B}[31mx\u{1B}[0m")
        #expect(Style(isColoured: false).red("x") == "x")
    }

    @Test("columns line up, whatever the colours in the cells")
    func table() {
        var table = Table([.init("NAME"), .init("BYTES", .right)])
        let style = Style(isColoured: true)
        table.add([style.green("short"), "7"])
        table.add(["longer name", "1234"])
        table.add(["alone"])
        #expect(
            table.lines(style: Style(isColoured: false)) == [
                "NAME         BYTES", "\u{1B}[32mshort\u{1B}[0m            7",
                "longer name   1234", "alone             ",
            ])
    }

    @Test("a step elsewhere than on a terminal is one line when it ends")
    func step() async {
        let sink = Sink()
        let console = Console(
            output: { sink.append($0, toErrors: false) },
            errors: { sink.append($0, toErrors: true) })
        _ = await console.step("Building") { progress in
            progress.update(0.5, "half")
            progress.update(1, "3 files")
        }
        await #expect(throws: SampleTool.OtherError.self) {
            try await console.step("Sending") { _ in throw SampleTool.OtherError() }
        }
        #expect(sink.output.isEmpty)
        #expect(sink.errors.hasPrefix("✓ Building 3 files"))
        #expect(sink.errors.contains("\n✗ Sending"))
        #expect(!sink.errors.contains("\r"))
    }

    @Test("numbers read well")
    func quantities() {
        #expect(Quantity.bytes(812) == "812 B")
        #expect(Quantity.bytes(4_096) == "4.1 KB")
        #expect(Quantity.bytes(2_300_000) == "2.30 MB")
        #expect(Quantity.seconds(0.0849) == "85 ms")
        #expect(Quantity.seconds(3.14) == "3.1 s")
        #expect(Quantity.seconds(125) == "2 min 5 s")
        #expect(Quantity.count(1, "function") == "1 function")
        #expect(Quantity.count(2, "entry", "entries") == "2 entries")
    }
}
