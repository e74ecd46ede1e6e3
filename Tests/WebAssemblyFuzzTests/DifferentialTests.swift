import Foundation
import TestSupport
import Testing
import WebAssemblyFuzz

/// Our engine against wasmtime: results, traps, memories, tables and globals of the same programs.
@Suite("Another engine agrees")
struct DifferentialTests {
    @Test("on the corpus, which uses every handler of the interpreter")
    func corpus() throws {
        let folder = try TemporaryDirectory("differential")
        let file = folder.url.appendingPathComponent("corpus.jsonl")
        var lines = Data()
        for number in 0..<Corpus.count {
            let fuzzCase = Corpus.fuzzCase(number)
            lines += try Interchange.line(number, fuzzCase, CaseRunner.run(fuzzCase))
        }
        try lines.write(to: file)
        let said = try compare(file)
        #expect(said.contains("\(Corpus.count) cases, 0 mutants (0 valid), 0 differ"), "\(said)")
    }

    @Test("on what of changed modules is valid")
    func mutants() throws {
        let random = SeededGenerator()
        let folder = try TemporaryDirectory("differential")
        let file = folder.url.appendingPathComponent("mutants.jsonl")
        var lines = Data()
        for number in 0..<UInt64(600) {
            let mutant = MutatedModule(seed: random.seed, number: number, corpus: [])
            lines += try Interchange.line(number, mutant, UntrustedRunner.run(mutant.bytes))
        }
        try lines.write(to: file)
        let said = try compare(file)
        #expect(said.contains("0 cases, 600 mutants"), "\(random): \(said)")
        #expect(said.contains(", 0 differ"), "\(random): \(said)")
    }

    @Test("a wrong result is noticed")
    func canFail() throws {
        let folder = try TemporaryDirectory("differential")
        let file = folder.url.appendingPathComponent("wrong.jsonl")
        let fuzzCase = Corpus.fuzzCase(8)
        var outcome = CaseRunner.run(fuzzCase)
        outcome.lines[5] += "0"
        try Interchange.line(8, fuzzCase, outcome).write(to: file)
        #expect(try compare(file).contains("1 differ"))
    }

    private func compare(_ file: URL) throws -> String {
        let script = SharedData.checkout.appendingPathComponent("Scripts/fuzz-differential.py")
        let result = try ChildProcess.run(Tools.python, [script.path, file.path])
        return result.standardOutput + result.standardError
    }
}
