import Testing

@testable import CommandLineKit

@Suite struct ParsingTests {
    @Test("values are read in every spelling that people know")
    func spellings() async {
        let lines: [[String]] = [
            ["echo", "f", "--count", "3", "--name", "Ann", "-l"],
            ["echo", "--count=3", "--name=Ann", "--loud", "f"],
            ["echo", "-c", "3", "-n", "Ann", "-l", "f"],
            ["echo", "-c3", "-nAnn", "f", "-l"],
            ["echo", "-lc=3", "-n=Ann", "f"],
        ]
        for line in lines {
            let run = await Run.tool(line + ["--json"])
            #expect(run.code == .success, "\(line): \(run.errors)")
            let echo = run.echo
            #expect(echo?.count == 3 && echo?.name == "Ann" && echo?.file == "f", "\(line)")
            #expect(echo?.loud == true && echo?.quick == false, "\(line)")
        }
    }

    @Test("short flags combine")
    func combined() async {
        let run = await Run.tool("echo", "-ql", "f", "--json")
        #expect(run.echo?.loud == true && run.echo?.quick == true)
    }

    @Test("defaults stand in, and the environment comes before them")
    func defaults() async {
        let plain = await Run.tool("echo", "f", "--json")
        #expect(plain.echo?.count == 1 && plain.echo?.name == nil && plain.echo?.colour == "red")
        let named = await Run.tool("echo", "f", "--json", environment: ["SAMPLE_NAME": "Eve"])
        #expect(named.echo?.name == "Eve")
        let given = await Run.tool(
            "echo", "f", "--json", "--name", "Ann", environment: ["SAMPLE_NAME": "Eve"])
        #expect(given.echo?.name == "Ann")
    }

    @Test("negative numbers and infinities are values, not options")
    func numbers() async {
        let run = await Run.tool("echo", "f", "-5", "2", "-.5", "-inf", mode: .json)
        #expect(run.code == .success, "\(run.errors)")
        let values = await Run.tool("echo", "f", "-5", "2", "-.5", "--json")
        #expect(values.echo?.numbers == [-5, 2, -0.5])
    }

    @Test("after '--' everything is a word, and a remainder keeps its dashes")
    func terminators() async {
        let dashes = await Run.tool("echo", "--json", "--", "--count")
        #expect(dashes.echo?.file == "--count")
        let passed = await Run.tool("pass", "--loud", "prog", "--loud", "-x", "--json=1")
        #expect(passed.output == "prog|--loud|-x|--json=1\n")
    }

    @Test("options that repeat are collected, others refuse to come twice")
    func repetition() async {
        let tags = await Run.tool("echo", "f", "--tag", "a", "--tag=b", "--json")
        #expect(tags.echo?.tags == ["a", "b"])
        let twice = await Run.tool("echo", "f", "--count", "1", "--count", "2")
        #expect(twice.code == .usage && twice.errors.contains("given twice"))
    }

    @Test(
        "what does not fit is a usage error that names it",
        arguments: [
            (["echo", "f", "--cuont", "3"], "Did you mean '--count'?"),
            (["ehco", "f"], "Did you mean 'echo'?"),
            (["echo"], "Missing expected argument '<file>'"),
            (["echo", "f", "--count"], "Missing value for '--count <count>'"),
            (["echo", "f", "--count", "--loud"], "Missing value for '--count <count>'"),
            (["echo", "f", "--count", "three"], "expected a whole number"),
            (["echo", "f", "--count", "0"], "expected at least 1"),
            (["echo", "f", "--count", "99999999999999999999"], "expected a whole number"),
            (["echo", "f", "--colour", "gren"], "Did you mean 'green'?"),
            (["echo", "f", "--loud=yes"], "takes no value"),
            (["echo", "f", "x"], "The value 'x' is invalid for '<numbers> ...'"),
            (["pass", "-z"], "Unknown option '-z'"),
            (["group", "login"], "Missing expected argument '--token <token>'"),
            (["group", "logon", "--token", "t"], "Did you mean 'login'?"),
            (["fail", "surplus"], "Unexpected argument 'surplus'"),
            (["--nope"], "Unknown option '--nope'"),
        ])
    func usageErrors(words: [String], expected: String) async {
        let run = await Run.tool(words)
        #expect(run.code == .usage)
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(run.errors.contains("--help' for more information."))
        #expect(run.output.isEmpty)
    }

    @Test("a usage error under --json is a document on standard output")
    func usageDocument() async {
        let run = await Run.tool("echo", "--json", "--cuont")
        #expect(run.code == .usage)
        #expect(run.output.contains("\"code\" : \"unknown_option\""))
        #expect(run.output.contains("\"exit\" : 64"))
    }

    @Test("slips of one or two letters are recognised, strangers are not")
    func suggestions() {
        let names = ["release", "rollback", "status", "prepare"]
        #expect(closest(to: "relaese", in: names) == "release")
        #expect(closest(to: "rolback", in: names) == "rollback")
        #expect(closest(to: "sttaus", in: names) == "status")
        #expect(closest(to: "banana", in: names) == nil)
        #expect(editDistance("ab", "ba", limit: 3) == 1)
        #expect(editDistance("", "abc", limit: 3) == 3)
        #expect(editDistance("kitten", "sitting", limit: 9) == 3)
    }

    @Test("no command line of random words crashes the parser")
    func randomLines() async {
        var generator = Seeded(seed: UInt64.random(in: 1 ... .max))
        let seed = generator.seed
        let pool = [
            "echo", "pass", "group", "help", "-", "--", "---", "-=", "--=", "--count", "-c", "=",
            "--count=", "-lq", "-lz", "f", "", "\u{0}", "--json", "-5", "é", "--tag",
        ]
        for _ in 0..<2_000 {
            let count = Int(generator.next() % 6)
            let words = (0..<count).map { _ in pool[Int(generator.next() % UInt64(pool.count))] }
            let run = await Run.tool(words)
            #expect([.success, .usage].contains(run.code), "seed \(seed): \(words)")
        }
    }
}

struct Seeded: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 16
    }
}
