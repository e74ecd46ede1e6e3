import WebAssembly

/// Conditions merged with the branches that follow them, counters with the branches of their loops.
enum BranchForms {
    static func cases() -> [FuzzCase] {
        BodyGenerator.numbers.map(comparisons) + [conditions(), counters(), indirectCalls()]
    }

    /// Calls through a table with 64-bit indices: what lies beyond 32 bits is outside.
    private static func indirectCalls() -> FuzzCase {
        var module = FormModule()
        let type = FunctionType(parameters: [], results: [.i32])
        for result: UInt64 in [11, 22, 33] { module.place(type, constant(result)) }
        module.useWideTable()
        for index in [NumericForms.Place.local, .accumulator] {
            var code = NumericForms.operand(index, local: 0, .i64, 0) + [0x11]
            code.unsigned(module.number(of: type))
            code.append(0)
            let name = module.add(FunctionType(parameters: [.i64], results: [.i32]), code)
            for at: UInt64 in [0, 1, 2, 3, 1 << 32, 1 << 32 | 1, 1 << 63, .max] {
                module.call(name, [.i64(at)])
            }
        }
        return module.fuzzCase
    }

    /// Ways to branch on the i32 on the stack; each gives an i32.
    private static let uses: [(head: [UInt8], tail: [UInt8])] = [
        ([0x02, 0x40], [0x0d, 0, 0x41, 1, 0x0f, 0x0b, 0x41, 2]),
        ([], [0x04, 0x7f, 0x41, 1, 0x05, 0x41, 2, 0x0b]),
        ([0x02, 0x40], [0x45, 0x0d, 0, 0x41, 1, 0x0f, 0x0b, 0x41, 2]),
        ([], [0x45, 0x04, 0x7f, 0x41, 1, 0x05, 0x41, 2, 0x0b]),
    ]

    private static func comparisons(of type: ValueType) -> FuzzCase {
        var module = FormModule()
        let signature = FunctionType(parameters: [type, type], results: [.i32])
        for condition in NumericForms.comparisons(of: type) {
            for use in uses { module.tabulate(signature, use.head + condition + use.tail) }
        }
        return module.fuzzCase
    }

    /// Branches on numbers, on single bits, on tables; selections.
    private static func conditions() -> FuzzCase {
        var module = FormModule()
        for type in [ValueType.i32, .i64] {
            let unary = FunctionType(parameters: [type], results: [.i32])
            let local = NumericForms.operand(.local, local: 0, type, 0)
            let accumulator = NumericForms.operand(.accumulator, local: 0, type, 0)
            for value in [local, accumulator] {
                for use in uses {
                    if type == .i32 { module.tabulate(unary, use.head + value + use.tail) }
                    let eqz: UInt8 = type == .i32 ? 0x45 : 0x50
                    module.tabulate(unary, use.head + value + [eqz] + use.tail)
                    for mask: UInt64 in [1, 4, 0x8000, 0x4_0000] where type == .i32 {
                        let masked = value + constant(mask) + [0x71]
                        module.tabulate(unary, use.head + masked + use.tail)
                    }
                }
                if type == .i32 {
                    module.tabulate(
                        unary,
                        [0x02, 0x40, 0x02, 0x40, 0x02, 0x40] + value
                            + [
                                0x0e, 3, 0, 2, 1, 0, 0x0b, 0x41, 10, 0x0f, 0x0b, 0x41, 11, 0x0f,
                                0x0b, 0x41, 12,
                            ])
                }
            }
        }
        for type in BodyGenerator.numbers { selections(of: type, &module) }
        return module.fuzzCase
    }

    private static func selections(of type: ValueType, _ module: inout FormModule) {
        let binary = FunctionType(parameters: [type, type], results: [type])
        let compare: [ValueType: UInt8] = [.i32: 0x48, .i64: 0x53, .f32: 0x5d, .f64: 0x63]
        let condition: [UInt8] = [0x20, 0, 0x20, 1, compare[type] ?? 0]
        let values: [UInt8] = [0x20, 0, 0x20, 1]
        module.tabulate(binary, values + condition + [0x1b])
        module.tabulate(
            binary, locals: [.i32], condition + [0x21, 2] + values + [0x20, 2, 0x1b])
        module.tabulate(
            binary, locals: [.i32, type],
            condition + [0x21, 2] + values + [0x20, 2, 0x1b, 0x21, 3, 0x20, 3])
    }

    private static func constant(_ bits: UInt64) -> [UInt8] {
        var code: [UInt8] = []
        code.constant(.i32, bits)
        return code
    }

    /// `counter += step; if counter <op> limit, again`, at most five times.
    private static func counters() -> FuzzCase {
        var module = FormModule()
        let binary = FunctionType(parameters: [.i32, .i32], results: [.i32])
        let limits: [[UInt8]] =
            [[0x20, 1]]
            + ([5, 0xffff_fffd, 33, 70_000, 0x8000_0001] as [UInt64]).map(constant)
        for compare in UInt8(0x46)...0x4f {
            for step: UInt64 in [1, 3, 0xffff_ffff] {
                for limit in limits {
                    let bound: [UInt8] = [
                        0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x41, 5, 0x4a, 0x0d, 1,
                    ]
                    let counter: [UInt8] =
                        [0x20, 0] + constant(step) + [0x6a, 0x22, 0] + limit + [compare, 0x0d, 0]
                    module.tabulate(
                        binary, locals: [.i32],
                        [0x02, 0x40, 0x03, 0x40] + bound + counter
                            + [0x0b, 0x0b, 0x20, 2, 0x41, 13, 0x6c, 0x20, 0, 0x73])
                }
            }
        }
        return module.fuzzCase
    }
}
