import CommandLineKit
import Foundation
import WASISuite

/// `patchcli wasm wasi-suite DIR`, for `make wasi-suite`.
enum WasiSuiteCommand {
    private static let folder = Parameter<String>.argument(
        "folder", help: "A checkout of the suite with its built programs.", completion: .folder)
    private static let list = Parameter<String?>.option(
        "list", placeholder: "file",
        help: "Compare with this list (program,passes|fails,reason); end with 1 when they differ.",
        completion: .file(["csv"]))

    private struct Report: Encodable {
        struct Program: Encodable {
            let program: String
            let passes: Bool
            let failure: String?
        }
        let passed: Int
        let programs: [Program]
        let differences: [String]
    }

    static var command: Command {
        Command(
            "wasi-suite", abstract: "Run the preview 1 programs of the public wasi-testsuite.",
            discussion: """
                Every program runs in the engine with a file system in memory that begins as a \
                copy of the folder it asks for. Nothing of this machine is written.
                """,
            parameters: parameters(folder, list), hidden: true
        ) { invocation in
            let console = invocation.console
            do {
                let expected = try invocation[list].map { try SuiteList(try text(of: $0)) }
                let programs = try SuiteProgram.all(
                    below: URL(fileURLWithPath: try invocation[folder]))
                let results = programs.map { program in
                    let result = program.run()
                    if console.mode == .human { print(result, on: console) }
                    return result
                }
                let differences = expected?.differences(from: results) ?? []
                try report(results, differences, on: console)
                let isClean =
                    expected == nil
                    ? results.allSatisfy { $0.failure == nil } : differences.isEmpty
                if !isClean { throw SilentExit(.failure) }
            } catch let error as SuiteError {
                throw CommandFailure(error.code, error.description, exit: .dataError)
            }
        }
    }

    private static func text(of path: String) throws -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw CommandFailure("no_input", "The list '\(path)' cannot be read", exit: .noInput)
        }
    }

    private static func print(_ result: SuiteResult, on console: Console) {
        guard let failure = result.failure else {
            return console.print("\(result.program): passes")
        }
        console.print("\(result.program): \(failure.code): \(failure.text)")
        if !result.complaint.isEmpty { console.note(result.complaint) }
    }

    private static func report(
        _ results: [SuiteResult], _ differences: [String], on console: Console
    ) throws {
        let passed = results.filter { $0.failure == nil }.count
        try console.report(
            Report(
                passed: passed,
                programs: results.map {
                    .init(
                        program: $0.program, passes: $0.failure == nil,
                        failure: $0.failure.map { "\($0.code): \($0.text)" })
                }, differences: differences)
        ) { console in
            console.print("total: \(passed) of \(results.count) programs pass")
            for difference in differences { console.warn(difference) }
        }
    }
}
