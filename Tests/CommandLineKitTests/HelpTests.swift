import Testing

@testable import CommandLineKit

@Suite struct HelpTests {
    @Test("the help of a command is laid out as people know it")
    func commandHelp() async {
        let run = await Run.tool("echo", "--help")
        #expect(run.code == .success && run.errors.isEmpty)
        #expect(
            run.output == """
                OVERVIEW: Print back.

                A discussion of echo.

                USAGE: sample echo [<options>] <file> [<numbers> ...]

                ARGUMENTS:
                  <file>                  What to read.
                  <numbers> ...           What to add.

                OPTIONS:
                  -c, --count <count>     How often. (default: 1)
                  -n, --name <name>       Whose. (or SAMPLE_NAME)
                  --colour <colour>       Which colour. (values: red, green, blue; default: red)
                  -l, --loud              Louder.
                  -q, --quick             Faster.
                  --tag <tag>             Tags.
                  --json                  Print one JSON document on standard output; never ask.
                  -h, --help              Show help information.

                EXAMPLES:
                  sample echo f
                      The simplest form.

                """)
    }

    @Test("the help of a group lists its commands, hidden ones left out")
    func groupHelp() async {
        let run = await Run.tool("group")
        #expect(run.output.contains("USAGE: sample group <subcommand>"))
        #expect(run.output.contains("  login                   Log in."))
        #expect(!run.output.contains("secret"))
        #expect(run.output.contains("See 'sample help group <subcommand>' for detailed help."))
    }

    @Test("'help x', 'x --help' and 'x -h' say the same")
    func sameHelp() async {
        let one = await Run.tool("help", "group", "login")
        let two = await Run.tool("group", "login", "--help")
        let three = await Run.tool("group", "login", "-h", "--nonsense")
        #expect(one.output == two.output && two.output == three.output)
        #expect(one.output.contains("USAGE: sample group login --token <token>"))
    }

    @Test("the version is printed alone")
    func version() async {
        #expect(await Run.tool("--version").output == "9.8.7\n")
        #expect(await Run.tool("echo", "--version").output == "9.8.7\n")
    }

    @Test("long text wraps at blanks and keeps its indent")
    func wrapping() {
        let text = wrapped("one two three four five six", indent: "  ", width: 22)
        #expect(text == "  one two three four\n  five six")
        let long = String(repeating: "x", count: 60)
        #expect(wrapped(long, indent: "", width: 20) == long)
    }
}

@Suite struct CompletionTests {
    @Test("every shell's script names each command and option", arguments: Shell.allCases)
    func complete(shell: Shell) {
        let script = SampleTool.tool.completionScript(for: shell)
        for word in ["echo", "group", "login", "count", "colour", "token"] {
            #expect(script.contains(word), "\(shell) lacks \(word)")
        }
        #expect(!script.contains("secret"))
    }

    @Test("bash completes commands, options and values")
    func bash() throws {
        let script = SampleTool.tool.completionScript(for: .bash)
        #expect(try Bash.complete(script, "sample gr") == ["group"])
        #expect(try Bash.complete(script, "sample group lo") == ["login"])
        #expect(try Bash.complete(script, "sample echo --co") == ["--colour", "--count"])
        #expect(try Bash.complete(script, "sample echo --colour gr") == ["green"])
    }
}
