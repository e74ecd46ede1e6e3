import WebAssembly

/// All numeric operators with their operands in locals, constants and accumulators, and their result
/// in a local, in an accumulator or returned.
enum NumericForms {
    /// Where an operand is.
    enum Place: CaseIterable { case local, accumulator, constant }
    /// Where a result goes.
    enum Target: CaseIterable { case local, accumulator, returned }

    /// A case for a few operators of one type each.
    static func cases() -> [FuzzCase] {
        BodyGenerator.numbers.flatMap { type in
            let operators = NumericOperator.all.filter { $0.inputs[0] == type }
            return stride(from: 0, to: operators.count, by: 5).map { first in
                var module = FormModule()
                for chosen in operators[first..<min(first + 5, operators.count)] {
                    chosen.inputs.count == 2 ? binary(chosen, &module) : unary(chosen, &module)
                }
                return module.fuzzCase
            }
        }
    }

    /// Constants of each size that instructions have room for.
    static func constants(_ type: ValueType) -> [UInt64] {
        switch type {
        case .i32: return [5, 0xffff_fff9, 0x12345, 31]
        case .i64: return [5, UInt64(bitPattern: -7), 0x12345, 0x12_3456_789a, ~0x7fff_ffff]
        case .f32: return [0x3fc0_0000, 0x8000_0000]
        default: return [0x3ff8_0000_0000_0000, 1 << 63]
        }
    }

    /// Every comparison of two parameters of a type in every operand form; each leaves an i32.
    static func comparisons(of type: ValueType) -> [[UInt8]] {
        let compares = NumericOperator.all.filter {
            $0.inputs == [type, type] && $0.output == .i32 && (0x45...0x66).contains($0.code[0])
        }
        var conditions: [[UInt8]] = []
        for chosen in compares {
            for left in Place.allCases {
                for right in Place.allCases where left != .constant || right != left {
                    let isConstant = left == .constant || right == .constant
                    for bits in isConstant ? comparedConstants(type) : [0] {
                        conditions.append(
                            operand(left, local: 0, type, bits)
                                + operand(right, local: 1, type, bits) + chosen.code)
                    }
                }
            }
        }
        return conditions
    }

    /// Constants for comparisons: also such as a border value equals, as it is and after `change`,
    /// in both widths that an instruction holds. Without them nothing is ever equal.
    private static func comparedConstants(_ type: ValueType) -> [UInt64] {
        let met: [UInt64]
        switch type {
        case .i32: met = [31, 31 ^ 3, 0x1234_5678, 0x1234_5678 ^ 3]
        case .i64: met = [31, 31 ^ 3, 0xfedc_ba98_7654_3210, 0xfedc_ba98_7654_3210 ^ 3]
        default: met = []
        }
        return constants(type) + met
    }

    /// Leaves an operand.
    static func operand(_ place: Place, local: UInt8, _ type: ValueType, _ bits: UInt64) -> [UInt8]
    {
        switch place {
        case .local: return [0x20, local]
        case .constant:
            var code: [UInt8] = []
            code.constant(type, bits)
            return code
        case .accumulator: return [0x20, local] + change(type)
        }
    }

    /// Changes a value in a way that leaves it in an accumulator.
    static func change(_ type: ValueType) -> [UInt8] {
        switch type {
        case .i32: return [0x41, 3, 0x73]
        case .i64: return [0x42, 3, 0x85]
        case .f32: return [0x8c]
        default: return [0x9a]
        }
    }

    private static func finish(_ target: Target, _ type: ValueType, local: UInt8) -> [UInt8] {
        switch target {
        case .local: return [0x21, local, 0x20, local]
        case .accumulator: return change(type)
        case .returned: return []
        }
    }

    private static func unary(_ chosen: NumericOperator, _ module: inout FormModule) {
        let input = chosen.inputs[0]
        let type = FunctionType(parameters: [input], results: [chosen.output])
        for place in [Place.local, .accumulator] {
            for target in Target.allCases {
                let code =
                    operand(place, local: 0, input, 0) + chosen.code
                    + finish(target, chosen.output, local: 1)
                if chosen.traps {
                    let name = module.add(type, locals: [chosen.output], code)
                    for bits in FormValues.list(input) {
                        module.call(name, [value(input, bits)])
                    }
                    let borders: [Double] = [
                        -0.9, -1, 2_147_483_520, 2_147_483_648, -2_147_483_648, 4_294_967_040,
                        4_294_967_296, 9_223_371_487_098_961_920, 9_223_372_036_854_775_808,
                        -9_223_372_036_854_775_808, 18_446_742_974_197_923_840,
                        18_446_744_073_709_551_616,
                    ]
                    for number in borders {
                        let bits =
                            input == .f32 ? UInt64(Float(number).bitPattern) : number.bitPattern
                        module.call(name, [value(input, bits)])
                    }
                } else {
                    module.tabulate(type, locals: [chosen.output], code)
                }
            }
        }
    }

    private static func binary(_ chosen: NumericOperator, _ module: inout FormModule) {
        let input = chosen.inputs[0]
        let type = FunctionType(parameters: [input, input], results: [chosen.output])
        for left in Place.allCases {
            for right in Place.allCases where left != .constant || right != .constant {
                let isConstant = left == .constant || right == .constant
                for bits in isConstant ? constants(input) : [0] {
                    for target in Target.allCases {
                        let code =
                            operand(left, local: 0, input, bits)
                            + operand(right, local: 1, input, bits) + chosen.code
                            + finish(target, chosen.output, local: 2)
                        if chosen.traps {
                            divide(type, chosen, code, &module)
                        } else {
                            module.tabulate(type, locals: [chosen.output], code)
                        }
                    }
                }
            }
        }
        if chosen.traps { divideByConstants(chosen, type, &module) }
    }

    /// Division traps, so each pair is a call of its own.
    private static func divide(
        _ type: FunctionType, _ chosen: NumericOperator, _ code: [UInt8],
        _ module: inout FormModule
    ) {
        let name = module.add(type, locals: [chosen.output], code)
        let input = chosen.inputs[0]
        let least: UInt64 = input == .i32 ? 1 << 31 : 1 << 63
        let pairs: [(UInt64, UInt64)] = [
            (100, 7), (UInt64(bitPattern: -100), 7), (least, .max), (least + 3, 2), (5, 0), (5, 3),
            (least ^ 3, .max ^ 3), (1 << 40 | 77, 1 << 33 | 5),
        ]
        for (a, b) in pairs { module.call(name, [value(input, a), value(input, b)]) }
    }

    private static func divideByConstants(
        _ chosen: NumericOperator, _ type: FunctionType, _ module: inout FormModule
    ) {
        for bits: UInt64 in [0, .max] {
            for left in [Place.local, .accumulator] {
                let code =
                    operand(left, local: 0, chosen.inputs[0], 0)
                    + operand(.constant, local: 0, chosen.inputs[0], bits) + chosen.code
                divide(type, chosen, code, &module)
            }
        }
    }

    static func value(_ type: ValueType, _ bits: UInt64) -> Value {
        switch type {
        case .i32: return .i32(UInt32(truncatingIfNeeded: bits))
        case .i64: return .i64(bits)
        case .f32: return .f32(UInt32(truncatingIfNeeded: bits))
        default: return .f64(bits)
        }
    }
}
