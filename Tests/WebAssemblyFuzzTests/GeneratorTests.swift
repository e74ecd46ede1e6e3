import TestSupport
import Testing
import WebAssembly

@testable import WebAssemblyFuzz

@Suite("Modules made from a seed")
struct GeneratorTests {
    @Test("generated modules are valid, end by themselves and break nothing")
    func cases() {
        let random = SeededGenerator()
        for number in 0..<UInt64(250) {
            let outcome = CaseRunner.run(FuzzCase(seed: random.seed, number: number))
            #expect(
                outcome.defects.isEmpty,
                "\(random): wasmfuzz cases --seed \(random.seed) --case \(number)")
        }
    }

    @Test("a seed and a number always make the same case, and the same outcome")
    func repeatable() {
        for number in 0..<UInt64(20) {
            let first = FuzzCase(seed: 7, number: number)
            let second = FuzzCase(seed: 7, number: number)
            #expect(first.modules == second.modules)
            #expect(CaseRunner.run(first) == CaseRunner.run(second))
        }
        #expect(FuzzCase(seed: 7, number: 0).modules != FuzzCase(seed: 8, number: 0).modules)
    }

    @Test("an observer sees the calls and changes nothing")
    func observed() {
        for number in Corpus.forms..<Corpus.forms + 60 {
            let fuzzCase = Corpus.fuzzCase(number)
            #expect(CaseRunner.run(fuzzCase, observed: true) == CaseRunner.run(fuzzCase))
        }
    }

    @Test("changed modules are refused by name or run within their limits")
    func mutants() {
        let random = SeededGenerator()
        var valid = 0
        for number in 0..<UInt64(1500) {
            let mutant = MutatedModule(seed: random.seed, number: number, corpus: [])
            let verdict = UntrustedRunner.run(mutant.bytes)
            #expect(
                verdict.defects.isEmpty,
                "\(random): wasmfuzz bytes --seed \(random.seed) --case \(number)")
            if verdict.isValid { valid += 1 }
        }
        #expect(valid > 10, "hardly a mutant gets past validation")
        #expect(valid < 1000, "hardly a mutant is changed")
    }

    @Test("an endless loop, a module without end and a wild size are told apart from defects")
    func untrusted() {
        let forever = WasmBytes.module(
            exporting: "f", type: WasmBytes.type([]), code: [0x03, 0x40, 0x0c, 0, 0x0b])
        #expect(UntrustedRunner.run(forever) == Verdict(isValid: true, code: "valid", defects: []))
        #expect(!UntrustedRunner.run(Array(forever.dropLast())).isValid)
        let wild = WasmBytes.module(WasmBytes.section(5, [1, 0] + WasmBytes.unsigned(65_536)))
        #expect(UntrustedRunner.run(wild) == Verdict(isValid: true, code: "valid", defects: []))
    }
}
