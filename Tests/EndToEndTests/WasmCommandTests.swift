import Foundation
import TestSupport
import Testing

/// `patchcli wasm …` over the real executable.
@Suite("patchcli wasm")
struct WasmCommandTests {
    private typealias W = WasmBytes
    private static let i32: UInt8 = 0x7f
    private static let i64: UInt8 = 0x7e
    private static let f32: UInt8 = 0x7d
    private static let f64: UInt8 = 0x7c

    private func patchcli(
        _ arguments: [String], module: [UInt8]? = nil, environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        let folder = try TemporaryDirectory("wasm")
        if let module { try Data(module).write(to: folder.file("m.wasm")) }
        return try ChildProcess.run(
            Tools.builtProducts.appendingPathComponent("patchcli").path, ["wasm"] + arguments,
            in: folder.url, environment: environment)
    }

    /// A function of any type that gives its last argument back.
    private func echo(_ types: [UInt8]) -> [UInt8] {
        W.module(
            exporting: "f", type: W.type(types, types.suffix(1)),
            code: [0x20, UInt8(types.count - 1)])
    }

    // MARK: - run

    @Test("results are printed one a line, integers signed")
    func results() throws {
        let module = W.module(
            exporting: "f", type: W.type([Self.i32], [Self.i32, Self.i64, Self.f64]),
            code: [0x20, 0, 0x42, 0x7f, 0x44, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f])
        let result = try patchcli(["run", "m.wasm", "--invoke", "f", "0xffffffff"], module: module)
        #expect(result.standardOutput == "-1\n-1\n0.5\n")
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
    }

    @Test(
        "values go in and come out the same",
        arguments: [
            (i32, "-2147483648", "-2147483648"), (i32, "4294967295", "-1"), (i32, "+7", "7"),
            (i32, "-0x80", "-128"), (i64, "-9223372036854775808", "-9223372036854775808"),
            (i64, "18446744073709551615", "-1"), (i64, "0x7fffffffffffffff", "9223372036854775807"),
            (f32, "0.1", "0.1"), (f32, "-inf", "-inf"), (f32, "nan", "nan"), (f32, "-nan", "-nan"),
            (f32, "16777217", "16777216.0"), (f64, "0.1", "0.1"), (f64, "-0.0", "-0.0"),
            (f64, "1e308", "1e+308"), (f64, "inf", "inf"), (f64, "nan:0x123", "nan:0x123"),
            (f64, "5e-324", "5e-324"), (f64, "0x1p-2", "0.25"),
        ])
    func values(type: UInt8, given: String, printed: String) throws {
        let result = try patchcli(["run", "m.wasm", "--invoke", "f", given], module: echo([type]))
        #expect(result.standardOutput == printed + "\n")
        #expect(result.status == 0)
    }

    @Test(
        "a word that is no value of its type is refused with exit code 64",
        arguments: [
            (i32, "4294967296"), (i32, "-2147483649"), (i32, "1.5"), (i32, "x"), (i32, "--5"),
            (i32, "0x"), (i64, "18446744073709551616"), (f64, "one"), (f64, "nan:0x0"),
        ])
    func refusedValues(type: UInt8, given: String) throws {
        let result = try patchcli(
            ["run", "m.wasm", "--invoke", "f", "--", given], module: echo([type]))
        #expect(result.status == 64)
        #expect(result.standardError.contains(given))
        #expect(result.standardOutput.isEmpty)
    }

    @Test("too few or too many arguments are refused, with the type")
    func argumentCount() throws {
        for words in [[], ["1", "2"]] {
            let result = try patchcli(
                ["run", "m.wasm", "--invoke", "f"] + words, module: echo([Self.i32]))
            #expect(result.status == 64)
            #expect(result.standardError.contains("takes 1 argument"))
            #expect(result.standardError.contains("(i32) -> (i32)"))
        }
    }

