import Testing

@testable import WebAssembly

/// What the translator makes of typical code: these forms are where its speed comes from.
@Suite("Translation")
struct TranslationTests {
    private func listing(
        _ parameters: [ValueType], _ results: [ValueType] = [], locals: [ValueType] = [],
        memory64: Bool = false, _ code: [UInt8]
    ) throws -> [String] {
        var builder = ModuleBuilder()
        builder.memory(1, is64: memory64)
        builder.function("f", parameters, results, locals: locals, code)
        return try builder.module().code.listing(0).map { line in
            String(line.prefix { $0 != " " })
        }
    }

    @Test("an intermediate result stays in the accumulator")
    func accumulator() throws {
        let code = try listing(
            [.i32, .i32], [.i32],
            Code.get(0) + Code.get(1) + Code.add32 + Code.i32(3) + Code.mul32)
        #expect(code == ["enter", "i32_add_ass", "i32_mul_aai", "ret_r"])
    }

    @Test("a result goes straight into the local that is assigned next")
    func forwarding() throws {
        let code = try listing(
            [.i32, .i32], [.i32],
            Code.get(0) + Code.get(1) + Code.add32 + Code.set(0) + Code.get(0))
        #expect(code == ["enter", "i32_add_sss", "ret_s"])
    }

    @Test("a comparison and its branch are one instruction, with constants of any width")
    func fusion() throws {
        for (constant, name) in [(5, "si"), (100_000, "sk")] as [(Int32, String)] {
            let code = try listing(
                [.i32], [],
                Code.block(
                    0x40, Code.get(0) + Code.i32(constant) + [0x48] + Code.brIf(0)))  // lt_s
            #expect(code.contains("br_i32_lt_s_\(name)"))
        }
        let inverted = try listing(
            [.f64], [],
            Code.block(
                0x40, Code.get(0) + Code.f64(1) + [0x63] + Code.eqz32 + Code.brIf(0)))  // f64.lt
        #expect(inverted.contains("brn_f64_lt_sk"))
    }

    @Test("a loop over a counter ends in one instruction")
    func counter() throws {
        let code = try listing(
            [.i32, .i32], [],
            Code.loop(
                0x40,
                Code.get(0) + Code.i32(1) + Code.add32 + Code.tee(0) + Code.get(1) + [0x47]
                    + Code.brIf(0)))
        #expect(code == ["enter", "addbr_i32_ne_s", "ret"])
    }

    @Test("a read of a local is copied only when the local is assigned before its use")
    func laziness() throws {
        let swap = try listing(
            [.i32, .i32], [.i32],
            Code.get(0) + Code.get(1) + Code.set(0) + Code.get(0) + Code.sub32)
        #expect(swap == ["enter", "copy2", "i32_sub_ass", "ret_r"])
    }

    @Test("addresses of 64 bits have handlers of their own")
    func wide() throws {
        let code = try listing([.i64], [.i32], memory64: true, Code.get(0) + [0x28, 2, 8])
        #expect(code == ["enter", "m64_i32_load_as", "ret_r"])
        let sum = try listing(
            [.i64, .i64], [.i32], memory64: true,
            Code.get(0) + Code.get(1) + Code.add64 + [0x28, 2, 8])
        #expect(sum == ["enter", "m64_i32_load_ax", "ret_r"])
    }

