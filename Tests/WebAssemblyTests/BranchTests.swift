import Testing
import WebAssembly

/// A condition merges with the branch that follows it, and a branch back to a loop is an instruction
/// of its own: so each condition, with its operands in each place, must be seen to branch and not to
/// branch, both ways.
@Suite("Branches on conditions")
struct BranchTests {
    /// Where an operand of a condition comes from.
    enum Place: CaseIterable {
        case local, computed, constant
    }

    /// Where a branch goes.
    enum Way: CaseIterable {
        case backward, forward, overThen
    }

    private static let comparisons = Operator.all.filter { op in
        op.result == .i32
            && (op.isBinary
                ? ["eq", "ne", "lt", "gt", "le", "ge"].contains { op.name.contains(".\($0)") }
                : op.name.hasSuffix("eqz"))
    }

    private func values(_ type: ValueType) -> [Value] {
        switch type {
        case .i32: return [.i32(0), .i32(5), .i32(UInt32.max - 2), .i32(0x8000_0000)]
        case .i64: return [.i64(0), .i64(5), .i64(UInt64.max - 2), .i64(0x1234_5678_9abc)]
        case .f32: return [0, 5, -2.5, .nan].map { .f32(Float($0).bitPattern) }
        default: return [0, 5, -2.5, .nan].map { .f64(Double($0).bitPattern) }
        }
    }

    private func constant(_ value: Value) -> [UInt8] {
        switch value {
        case .i32(let bits): return Code.i32(Int32(bitPattern: bits))
        case .i64(let bits): return Code.i64(Int64(bitPattern: bits))
        case .f32(let bits): return Code.f32(Float(bitPattern: bits))
        case .f64(let bits): return Code.f64(Double(bitPattern: bits))
        case .ref: return []
        }
    }

    private func code(_ local: Int, _ value: Value, _ place: Place) -> [UInt8] {
        switch place {
        case .local: return Code.get(local)
        case .constant: return constant(value)
        case .computed:
            // The same value, left in an accumulator.
            switch value.type {
            case .i32: return Code.get(local) + Code.get(3) + Code.add32
            case .i64: return Code.get(local) + Code.get(4) + Code.add64
            case .f32: return Code.get(local) + [0x8c, 0x8c]
            default: return Code.get(local) + [0x9a, 0x9a]
            }
        }
    }

    /// 1 when the branch after `condition` is taken, else 0.
    private func body(_ condition: [UInt8], _ way: Way) -> [UInt8] {
        let taken = Code.i32(1) + Code.ret
        switch way {
        case .forward:
            return Code.block(0x40, condition + Code.brIf(0) + Code.i32(0) + Code.ret) + taken
        case .overThen:
            return condition + [0x04, 0x7f] + Code.i32(1) + [0x05] + Code.i32(0) + [0x0b]
        case .backward:
            // The second time round the loop, which only a taken branch brings, answers 1.
            let again =
                Code.get(2) + Code.ifElse(0x40, taken, []) + Code.i32(1) + Code.set(2)
            return Code.loop(0x40, again + condition + Code.brIf(0)) + Code.i32(0)
        }
    }