    @Test("with --json one document holds the results")
    func json() throws {
        let result = try patchcli(
            ["run", "m.wasm", "--json", "--invoke", "f", "7"], module: echo([Self.i64]))
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
                as? [String: Any])
        let results = try #require(document["results"] as? [[String: String]])
        #expect(results == [["type": "i64", "value": "7"]])
        #expect(document["exit"] as? Int == 0)
    }

    @Test("a trap prints its reason on standard error and exits 70")
    func trap() throws {
        let module = W.module(exporting: "f", type: W.type([]), code: [0x00])
        let result = try patchcli(["run", "m.wasm", "--invoke", "f"], module: module)
        #expect(result.status == 70)
        #expect(result.standardError.contains("trap: unreachable"))
        #expect(result.standardOutput.isEmpty)
        let json = try patchcli(["run", "m.wasm", "--invoke", "f", "--json"], module: module)
        #expect(json.status == 70)
        #expect(json.standardOutput.contains(#""code" : "unreachable""#))
    }

    private static let endless = W.module(
        exporting: "f", type: W.type([]), code: [0x03, 0x40, 0x0c, 0, 0x0b])

    @Test("an endless loop ends by fuel, exit 70")
    func fuel() throws {
        let result = try patchcli(
            ["run", "m.wasm", "--fuel", "100000", "--invoke", "f"], module: Self.endless)
        #expect(result.status == 70)
        #expect(result.standardError.contains("fuel"))
    }

    @Test("an endless loop ends by time, exit 70")
    func timeout() throws {
        let result = try patchcli(
            ["run", "m.wasm", "--timeout", "0.05", "--invoke", "f"], module: Self.endless)
        #expect(result.status == 70)
        #expect(result.standardError.contains("longer than its limit"))
    }

    @Test("an endless start function ends by fuel, exit 70")
    func endlessStart() throws {
        let module = W.module(
            W.section(1, W.vector([W.type([])])), W.section(3, W.vector([[0]])),
            W.section(7, W.vector([W.export("f", 0)])), W.section(8, [0]),
            W.section(10, W.vector([W.body([0x03, 0x40, 0x0c, 0, 0x0b])])))
        let result = try patchcli(
            ["run", "m.wasm", "--fuel", "1000", "--invoke", "f"], module: module)
        #expect(result.status == 70)
    }

    @Test("unbounded recursion ends with the stack, exit 70")
    func recursion() throws {
        let module = W.module(exporting: "f", type: W.type([]), code: [0x10, 0])
        let result = try patchcli(["run", "m.wasm", "--invoke", "f"], module: module)
        #expect(result.status == 70)
        #expect(result.standardError.contains("call stack exhausted"))
    }

    @Test("imports that nobody provides are named, exit 65")
    func missingImports() throws {
        let module = W.module(
            W.section(1, W.vector([W.type([])])),
            W.section(2, W.vector([W.name("env") + W.name("swift_mystery") + [0, 0]])),
            W.section(7, W.vector([W.export("f", 0)])))
        let result = try patchcli(["run", "m.wasm", "--invoke", "f"], module: module)
        #expect(result.status == 65)
        #expect(result.standardError.contains("env.swift_mystery"))
    }

    @Test("calling an export of a command module names the reactor flag, exit 65")
    func commandModule() throws {
        let module = W.module(exporting: "_start", type: W.type([]), code: [])
        let result = try patchcli(["run", "m.wasm", "--invoke", "greeting_len"], module: module)
        #expect(result.status == 65)
        #expect(result.standardError.contains("-mexec-model=reactor"))
        #expect(result.standardError.contains("--export=greeting_len"))
    }

    @Test("an export that is absent is refused with those there are")
    func absentExport() throws {
        let result = try patchcli(["run", "m.wasm", "--invoke", "g"], module: echo([Self.i32]))
        #expect(result.status == 65)
        #expect(result.standardError.contains("It exports f."))
    }

    @Test("a library without --invoke is refused with the way to call it")
    func libraryWithoutInvoke() throws {
        let result = try patchcli(["run", "m.wasm"], module: echo([Self.i32]))
        #expect(result.status == 65)
        #expect(result.standardError.contains("--invoke"))
    }

    @Test("a library's _initialize runs once, before the export")
    func initialize() throws {
        let module = W.module(
            W.section(1, W.vector([W.type([]), W.type([], [Self.i32])])),
            W.section(3, W.vector([[0], [1]])),
            W.section(6, W.vector([[Self.i32, 1, 0x41, 5, 0x0b]])),
            W.section(7, W.vector([W.export("_initialize", 0), W.export("f", 1)])),
            W.section(
                10, W.vector([W.body([0x23, 0, 0x41, 2, 0x6a, 0x24, 0]), W.body([0x23, 0])])))
        let result = try patchcli(["run", "m.wasm", "--invoke", "f"], module: module)
        #expect(result.standardOutput == "7\n")
    }

    @Test("a program prints, sees its arguments but not the host's environment, and exits")
    func program() throws {
        let module = try WasmPrograms.echoArguments.get()
        let result = try patchcli(
            ["run", "m.wasm", "one", "--env", "KEY=value", "zwei"], module: module,
            environment: ["SECRET": "shown"])
        #expect(result.standardOutput == "m.wasm\none\nzwei\nKEY=value\n")
        #expect(result.status == 3)
        let json = try patchcli(["run", "m.wasm", "--json"], module: module)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8))
                as? [String: Any])
        #expect(document["exit"] as? Int == 1)
        #expect(json.standardError == "m.wasm\n")
    }

    // MARK: - Bad files

    @Test(
        "what is no module is refused with exit code 65 and said why",
        arguments: [
            ("", "empty"), ("nope", "00 61 73 6d"), ("\u{7f}ELF", "native"),
            ("(module)", "wat2wasm"),
        ])
    func notWasm(contents: String, reason: String) throws {
        for verb in ["validate", "run"] {
            let result = try patchcli([verb, "m.wasm"], module: Array(contents.utf8))
            #expect(result.status == 65)
            #expect(result.standardError.contains(reason))
            #expect(result.standardOutput.isEmpty)
        }
    }

    @Test("a truncated module is refused with exit code 65")
    func truncated() throws {
        let whole = echo([Self.i32])
        for count in [4, 8, 9, 12, whole.count / 2, whole.count - 1] {
            let result = try patchcli(["validate", "m.wasm"], module: Array(whole[..<count]))
            // Eight bytes are a module with nothing in it.
            #expect(result.status == (count == 8 ? 0 : 65), "\(count)")
        }
    }

    @Test("an absent file and a folder are refused with exit code 66")
    func absentFile() throws {
        #expect(try patchcli(["run", "no.wasm"]).status == 66)
        #expect(try patchcli(["validate", "."]).status == 66)
    }

    // MARK: - validate

    @Test("a valid module passes, one that breaks a rule of types does not")
    func validate() throws {
        let good = try patchcli(["validate", "m.wasm"], module: echo([Self.i32]))
        #expect(good.status == 0)
        #expect(good.standardOutput.hasPrefix("valid:"))
        let bad = W.module(exporting: "f", type: W.type([], [Self.i32]), code: [0x42, 0])
        let result = try patchcli(["validate", "m.wasm"], module: bad)
        #expect(result.status == 65)
        #expect(result.standardError.contains("type mismatch"))
        let json = try patchcli(["validate", "m.wasm", "--json"], module: bad)
        #expect(json.status == 65)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8))
                as? [String: [String: Any]])
        #expect(document["error"]?["exit"] as? Int == 65)
    }

    @Test("a module that needs a proposal we lack is refused by the proposal's name")
    func unsupportedProposal() throws {
        // v128.const
        let module = W.module(
            exporting: "f", type: W.type([]),
            code: [0xfd, 0x0c] + [UInt8](repeating: 0, count: 16) + [0x1a])
        let result = try patchcli(["validate", "m.wasm"], module: module)
        #expect(result.status == 65)
        #expect(result.standardError.lowercased().contains("simd"))
    }

    // MARK: - spec

    @Test("counts are printed per file and in total, and a failure exits 1")
    func spec() throws {
        let folder = try TemporaryDirectory("spec")
        try Data(echo([Self.i32])).write(to: folder.file("m.wasm"))
        func script(_ name: String, wants: Int) throws {
            try folder.write(
                """
                {"source_filename":"\(name).wast","commands":[
                {"type":"module","line":1,"filename":"m.wasm"},
                {"type":"assert_return","line":2,
                 "action":{"type":"invoke","field":"f","args":[{"type":"i32","value":"1"}]},
                 "expected":[{"type":"i32","value":"\(wants)"}]},
                {"type":"assert_malformed","line":3,"filename":"a.wat","module_type":"text"}]}
                """, to: "\(name).json")
        }
        try script("good", wants: 1)
        let one = try patchcli(["spec", folder.file("good.json").path])
        #expect(one.status == 0)
        #expect(
            one.standardOutput == "good.json: 1 of 1\ntotal: 1 of 1 assertions passed\n")
        try script("worse", wants: 2)
        let all = try patchcli(["spec", folder.path])
        #expect(all.status == 1)
        #expect(
            all.standardOutput
                == "good.json: 1 of 1\nworse.json: 0 of 1\ntotal: 1 of 2 assertions passed\n")
        #expect(all.standardError.contains("worse.json:2: assert_return"))
        let json = try patchcli(["spec", folder.path, "--json"])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8))
                as? [String: Any])
        #expect(document["assertions"] as? Int == 2)
        #expect(document["passed"] as? Int == 1)
        #expect(json.status == 1)
        #expect(try patchcli(["spec", folder.file("no.json").path]).status == 66)
    }
}
