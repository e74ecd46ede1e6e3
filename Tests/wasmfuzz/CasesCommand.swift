import CommandLineKit
import Foundation
import WebAssemblyFuzz

/// `wasmfuzz cases`: valid modules, run to the end.
enum CasesCommand {
    private static let emit = Parameter<String?>.option(
        "emit", placeholder: "file",
        help: "Writes each case and its outcome as a line of JSON, for the differential run.",
        completion: .file([]))
    private static let corpus = Parameter<Bool>.flag(
        "corpus", help: "Take the fixed cases of `make test`, whatever the seed.")
    private static let save = Parameter<String?>.option(
        "save", placeholder: "folder", help: "Writes the modules there.", completion: .folder)

    static var command: Command {
        Command(
            "cases", abstract: "Make valid modules, run them and check what must always hold.",
            parameters: FuzzLoop.all + parameters(corpus, emit, save)
        ) { invocation in
            let isFixed = try invocation[corpus]
            let loop = try FuzzLoop(invocation, most: isFixed ? Corpus.count : .max)
            let output = try invocation[emit].map(open)
            let folder = try invocation[save]
            let console = invocation.console
            try loop.run("generated cases") { number in
                let fuzzCase =
                    isFixed
                    ? Corpus.fuzzCase(number) : FuzzCase(seed: loop.seedValue, number: number)
                for (index, module) in fuzzCase.modules.enumerated() {
                    guard let folder else { break }
                    let url = URL(fileURLWithPath: folder)
                        .appendingPathComponent("\(loop.seedValue)-\(number)-\(index).wasm")
                    try Data(module).write(to: url)
                }
                let outcome = CaseRunner.run(fuzzCase)
                output?.write(try Interchange.line(number, fuzzCase, outcome))
                if loop.onlyCase != nil { outcome.lines.forEach { console.print($0) } }
                return outcome.defects
            }
        }
    }

    /// A file to write to; `-` is standard output.
    static func open(_ path: String) throws -> FileHandle {
        if path == "-" { return .standardOutput }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
