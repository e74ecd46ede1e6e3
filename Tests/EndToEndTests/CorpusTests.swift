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

        let patchable = Set(audit.entries.filter { $0.standing == .patchable }.map(\.name))
        try corpus.openAccess()
        let code = try corpus.code()
        let build = try corpus.project.registerBuild()
        let missing = Set(build.notInBase.map(\.function))
        let all = code.scan.functions.filter {
            patchable.contains($0.displayName) && !missing.contains($0.displayName)
        }
        let chosen = Array(all.shuffled(using: &generator).prefix(Self.sample))
        let cases = Self.cases(chosen, code, corpus.texts, &generator)
        let found = try compare(code, chosen, build.base, cases, corpus, "unchanged")
        print("corpus: unchanged: \(chosen.count) functions, \(found)")

        // A round mutates each function once; a small package takes several.
        var total = 0
        for _ in 0..<8 where total < Self.sample {
            let count = try mutated(
                corpus, all, build.manifest, atMost: Self.sample - total, &generator)
            guard count > 0 else { break }
            total += count
        }
        print("corpus: mutated: \(total) functions in all")
        #expect(total > 0)
    }

    /// - Returns: how many functions were mutated and compared.
    private func mutated(
        _ corpus: Corpus, _ all: [RoutableFunction], _ manifest: BuildManifest,
        atMost limit: Int, _ generator: inout SeededGenerator
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
        let code = try corpus.code()
        let module = try corpus.project.buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        let covered = Set(module.section.functions.map(\.id))
        let names = Set(chosen.map(\.name))
        let functions = code.scan.functions.filter {
            names.contains($0.displayName) && covered.contains($0.id)
        }
        let cases = Self.cases(functions, code, corpus.texts, &generator)
        let found = try compare(code, functions, module.wasm, cases, corpus, "mutated")
        print(
            "corpus: mutated: \(functions.count) functions, \(found), "
                + "\(refused) mutations did not compile")
        for one in chosen { print("corpus: mutation: \(one.mutation)") }
        return functions.count
    }

    private typealias Case = (function: RoutableFunction, input: [UInt8])

    private static func cases(
        _ functions: [RoutableFunction], _ code: AppCode, _ texts: [String],
        _ generator: inout SeededGenerator
    ) -> [Case] {
        let values = CorpusValues(
            types: code.scan.types, errors: code.scan.types.errors, texts: texts)
        return functions.flatMap { function in
            (0..<(function.arguments.isEmpty ? 1 : inputs)).map { _ in
                var writer = MessagePackWriter()
                if function.arguments.count != 1 {
                    writer.arrayHeader(function.arguments.count)
                }
                for argument in function.arguments {
                    values.write(argument.type, &writer, &generator)
                }
                return (function, writer.bytes)
            }
        }
    }

    /// Runs every case both ways.
    /// - Returns: how many gave the same, and how many crashed and trapped alike.
    private func compare(
        _ code: AppCode, _ functions: [RoutableFunction], _ wasm: [UInt8], _ cases: [Case],
        _ corpus: Corpus, _ what: String
    ) throws -> String {
        let program = try CorpusProgram(
            code, functions, module: corpus.module, in: corpus.folder)
        let native = try program.answers(cases.map { ($0.function.hexID, $0.input) })
        try #require(native.count == cases.count, "\(native.suffix(3))")
        let module = CorpusModule(wasm)
        let values = CorpusValues(
            types: code.scan.types, errors: code.scan.types.errors, texts: [])
        var same = 0
        var crashes = 0
        var wrong: [String: Int] = [:]
        for (one, expected) in zip(cases, native) {
            let answer = try module.call(one.function, one.input)
            if expected.hasPrefix("!") {
                // A trap leaves the call to the native body, which then does what it does.
                if answer == nil || expected == "!slow" { crashes += 1; continue }
            } else if let answer {
                let left = try values.outcome(of: one.function, answer)
                let right = try values.outcome(of: one.function, Hex.bytes(expected))
                if left == right { same += 1; continue }
                wrong[one.function.displayName, default: 0] += 1
                if wrong[one.function.displayName] == 1 {
                    Issue.record(
                        "\(what): \(one.function.displayName) of \(Hex.text(one.input)): module \(left), native \(right)"
                    )
                }
                continue
            }
            wrong[one.function.displayName, default: 0] += 1
            if wrong[one.function.displayName] == 1 {
                Issue.record(
                    "\(what): \(one.function.displayName) of \(Hex.text(one.input)): module \(answer.map { Hex.text($0) } ?? "trapped"), native \(expected)"
                )
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
        return "\(same) of \(cases.count) inputs give the same, \(crashes) end both"
    }
}