    @Test("an address that is a sum is computed by the access, and wraps like the sum")
    func sums() throws {
        let constant = try listing(
            [.i32], [.i32], Code.get(0) + Code.i32(-8) + Code.add32 + Code.load32())
        #expect(constant == ["enter", "i32_load_aw", "ret_r"])
        let index = try listing(
            [.i32, .i32], [],
            Code.get(0) + Code.get(1) + Code.add32 + Code.i32(7) + Code.store32(4))
        #expect(index == ["enter", "i32_store_xi", "ret"])

        var builder = ModuleBuilder()
        builder.memory(1)
        builder.data(at: 16, [1, 2, 3, 4])
        builder.function(
            "constant", [.i32], [.i32], Code.get(0) + Code.i32(-8) + Code.add32 + Code.load32())
        builder.function(
            "index", [.i32, .i32], [.i32],
            Code.get(0) + Code.get(1) + Code.add32 + Code.load32(12))
        let exports = try builder.instance().exports
        #expect(try exports[function: "constant"]?.invoke([.i32(24)]) == [.i32(0x0403_0201)])
        #expect(throws: Trap.self) { try exports[function: "constant"]?.invoke([.i32(7)]) }
        let index2 = try #require(exports[function: "index"])
        #expect(try index2.invoke([.i32(.max), .i32(5)]) == [.i32(0x0403_0201)])
        #expect(throws: Trap.self) { try index2.invoke([.i32(.max), .i32(0)]) }
        #expect(throws: Trap.self) { try index2.invoke([.i32(65_000), .i32(525)]) }
    }

    @Test("only locals that may be read before they are assigned are cleared")
    func clearing() throws {
        func cleared(_ code: [UInt8]) throws -> Int {
            var builder = ModuleBuilder()
            builder.function("f", [.i32], [.i32], locals: [.i32, .i32, .i32], code)
            let line = try builder.module().code.listing(0).first ?? ""
            return Int(line.split(separator: " ")[2].dropFirst(2)) ?? -1
        }
        #expect(try cleared(Code.i32(1) + Code.set(2) + Code.get(2)) == 0)
        #expect(try cleared(Code.get(2)) == 2)
        // Assigned on one way only.
        let maybe = Code.get(0) + [0x04, 0x40] + Code.i32(1) + Code.set(1) + [0x0b]
        #expect(try cleared(maybe + Code.get(1)) == 1)
        // After a loop there is one way only.
        let loop = Code.loop(0x40, Code.i32(1) + Code.set(3) + Code.get(0) + Code.brIf(0))
        #expect(try cleared(loop + Code.get(3)) == 0)
    }

    /// `f(i)` jumps with operands 7 and 3 out of two blocks, of which the inner one subtracts and
    /// the outer one adds.
    private func tableOfTargets(_ inner: [UInt8], _ outer: [UInt8]) throws -> Function {
        var builder = ModuleBuilder()
        let pair = UInt8(builder.type([], [.i32, .i32]))
        let single = UInt8(builder.type([], [.i32]))
        func named(_ type: [UInt8]) -> [UInt8] {
            type.map { $0 == 1 ? single : $0 == 2 ? pair : $0 }
        }
        let one = inner == [2] ? [] : Code.sub32
        let table: [UInt8] = [0x0e, 3, 0, 1, 0, 1]
        builder.function(
            "f", [.i32], [.i32],
            [0x02] + named(outer) + [0x02] + named(inner) + Code.i32(7) + Code.i32(3) + one
                + Code.get(0) + table + [0x0b] + (inner == [2] ? Code.sub32 : []) + Code.ret + [
                    0x0b
                ]
                + (inner == [2] ? Code.add32 : Code.i32(100) + Code.add32))
        return try #require(try builder.instance().exports[function: "f"])
    }

    @Test("a branch table carries operands to targets whose types are written differently")
    func branchTable() throws {
        let pair = try tableOfTargets([2], [2])
        #expect(
            try [0, 1, 2, 3, 9].map { try pair.invoke([.i32($0)]) }
                == [[.i32(4)], [.i32(10)], [.i32(4)], [.i32(10)], [.i32(10)]])
        // A type index, and a value type that stands for the same.
        for (inner, outer) in [([1], [0x7f]), ([0x7f], [1])] as [([UInt8], [UInt8])] {
            let single = try tableOfTargets(inner, outer)
            #expect(
                try [0, 1, 2].map { try single.invoke([.i32($0)]) }
                    == [[.i32(4)], [.i32(104)], [.i32(4)]])
        }
        for (inner, outer) in [([1], [0x7d]), ([0x7d], [1]), ([2], [1])] as [([UInt8], [UInt8])] {
            #expect(throws: WasmValidationError.self) { _ = try tableOfTargets(inner, outer) }
        }
    }
}
