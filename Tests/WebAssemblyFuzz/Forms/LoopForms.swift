import WebAssembly

/// Conditions merged with branches that go back, which alone pay fuel.
enum LoopForms {
    static func cases() -> [FuzzCase] { BodyGenerator.numbers.map(comparisons) + [conditions()] }

    /// Goes round while the condition holds, at most three times; how often is the result. `local` is
    /// a free one of type i32.
    private static func loop(_ condition: [UInt8], _ branch: [UInt8], local: UInt8) -> [UInt8] {
        [0x02, 0x40, 0x03, 0x40]
            // Leaves in the fourth round.
            + [0x20, local, 0x41, 1, 0x6a, 0x22, local, 0x41, 3, 0x4a, 0x0d, 1]
            + condition + branch + [0x0b, 0x0b, 0x20, local]
    }

    private static let again: [UInt8] = [0x0d, 0]
    private static let againUnless: [UInt8] = [0x45, 0x0d, 0]

    private static func comparisons(of type: ValueType) -> FuzzCase {
        var module = FormModule()
        let signature = FunctionType(parameters: [type, type], results: [.i32])
        for condition in NumericForms.comparisons(of: type) {
            for branch in [again, againUnless] {
                module.tabulate(signature, locals: [.i32], loop(condition, branch, local: 2))
            }
        }
        return module.fuzzCase
    }

    private static func conditions() -> FuzzCase {
        var module = FormModule()
        for type in [ValueType.i32, .i64] {
            let signature = FunctionType(parameters: [type], results: [.i32])
            for place in [NumericForms.Place.local, .accumulator] {
                let value = NumericForms.operand(place, local: 0, type, 0)
                for branch in [again, againUnless] {
                    let eqz: UInt8 = type == .i32 ? 0x45 : 0x50
                    module.tabulate(
                        signature, locals: [.i32], loop(value + [eqz], branch, local: 1))
                    if type == .i64 { continue }
                    module.tabulate(signature, locals: [.i32], loop(value, branch, local: 1))
                    for mask: UInt64 in [1, 4, 0x8000, 0x4_0000] {
                        var masked = value
                        masked.constant(.i32, mask)
                        module.tabulate(
                            signature, locals: [.i32], loop(masked + [0x71], branch, local: 1))
                    }
                }
                if type == .i32 {
                    // Back or out by a table, and back without a condition.
                    module.tabulate(
                        signature, locals: [.i32], loop(value, [0x0e, 2, 0, 1, 0], local: 1))
                    module.tabulate(signature, locals: [.i32], loop([], [0x0c, 0], local: 1))
                }
            }
        }
        return module.fuzzCase
    }
}