    private func expect(
        _ conditions: [(name: String, code: [UInt8], x: Value, y: Value, holds: Bool)]
    )
        throws
    {
        for way in Way.allCases {
            var builder = ModuleBuilder()
            for (index, condition) in conditions.enumerated() {
                builder.function(
                    "f\(index)", [condition.x.type, condition.y.type], [.i32],
                    locals: [.i32, .i32, .i64], body(condition.code, way))
            }
            let instance = try builder.instance()
            for (index, condition) in conditions.enumerated() {
                let function = try #require(instance.exports[function: "f\(index)"])
                let result = try function.invoke([condition.x, condition.y])
                #expect(
                    result == [.i32(condition.holds ? 1 : 0)],
                    "\(condition.name) of \(condition.x), \(condition.y), \(way)")
            }
        }
    }

    @Test("a comparison branches when it holds, its operands wherever they are")
    func comparisons() throws {
        for op in BranchTests.comparisons {
            var conditions: [(name: String, code: [UInt8], x: Value, y: Value, holds: Bool)] = []
            for x in values(op.operand) {
                for y in op.isBinary ? values(op.operand) : [values(op.operand)[0]] {
                    let holds = op.apply(x, y) == .i32(1)
                    for first in Place.allCases {
                        for second in op.isBinary ? Place.allCases : [.local] {
                            let operands =
                                code(0, x, first) + (op.isBinary ? code(1, y, second) : [])
                            let name = "\(op.name) \(first) \(second)"
                            conditions.append((name, operands + op.code, x, y, holds))
                            conditions.append(
                                ("not " + name, operands + op.code + Code.eqz32, x, y, !holds))
                        }
                    }
                }
            }
            try expect(conditions)
        }
    }

    @Test("a value branches when it is not zero, also masked")
    func values() throws {
        var conditions: [(name: String, code: [UInt8], x: Value, y: Value, holds: Bool)] = []
        for bits: UInt32 in [0, 1, 4, 0x10000, 0xffff_ffff] {
            let x = Value.i32(bits)
            for place in Place.allCases {
                let value = code(0, x, place)
                conditions.append(("\(place)", value, x, x, bits != 0))
                for mask: Int32 in [1, 4, 6, 0xffff, 0x10000, -1] {
                    let holds = bits & UInt32(bitPattern: mask) != 0
                    let masked = value + Code.i32(mask) + [0x71]
                    conditions.append(("\(place) & \(mask)", masked, x, x, holds))
                    conditions.append(
                        ("not \(place) & \(mask)", masked + Code.eqz32, x, x, !holds))
                }
            }
        }
        try expect(conditions)
    }

    @Test("a counter's addition, comparison and branch are exact at every border")
    func counters() throws {
        // do { c += step; n += 1 } while c ⟨op⟩ limit && n < 5; answers n.
        let operators = BranchTests.comparisons.filter { $0.operand == .i32 && $0.isBinary }
        for op in operators {
            for step: Int32 in [1, -1, 3, 32_767, -32_768] {
                for limit: Int32 in [0, 2, -2, 6, 100_000, -100_000, .max, .min] {
                    for place in [Place.local, .constant] {
                        let right = place == .local ? Code.get(0) : Code.i32(limit)
                        var builder = ModuleBuilder()
                        builder.function(
                            "f", [.i32], [.i32], locals: [.i32, .i32],
                            Code.loop(
                                0x40,
                                Code.get(2) + Code.i32(1) + Code.add32 + Code.tee(2) + Code.i32(5)
                                    + [0x46] + Code.ifElse(0x40, Code.get(2) + Code.ret, [])
                                    + Code.get(1) + Code.i32(step) + Code.add32 + Code.tee(1)
                                    + right + op.code + Code.brIf(0)) + Code.get(2))
                        var (c, n) = (Int32(0), UInt32(0))
                        repeat {
                            n += 1
                            if n == 5 { break }
                            c &+= step
                        } while op.apply(
                            .i32(UInt32(bitPattern: c)), .i32(UInt32(bitPattern: limit))) == .i32(1)
                        let function = try #require(
                            try builder.instance().exports[function: "f"])
                        #expect(
                            try function.invoke([.i32(UInt32(bitPattern: limit))]) == [.i32(n)],
                            "\(op.name) step \(step) limit \(limit) \(place)")
                    }
                }
            }
        }
    }

    @Test("every way back to a loop pays fuel, and no way forward does")
    func fuel() throws {
        for way in [Way.backward, .forward] {
            for op in BranchTests.comparisons where op.isBinary && op.name.contains("eq") {
                for place in Place.allCases {
                    let x = values(op.operand)[1]
                    var builder = ModuleBuilder()
                    builder.function(
                        "f", [x.type, x.type], [.i32], locals: [.i32, .i32, .i64],
                        body(code(0, x, place) + code(1, x, .local) + op.code, way))
                    let module = try builder.module()
                    func run(fuel: UInt64) throws {
                        let instance = try module.instantiate(store: Store(engine: Engine()))
                        try #require(instance.exports[function: "f"]).invoke(
                            [x, x], limits: CallLimits(fuel: fuel))
                    }
                    // One unit for the call itself.
                    let needed: UInt64 = way == .backward ? 2 : 1
                    try run(fuel: needed)
                    #expect(throws: Trap.self) { try run(fuel: needed - 1) }
                }
            }
        }
    }
}
