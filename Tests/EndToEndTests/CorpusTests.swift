import Foundation
import ModuleABI
import SwiftParser
import SwiftSyntax
import TestSupport
import Testing

@testable import PatchCompiler

/// Functions of somebody else's package, as modules and natively: `make corpus DIR=…`.
@Suite(
    "A package's functions in modules",
    .enabled(if: ProcessInfo.processInfo.environment["OPENPATCH_CORPUS"] != nil))
struct CorpusTests {
    private static let checkout = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["OPENPATCH_CORPUS"] ?? "/")
    /// Functions taken of a package, and inputs for each.
    private static let sample = 50
    private static let inputs = 40

    @Test("the same results as native, unchanged and mutated")
    func sameAsNative() throws {
        var generator = SeededGenerator()
        let corpus = try Corpus(Self.checkout)
        print("corpus: \(corpus.module) at \(corpus.commit), \(generator)")

        let audit = try corpus.project.audit()
        let counts = audit.total
        print(
            "corpus: patchable \(counts.patchable) of \(counts.total) "
                + "(\(String(format: "%.1f", counts.percent)) %), candidates "
                + "\(counts.candidates), native \(counts.native)")
        print("corpus: why not: \(audit.reasons.map { "\($0.reason) \($0.count)" })")
        for entry in audit.entries where entry.standing == .candidate {
            print("corpus: candidate: \(entry.place): \(entry.name): \(entry.message)")
        }

        let patchable = Set(
            audit.entries.filter { $0.standing == .patchable }.map(\.name))
        try corpus.openAccess()
        try corpus.project.prepare()
        let code = try corpus.code()
        let build = try corpus.project.registerBuild()
        let missing = Set(build.notInBase.map(\.function))
        let values = CorpusValues(code, texts: corpus.texts)
        let all = code.scan.functions.filter {
            patchable.contains($0.displayName) && !missing.contains($0.displayName) && !$0.isAsync
                && values.canMakeInput(of: $0)
        }
        print("corpus: \(all.count) functions can be compared")
        let store = try CorpusProgram(corpus, code, all)
        let chosen = Array(all.shuffled(using: &generator).prefix(Self.sample))
        // Of a build in which each of them had another body.
        var other = build.manifest
        let ids = Set(chosen.map(\.hexID))
        for index in other.functions.indices where ids.contains(other.functions[index].id) {
            other.functions[index].body = ""
        }
        let module = try corpus.project.buildModule(
            for: other, release: ReleaseIdentity(version: "2", sequence: 1))
        print("corpus: unchanged: calls \(module.coverage.calls)")
        let found = try compare(
            chosen, values, module.wasm, native: store, patched: store, &generator, "unchanged")
        print("corpus: unchanged: \(chosen.count) functions, \(found)")

        // A round mutates each function once; a small package takes several.
        var total = 0
        for _ in 0..<8 where total < Self.sample {
            let count = try mutated(
                corpus, all, store, build.manifest, atMost: Self.sample - total, &generator)
            guard count > 0 else { break }
            total += count
        }
        print("corpus: mutated: \(total) functions in all")
        #expect(total > 0)
    }

    /// - Returns: how many functions were mutated and compared.
    private func mutated(
        _ corpus: Corpus, _ all: [RoutableFunction], _ store: CorpusProgram,
        _ manifest: BuildManifest, atMost limit: Int, _ generator: inout SeededGenerator
    ) throws -> Int {
        var pool = all.shuffled(using: &generator)
        var chosen: [(name: String, mutation: Mutation)] = []
        var refused = 0
        // One round brings each function one mutation; those that do not compile are drawn again.
        for _ in 0..<8 where chosen.count < min(limit, all.count) {
            guard !pool.isEmpty else { break }
            try corpus.restore()
            let current = try corpus.code()
            var drawn = chosen
            for function in pool.prefix(limit - chosen.count) {
                guard let now = current.scan.functions.first(where: { $0.id == function.id }),
                    let mutation = try corpus.mutations(of: now).randomElement(using: &generator)
                else { continue }
                drawn.append((function.displayName, mutation))
            }
            let (kept, bad) = try corpus.compiling(drawn, manifest)
            refused += bad
            let names = Set(kept.map(\.name))
            chosen = kept
            pool = all.filter { !names.contains($0.displayName) }.shuffled(using: &generator)
        }
        guard !chosen.isEmpty else { return 0 }
        try corpus.restore()
        try corpus.apply(chosen.map(\.mutation))
        let module = try corpus.project.buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        try corpus.project.prepare()
        let code = try corpus.code()
        let covered = Set(module.section.functions.map(\.id))
        let names = Set(chosen.map(\.name))
        let functions = code.scan.functions.filter {
            names.contains($0.displayName) && covered.contains($0.id)
        }
        let found = try compare(
            functions, CorpusValues(code, texts: corpus.texts), module.wasm,
            native: try CorpusProgram(corpus, code, functions), patched: store, &generator,
            "mutated")
        print(
            "corpus: mutated: \(functions.count) functions, \(found), "
                + "\(refused) mutations did not compile")
        for one in chosen { print("corpus: mutation: \(one.mutation)") }
        return functions.count
    }

    /// Runs every case both ways: by the bodies of one program, by a module in the other.
    /// - Returns: how many gave the same, and how many crashed and trapped alike.
    private func compare(
        _ functions: [RoutableFunction], _ values: CorpusValues, _ wasm: [UInt8],
        native: CorpusProgram, patched: CorpusProgram, _ generator: inout SeededGenerator,
        _ what: String
    ) throws -> String {
        let cases = functions.flatMap { function in
            (0..<(function.arguments.isEmpty ? 1 : Self.inputs)).map { _ in
                (function: function, input: values.input(of: function, &generator))
            }
        }
        let inputs = cases.map { ($0.function.hexID, $0.input) }
        let expected = try native.answers(inputs, wasm, isPatched: false)
        let answers = try patched.answers(inputs, wasm, isPatched: true)
        try #require(expected.count == cases.count, "\(expected.suffix(3))")
        try #require(answers.count == cases.count, "\(answers.suffix(3))")
        var same = 0
        var crashes = 0
        var wrong: [String: Int] = [:]
        for (one, (right, left)) in zip(cases, zip(expected, answers)) {
            // A trap leaves the call to the native body, which then does what it does.
            if right.hasPrefix("!"), left.hasPrefix("!") || right == "!slow" {
                crashes += 1
                continue
            }
            var texts = [right, left]
            if !right.hasPrefix("!"), !left.hasPrefix("!") {
                try values.note(one.input)
                texts = try texts.map {
                    try values.outcome(of: one.function, Hex.bytes($0))
                }
            }
            if texts[0] == texts[1] {
                same += 1
                continue
            }
            wrong[one.function.displayName, default: 0] += 1
            if wrong[one.function.displayName] == 1 {
                Issue.record(
                    "\(what): \(one.function.displayName) of \(Hex.text(one.input)): module \(texts[1]), native \(texts[0])"
                )
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
        return "\(same) of \(cases.count) inputs give the same, \(crashes) end both"
    }
}
