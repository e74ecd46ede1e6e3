import Foundation
import TestSupport
import Testing

@testable import WebAssemblySpec

/// The specification's own tests, run by our engine.
@Suite("The specification's suite")
struct SpecSuiteTests {
    @Test(
        "the files that Swift's output depends on pass, by the JSON's own count",
        .enabled(if: SharedData.isAvailable(SuiteFolders.wasm2), "the 2.0 suite is absent"),
        arguments: [
            "i32", "i64", "f32", "f64", "call", "call_indirect", "br", "br_table", "memory",
            "memory_copy", "memory_fill", "conversions", "select", "global", "if", "loop", "block",
        ])
    func coreFile(name: String) throws {
        try check(SuiteFolders.wasm2, name)
    }

    @Test(
        "the files of 64-bit memories and tables pass, by the JSON's own count",
        .enabled(if: SharedData.isAvailable(SuiteFolders.memory64), "the memory64 suite is absent"),
        arguments: ["address64", "load64", "memory64", "memory_copy64", "table64"])
    func memory64File(name: String) throws {
        try check(SuiteFolders.memory64, name)
    }

    @Test(
        "the whole suite passes, nothing skipped",
        .enabled(if: SharedData.isAvailable(SuiteFolders.wasm2), "the suites are absent"),
        arguments: [(SuiteFolders.wasm2, 90, 26_132), (SuiteFolders.memory64, 23, 7_398)])
    func whole(archive: String, files: Int, assertions: Int) throws {
        let folder = try SuiteFolders.unpacked(archive)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }
        let wanted = try names.reduce(0) {
            try $0 + SuiteFolders.assertions(in: folder.appendingPathComponent($1))
        }
        #expect(wanted == assertions)
        let report = try SpecRunner.runAll(folder)
        print("\(archive): \(report.passed) of \(wanted) assertions in \(names.count) files")
        #expect(report.files.count == files)
        #expect(report.counted == wanted)
        #expect(report.passed == wanted)
        #expect(report.failures.isEmpty, "\(report.failures.prefix(10).map(\.description))")
    }

    private func check(_ archive: String, _ name: String) throws {
        let file = try SuiteFolders.unpacked(archive).appendingPathComponent("\(name).json")
        let report = try SpecRunner.run(file)
        let wanted = try SuiteFolders.assertions(in: file)
        print("\(name): \(report.passed) of \(wanted) assertions")
        #expect(wanted > 0)
        #expect(report.counted == wanted)
        #expect(report.passed == wanted)
        #expect(report.failures.isEmpty, "\(report.failures.prefix(5).map(\.description))")
    }
}
