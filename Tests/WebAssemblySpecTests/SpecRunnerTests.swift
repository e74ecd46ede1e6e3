import Foundation
import TestSupport
import Testing

@testable import WebAssemblySpec

/// A test runner is only worth its failures: each of these scripts has something wrong in it.
@Suite("The runner of scripts")
struct SpecRunnerTests {
    /// `f` gives 7, `div(i32)` divides 1 by its argument.
    private static let module: [UInt8] = {
        typealias W = WasmBytes
        return W.module(
            W.section(1, W.vector([W.type([], [0x7f]), W.type([0x7f], [0x7f])])),
            W.section(3, W.vector([[0], [1]])),
            W.section(7, W.vector([W.export("f", 0), W.export("div", 1)])),
            W.section(
                10, W.vector([W.body([0x41, 7]), W.body([0x41, 1, 0x20, 0, 0x6d])])))
    }()

    private func run(_ commands: String, text: [String: [UInt8]] = [:]) throws -> SpecFileReport {
        let folder = try TemporaryDirectory("runner")
        try Data(Self.module).write(to: folder.file("m.wasm"))
        for (name, bytes) in text { try Data(bytes).write(to: folder.file(name)) }
        let script = try folder.write(
            #"{"source_filename":"t.wast","commands":["# + commands + "]}", to: "t.json")
        return try SpecRunner.run(script)
    }

    private let load = #"{"type":"module","line":1,"filename":"m.wasm"}"#

    @Test("right results, traps and refusals pass and are counted")
    func allRight() throws {
        let report = try run(
            load + """
                ,{"type":"assert_return","line":2,"action":{"type":"invoke","field":"f","args":[]},
                  "expected":[{"type":"i32","value":"7"}]}
                ,{"type":"assert_trap","line":3,"text":"integer divide by zero","action":
                  {"type":"invoke","field":"div","args":[{"type":"i32","value":"0"}]}}
                ,{"type":"assert_malformed","line":4,"filename":"bad.wasm","module_type":"binary",
                  "text":"magic header not detected"}
                ,{"type":"assert_malformed","line":5,"filename":"bad.wat","module_type":"text",
                  "text":"unexpected token"}
                """, text: ["bad.wasm": Array("nope".utf8)])
        #expect(report.failures.isEmpty, "\(report.failures)")
        #expect(report.counted == 3)
        #expect(report.passed == 3)
        #expect(report.isClean)
    }

    @Test("a wrong result is a failure that says what came instead")
    func wrongResult() throws {
        let report = try run(
            load + """
                ,{"type":"assert_return","line":2,"action":{"type":"invoke","field":"f","args":[]},
                  "expected":[{"type":"i32","value":"8"}]}
                """)
        #expect(report.passed == 0)
        #expect(report.failures.map(\.line) == [2])
        #expect(report.failures.first?.got.contains("7") == true)
        #expect(!report.isClean)
    }

    @Test("too few results are a failure")
    func tooFewResults() throws {
        let report = try run(
            load + """
                ,{"type":"assert_return","line":2,"action":{"type":"invoke","field":"f","args":[]},
                  "expected":[{"type":"i32","value":"7"},{"type":"i32","value":"7"}]}
                """)
        #expect(report.failures.count == 1)
    }

    @Test("another trap than the wanted one is a failure")
    func wrongTrap() throws {
        let report = try run(
            load + """
                ,{"type":"assert_trap","line":2,"text":"unreachable","action":
                  {"type":"invoke","field":"div","args":[{"type":"i32","value":"0"}]}}
                """)
        #expect(report.failures.first?.got.contains("integer divide by zero") == true)
    }

    @Test("no trap where one is wanted is a failure")
    func missingTrap() throws {
        let report = try run(
            load + """
                ,{"type":"assert_trap","line":2,"text":"integer divide by zero","action":
                  {"type":"invoke","field":"div","args":[{"type":"i32","value":"1"}]}}
                """)
        #expect(report.failures.count == 1)
    }

    @Test(
        "a good module where a refusal is wanted is a failure",
        arguments: [
            "assert_invalid", "assert_malformed", "assert_unlinkable", "assert_uninstantiable",
        ])
    func missingRefusal(type: String) throws {
        let report = try run(
            #"{"type":"\#(type)","line":1,"filename":"m.wasm","module_type":"binary","text":"x"}"#)
        #expect(report.counted == 1)
        #expect(report.passed == 0)
        #expect(report.failures.count == 1)
    }

    @Test("a command that is not known is a failure, not a skip")
    func unknownCommand() throws {
        let report = try run(
            #"{"type":"assert_wonder","line":1},{"type":"module_fancy","line":2}"#)
        #expect(report.counted == 1)
        #expect(report.failures.map(\.line) == [1, 2])
    }

    @Test("assertions after a module that is refused fail, they do not use the one before")
    func refusedModule() throws {
        let report = try run(
            load + """
                ,{"type":"module","line":2,"filename":"bad.wasm"}
                ,{"type":"assert_return","line":3,"action":{"type":"invoke","field":"f","args":[]},
                  "expected":[{"type":"i32","value":"7"}]}
                """, text: ["bad.wasm": [1, 2, 3]])
        #expect(report.failures.map(\.line) == [2, 3])
        #expect(report.passed == 0)
    }

    @Test("a module's file that is absent is a failure")
    func absentFile() throws {
        let report = try run(
            #"{"type":"assert_invalid","line":1,"filename":"no.wasm","module_type":"binary"}"#)
        #expect(report.passed == 0)
        #expect(report.failures.count == 1)
    }

    @Test("modules that are registered can be imported by name, and called by name")
    func multipleModules() throws {
        typealias W = WasmBytes
        let importer = W.module(
            W.section(1, W.vector([W.type([], [0x7f])])),
            W.section(2, W.vector([W.name("M") + W.name("f") + [0, 0]])),
            W.section(3, W.vector([[0]])),
            W.section(7, W.vector([W.export("g", 1)])),
            W.section(10, W.vector([W.body([0x10, 0, 0x41, 1, 0x6a])])))
        let report = try run(
            """
            {"type":"module","line":1,"filename":"m.wasm","name":"$M"}
            ,{"type":"register","line":2,"name":"$M","as":"M"}
            ,{"type":"module","line":3,"filename":"n.wasm"}
            ,{"type":"assert_return","line":4,"action":{"type":"invoke","field":"g","args":[]},
              "expected":[{"type":"i32","value":"8"}]}
            ,{"type":"assert_return","line":5,"action":
              {"type":"invoke","module":"$M","field":"f","args":[]},
              "expected":[{"type":"i32","value":"7"}]}
            """, text: ["n.wasm": importer])
        #expect(report.failures.isEmpty, "\(report.failures)")
        #expect(report.passed == 2)
    }

    @Test("a file that is no script is refused by name", arguments: ["{}", "[", ""])
    func notAScript(text: String) throws {
        let folder = try TemporaryDirectory("runner")
        let file = try folder.write(text, to: "x.json")
        #expect { try SpecRunner.run(file) } throws: { error in
            (error as? SpecError)?.code == "spec_not_a_script" && "\(error)".contains("x.json")
        }
    }

    @Test("a folder without scripts and an absent file are refused")
    func nothingToRun() throws {
        let folder = try TemporaryDirectory("runner")
        #expect(throws: SpecError.noScripts(folder: folder.path)) {
            try SpecRunner.runAll(folder.url)
        }
        #expect(throws: SpecError.unreadable(file: folder.file("no.json").path)) {
            try SpecRunner.runAll(folder.file("no.json"))
        }
    }
}
