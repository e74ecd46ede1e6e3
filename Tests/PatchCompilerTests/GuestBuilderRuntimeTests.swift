import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

/// The programs of `GuestPrograms`, run here and in a guest.
@Suite("The guest runtime against the host's")
struct GuestBuilderRuntimeTests {
    private static let seeds: [UInt64] = [1, 20_260_731, 0xdead_beef_cafe]

    private func expectSame(
        _ module: GuestModule, _ calls: [(String, Int, (UInt64, Int32) -> UInt64)]
    ) throws {
        var steps: [[String: Any]] = []
        var expected: [UInt64] = []
        for (name, count, native) in calls {
            for seed in Self.seeds {
                steps.append(call(name, Int(seed), count))
                expected.append(native(seed, Int32(count)))
            }
        }
        let answers = try GuestRun.answers(module.wasm, steps)
        let found = answers.map { ($0 as? NSNumber).map { UInt64(bitPattern: $0.int64Value) } }
        #expect(found == expected, "\(steps) gave \(answers)")
    }

    @Test("128-bit arithmetic gives what it gives on the host", arguments: GuestTarget.allCases)
    func integers(target: GuestTarget) throws {
        guard #available(macOS 15.0, iOS 18.0, *) else { return }
        let module = try guestProgram("GuestIntegers", target)
        #expect(module.imports == [])
        try expectSame(
            module,
            [
                ("program_unsigned128", 3000, programUnsigned128),
                ("program_signed128", 3000, programSigned128),
                ("program_full_width", 3000, programFullWidth),
            ])
    }

    @Test(
        "float operations and numbers as text give what they give on the host",
        arguments: GuestTarget.allCases)
    func floats(target: GuestTarget) throws {
        let module = try guestProgram("GuestFloats", target)
        #expect(module.imports == [])
        try expectSame(
            module,
            [
                ("program_float_operations", 3000, programFloatOperations),
                ("program_float_text", 1000, programFloatText),
            ])
        let answer = try GuestRun.answers(module.wasm, [call("program_hard_numbers")]).first
        #expect(
            (answer as? NSNumber).map { UInt64(bitPattern: $0.int64Value) } == programHardNumbers())
    }

    @Test(
        "text, sets and dictionaries give what they give on the host",
        arguments: GuestTarget.allCases)
    func strings(target: GuestTarget) throws {
        let module = try guestProgram("GuestStrings", target)
        // No capability is needed to hash: seeds are fixed.
        #expect(module.imports == [])
        try expectSame(
            module,
            [("program_text", 300, programText), ("program_collections", 1500, programCollections)])
    }

    @Test(
        "what the guest's Foundation has gives what the host's gives",
        arguments: GuestTarget.allCases)
    func foundation(target: GuestTarget) throws {
        let module = try guestProgram("GuestFoundation", target)
        #expect(module.imports == [])
        try expectSame(
            module,
            [
                ("program_search", 400, programSearch),
                ("program_character_sets", 100, programCharacterSets),
                ("program_numbers_and_dates", 1000, programNumbersAndDates),
                ("program_bytes_and_identifiers", 300, programBytesAndIdentifiers),
            ])
        let answer = try GuestRun.answers(module.wasm, [call("program_inner_match")]).first
        #expect((answer as? [String: Any])?["trap"] != nil, "what is ambiguous traps")
    }

    @Test(
        "random allocations never overlap, and the heap is reused", arguments: GuestTarget.allCases)
    func allocator(target: GuestTarget) throws {
        let module = try guestProgram("GuestAllocator", target)
        let steps =
            Self.seeds.flatMap { seed in
                [1, 10, 200, 2000].map { call("program_allocator", Int(seed), 4000, $0) }
            } + [["pages": true]] + Self.seeds.map { call("program_allocator", Int($0), 4000, 200) }
            + [["pages": true]]
        let answers = try GuestRun.answers(module.wasm, steps).compactMap { $0 as? Int }
        #expect(answers.count == steps.count)
        let pages = [answers[12], answers[16]]
        #expect(pages[0] == pages[1], "the heap grew although everything had been freed")
        #expect(answers[..<12].allSatisfy { $0 == 0 } && answers[13..<16].allSatisfy { $0 == 0 })
    }
}
