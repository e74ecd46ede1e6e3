import WebAssembly

/// A numeric operator: its opcode, and what it computes in plain Swift (nil = it traps).
struct Operator: Sendable {
    let name: String
    let code: [UInt8]
    let operand: ValueType
    let result: ValueType
    let isBinary: Bool
    let apply: @Sendable (Value, Value) -> Value?

    static let all: [Operator] =
        integers32 + integers64 + floats32 + floats64 + conversions

    // MARK: Integers

    private static let integers32: [Operator] = integers(
        .i32, 0x67, 0x46, unwrap: { UInt32(truncatingIfNeeded: $0.bits) }, wrap: { .i32($0) })
    private static let integers64: [Operator] = integers(
        .i64, 0x79, 0x51, unwrap: { $0.bits }, wrap: { .i64($0) })

    private static func integers<T: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ type: ValueType, _ first: UInt8, _ compare: UInt8,
        unwrap: @escaping @Sendable (Value) -> T, wrap: @escaping @Sendable (T) -> Value
    ) -> [Operator] {
        let width = T(T.bitWidth)
        let sign: T = 1 << (width - 1)
        // Signed comparison is unsigned comparison with the sign bit flipped.
        @Sendable func less(_ a: T, _ b: T) -> Bool { a ^ sign < b ^ sign }
        @Sendable func magnitude(_ a: T) -> T { a & sign != 0 ? 0 &- a : a }
        let unary: [(String, @Sendable (T) -> T)] = [
            ("clz", { T($0.leadingZeroBitCount) }), ("ctz", { T($0.trailingZeroBitCount) }),
            ("popcnt", { T($0.nonzeroBitCount) }),
        ]
        let binary: [(String, @Sendable (T, T) -> T?)] = [
            ("add", { $0 &+ $1 }), ("sub", { $0 &- $1 }), ("mul", { $0 &* $1 }),
            (
                "div_s",
                { a, b in
                    if b == 0 || (a == sign && b == T.max) { return nil }
                    let q = magnitude(a) / magnitude(b)
                    return (a ^ b) & sign != 0 ? 0 &- q : q
                }
            ),
            ("div_u", { $1 == 0 ? nil : $0 / $1 }),
            (
                "rem_s",
                { a, b in
                    if b == 0 { return nil }
                    let r = magnitude(a) % magnitude(b)
                    return a & sign != 0 ? 0 &- r : r
                }
            ),
            ("rem_u", { $1 == 0 ? nil : $0 % $1 }),
            ("and", { $0 & $1 }), ("or", { $0 | $1 }), ("xor", { $0 ^ $1 }),
            ("shl", { $0 << ($1 % width) }),
            (
                "shr_s",
                { a, b in
                    let by = b % width
                    return a >> by | (a & sign != 0 && by > 0 ? T.max << (width - by) : 0)
                }
            ),
            ("shr_u", { $0 >> ($1 % width) }),
            ("rotl", { $0 << ($1 % width) | $0 >> ((width - $1 % width) % width) }),
            ("rotr", { $0 >> ($1 % width) | $0 << ((width - $1 % width) % width) }),
        ]
        let comparisons: [(String, @Sendable (T, T) -> Bool)] = [
            ("eq", { $0 == $1 }), ("ne", { $0 != $1 }), ("lt_s", { less($0, $1) }),
            ("lt_u", { $0 < $1 }), ("gt_s", { less($1, $0) }), ("gt_u", { $0 > $1 }),
            ("le_s", { !less($1, $0) }), ("le_u", { $0 <= $1 }), ("ge_s", { !less($0, $1) }),
            ("ge_u", { $0 >= $1 }),
        ]
        var list: [Operator] = []
        for (k, (name, f)) in unary.enumerated() {
            list.append(
                Operator(
                    name: "\(type).\(name)", code: [first + UInt8(k)], operand: type,
                    result: type, isBinary: false, apply: { a, _ in wrap(f(unwrap(a))) }))
        }
        for (k, (name, f)) in binary.enumerated() {
            list.append(
                Operator(
                    name: "\(type).\(name)", code: [first + 3 + UInt8(k)], operand: type,
                    result: type, isBinary: true,
                    apply: { a, b in f(unwrap(a), unwrap(b)).map(wrap) }))
        }
        list.append(
            Operator(
                name: "\(type).eqz", code: [compare - 1], operand: type, result: .i32,
                isBinary: false, apply: { a, _ in .i32(unwrap(a) == 0 ? 1 : 0) }))
        for (k, (name, f)) in comparisons.enumerated() {
            list.append(
                Operator(
                    name: "\(type).\(name)", code: [compare + UInt8(k)], operand: type,
                    result: .i32, isBinary: true,
                    apply: { a, b in .i32(f(unwrap(a), unwrap(b)) ? 1 : 0) }))
        }
        return list
    }

    // MARK: Floating point

    private static let floats32: [Operator] = floats(
        .f32, 0x8b, 0x5b, unwrap: { Float(bitPattern: UInt32(truncatingIfNeeded: $0.bits)) },
        wrap: { .f32($0.bitPattern) })
    private static let floats64: [Operator] = floats(
        .f64, 0x99, 0x61, unwrap: { Double(bitPattern: $0.bits) },
        wrap: { .f64($0.bitPattern) })

    private static func floats<T: BinaryFloatingPoint & Sendable>(
        _ type: ValueType, _ first: UInt8, _ compare: UInt8,
        unwrap: @escaping @Sendable (Value) -> T, wrap: @escaping @Sendable (T) -> Value
    ) -> [Operator] {
        @Sendable func least(_ a: T, _ b: T) -> T {
            if a.isNaN || b.isNaN { return T.nan }
            if a == b { return a.sign == .minus ? a : b }
            return a < b ? a : b
        }
        let unary: [(String, @Sendable (T) -> T)] = [
            ("abs", { $0.magnitude }), ("neg", { -$0 }), ("ceil", { $0.rounded(.up) }),
            ("floor", { $0.rounded(.down) }), ("trunc", { $0.rounded(.towardZero) }),
            ("nearest", { $0.rounded(.toNearestOrEven) }), ("sqrt", { $0.squareRoot() }),
        ]
        let binary: [(String, @Sendable (T, T) -> T)] = [
            ("add", { $0 + $1 }), ("sub", { $0 - $1 }), ("mul", { $0 * $1 }),
            ("div", { $0 / $1 }), ("min", { least($0, $1) }), ("max", { -least(-$0, -$1) }),
            // Not `copysign`: it shows the sign of a NaN, which is not determined. The
            // specification's suite has it.
        ]
        let comparisons: [(String, @Sendable (T, T) -> Bool)] = [
            ("eq", { $0 == $1 }), ("ne", { $0 != $1 }), ("lt", { $0 < $1 }),
            ("gt", { $0 > $1 }), ("le", { $0 <= $1 }), ("ge", { $0 >= $1 }),
        ]
        var list: [Operator] = []
        for (k, (name, f)) in unary.enumerated() {
            list.append(
                Operator(
                    name: "\(type).\(name)", code: [first + UInt8(k)], operand: type,
                    result: type, isBinary: false, apply: { a, _ in wrap(f(unwrap(a))) }))
        }
        for (k, (name, f)) in binary.enumerated() {
            list.append(
                Operator(
                    name: "\(type).\(name)", code: [first + 7 + UInt8(k)], operand: type,
                    result: type, isBinary: true, apply: { a, b in wrap(f(unwrap(a), unwrap(b))) }
                ))
        }
        for (k, (name, f)) in comparisons.enumerated() {
            list.append(
                Operator(
                    name: "\(type).\(name)", code: [compare + UInt8(k)], operand: type,
                    result: .i32, isBinary: true,
                    apply: { a, b in .i32(f(unwrap(a), unwrap(b)) ? 1 : 0) }))
        }
        return list
    }
}

extension Value {
    var bits: UInt64 {
        switch self {
        case .i32(let bits), .f32(let bits): return UInt64(bits)
        case .i64(let bits), .f64(let bits): return bits
        case .ref: return 0
        }
    }
}
