import CommandLineKit
import Foundation
import WebAssemblySpec

/// `patchcli wasm spec FILE.json|DIR`
enum WasmSpecCommand {
    private static let location = Parameter<String>.argument(
        "path", help: "A script written by wast2json, or a folder of them.",
        completion: .file(["json"]))
    private static let all = Parameter<Bool>.flag(
        "all-failures", help: "Print every failure, not the first ten of each file.")

    private struct Report: Encodable {
        struct File: Encodable {
            let file: String
            let assertions: Int
            let passed: Int
            let failures: [String]
        }
        let assertions: Int
        let passed: Int
        let files: [File]
    }

    static var command: Command {
        Command(
            "spec", abstract: "Run the WebAssembly specification's test suite.",
            discussion: """
                Counts the commands whose type starts with `assert_` and whose module is not text, \
                and compares with what passed. Nothing is skipped: what cannot be run has failed. \
                Ends with exit code 0 only when all passed, else 1.
                """,
            parameters: parameters(location, all)
        ) { invocation in
            let console = invocation.console
            let shown = try invocation[all] ? Int.max : 10
            let report: SpecSuiteReport
            do {
                report = try SpecRunner.runAll(
                    URL(fileURLWithPath: try invocation[location])
                ) { file in
                    if console.mode == .human { print(file, on: console, shown: shown) }
                }
            } catch let error as SpecError {
                throw CommandFailure(
                    error.code, error.description,
                    exit: error.isAbsence ? .noInput : .dataError)
            }
            try console.report(document(of: report)) { console in
                console.print("total: \(report.passed) of \(report.counted) assertions passed")
            }
            if !report.isClean { throw SilentExit(.failure) }
        }
    }

    private static func print(_ file: SpecFileReport, on console: Console, shown: Int) {
        console.print("\(file.file): \(file.passed) of \(file.counted)")
        for failure in file.failures.prefix(shown) { console.note("  \(failure)") }
        let more = file.failures.count - shown
        if more > 0 { console.note("  … and \(more) more failures") }
    }

    private static func document(of report: SpecSuiteReport) -> Report {
        Report(
            assertions: report.counted, passed: report.passed,
            files: report.files.map { file in
                Report.File(
                    file: file.file, assertions: file.counted, passed: file.passed,
                    failures: file.failures.map(\.description))
            })
    }
}

extension SpecError {
    fileprivate var isAbsence: Bool {
        switch self {
        case .unreadable, .noScripts: true
        case .notAScript: false
        }
    }
}
