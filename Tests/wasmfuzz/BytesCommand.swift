import CommandLineKit
import Foundation
import WebAssemblyFuzz

/// `wasmfuzz bytes`: modules that are nearly right.
enum BytesCommand {
    private static let corpus = Parameter<String?>.option(
        "corpus", placeholder: "folder",
        help: "A folder of .wasm files to change, besides generated ones.", completion: .folder)
    private static let emit = Parameter<String?>.option(
        "emit", placeholder: "file",
        help: "Writes each mutant and our verdict as a line of JSON, for the differential run.",
        completion: .file([]))
    private static let save = Parameter<String?>.option(
        "save", placeholder: "file", help: "Writes the last mutant there.",
        completion: .file(["wasm"]))

    static var command: Command {
        Command(
            "bytes", abstract: "Change modules byte for byte and take them as far as they go.",
            parameters: FuzzLoop.all + parameters(corpus, emit, save)
        ) { invocation in
            let loop = try FuzzLoop(invocation)
            let modules = try invocation[corpus].map(read) ?? []
            let output = try invocation[emit].map(CasesCommand.open)
            let saved = try invocation[save]
            let console = invocation.console
            try loop.run("mutants of generated modules and of \(modules.count) others") { number in
                let mutant = MutatedModule(
                    seed: loop.seedValue, number: number, corpus: modules)
                if let saved { try Data(mutant.bytes).write(to: URL(fileURLWithPath: saved)) }
                let verdict = UntrustedRunner.run(mutant.bytes)
                output?.write(try Interchange.line(number, mutant, verdict))
                if loop.onlyCase != nil { console.print("\(verdict.code)") }
                return verdict.defects
            }
        }
    }

    /// The modules of a folder, by name.
    private static func read(_ folder: String) throws -> [[UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return try names.filter { $0.hasSuffix(".wasm") }.map {
            [UInt8](
                try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent($0)))
        }
    }
}
