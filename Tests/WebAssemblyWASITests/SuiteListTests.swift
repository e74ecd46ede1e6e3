import Foundation
import TestSupport
import Testing
import WASISuite

/// The list of what the public wasi-testsuite does here. The suite itself is not in this
/// repository: `make wasi-suite SUITE=DIR` runs it, and so does this where OPENPATCH_WASI_SUITE
/// names a checkout.
@Suite("The list of the public suite's programs")
struct SuiteListTests {
    private func list() throws -> SuiteList {
        let file = SharedData.checkout.appendingPathComponent("Docs/wasi-suite.csv")
        return try SuiteList(try String(contentsOf: file, encoding: .utf8))
    }

    @Test("every preview 1 program is listed as passing, every other with its reason")
    func reasons() throws {
        let rows = try list().rows
        #expect(rows.count == 127)
        #expect(rows.filter(\.passes).count == 72)
        for row in rows where !row.passes {
            #expect(row.program.hasPrefix("rust-wasip3/"), "\(row.program)")
            #expect(row.code == "unsupported_proposal" && row.reason.count > 30)
        }
    }

    @Test(
        "the suite does what the list says",
        .enabled(if: ProcessInfo.processInfo.environment["OPENPATCH_WASI_SUITE"] != nil))
    func wholeSuite() throws {
        let folder = try #require(ProcessInfo.processInfo.environment["OPENPATCH_WASI_SUITE"])
        let results = try SuiteProgram.all(below: URL(fileURLWithPath: folder)).map { $0.run() }
        #expect(try list().differences(from: results) == [])
    }

    @Test(
        "a list that says too little or too much is refused",
        arguments: [
            "a/b,passes", "a/b,works,", "a/b,fails,", "a/b,passes,why", "a/b,passes,\na/b,passes,",
        ])
    func malformed(line: String) {
        #expect(throws: SuiteError.self) { try SuiteList("program,result,reason\n" + line) }
    }

    // MARK: - Programs of our own

    /// A program that ends with `code`, in a folder laid out as the suite's is.
    private func suite(_ code: UInt8, _ description: String?) throws -> TemporaryDirectory {
        typealias W = WasmBytes
        let folder = try TemporaryDirectory("suite")
        let place = folder.url.appendingPathComponent("tests/c/testsuite/wasm32-wasip1")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let imported = W.name("wasi_snapshot_preview1") + W.name("proc_exit") + [0, 0]
        let module = W.module(
            W.section(1, W.vector([W.type([0x7f]), W.type([])])),
            W.section(2, W.vector([imported])), W.section(3, W.vector([[1]])),
            W.section(7, W.vector([W.export("_start", 1)])),
            W.section(10, W.vector([W.body([0x41, code, 0x10, 0])])))
        try Data(module).write(to: place.appendingPathComponent("exits.wasm"))
        if let description {
            try Data(description.utf8).write(to: place.appendingPathComponent("exits.json"))
        }
        return folder
    }

    @Test(
        "a program passes when it ends as its description says, in both forms",
        arguments: [
            (0, nil, nil), (5, #"{"exit_code": 5}"#, nil),
            (5, #"{"operations": [{"type": "run"}, {"type": "wait", "exit_code": 5}]}"#, nil),
            (5, nil, "exit_code"), (0, #"{"stdout": "x"}"#, "output"),
            (0, #"{"operations": [{"type": "run"}, {"type": "connect"}]}"#, "operation"),
        ] as [(UInt8, String?, String?)])
    func running(code: UInt8, description: String?, failure: String?) throws {
        let folder = try suite(code, description)
        let programs = try SuiteProgram.all(below: folder.url)
        #expect(programs.map(\.name) == ["c/exits"])
        #expect(programs.first?.run().failure?.code == failure)
    }

    @Test("what the list says differently is told, whichever way")
    func differences() throws {
        let folder = try suite(5, nil)
        let results = try SuiteProgram.all(below: folder.url).map { $0.run() }
        func differences(_ rows: String) throws -> [String] {
            try SuiteList("program,result,reason\n" + rows).differences(from: results)
        }
        #expect(try differences("c/exits,fails,exit_code: it ends with 5") == [])
        #expect(try differences("c/exits,passes,").first?.contains("fails") == true)
        #expect(try differences("c/exits,fails,unreachable: x").first?.contains("another") == true)
        #expect(try differences("").first?.contains("not in the list") == true)
        #expect(
            try differences("c/exits,fails,exit_code: x\nc/other,passes,").first?
                .contains("not found") == true)
    }
}
