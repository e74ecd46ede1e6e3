import WebAssembly

extension Operator {
    private static func convert(
        _ name: String, _ code: [UInt8], _ from: ValueType, _ to: ValueType,
        _ apply: @escaping @Sendable (Value) -> Value?
    ) -> Operator {
        Operator(
            name: name, code: code, operand: from, result: to, isBinary: false,
            apply: { a, _ in apply(a) })
    }

    private static func number(_ value: Value) -> Double {
        if case .f32(let bits) = value { return Double(Float(bitPattern: bits)) }
        return Double(bitPattern: value.bits)
    }

    static let conversions: [Operator] = simple + truncations + fromIntegers

    private static let simple: [Operator] = [
        convert("i32.wrap", [0xa7], .i64, .i32) { .i32(UInt32(truncatingIfNeeded: $0.bits)) },
        convert("i64.extend_s", [0xac], .i32, .i64) {
            .i64(UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: $0.bits))))
        },
        convert("i64.extend_u", [0xad], .i32, .i64) { .i64($0.bits) },
        convert("i32.extend8", [0xc0], .i32, .i32) {
            .i32(UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: $0.bits))))
        },
        convert("i32.extend16", [0xc1], .i32, .i32) {
            .i32(UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: $0.bits))))
        },
        convert("i64.extend8", [0xc2], .i64, .i64) {
            .i64(UInt64(bitPattern: Int64(Int8(truncatingIfNeeded: $0.bits))))
        },
        convert("i64.extend16", [0xc3], .i64, .i64) {
            .i64(UInt64(bitPattern: Int64(Int16(truncatingIfNeeded: $0.bits))))
        },
        convert("i64.extend32", [0xc4], .i64, .i64) {
            .i64(UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: $0.bits))))
        },
        convert("f32.demote", [0xb6], .f64, .f32) {
            .f32(Float(Double(bitPattern: $0.bits)).bitPattern)
        },
        convert("f64.promote", [0xbb], .f32, .f64) { .f64(number($0).bitPattern) },
        // Only in this direction: which bits a NaN has after an operation is not determined.
        convert("f32.reinterpret", [0xbe], .i32, .f32) {
            .f32(UInt32(truncatingIfNeeded: $0.bits))
        },
        convert("f64.reinterpret", [0xbf], .i64, .f64) { .f64($0.bits) },
    ]

    /// Float to integer, trapping and saturating.
    private static let truncations: [Operator] = {
        var list: [Operator] = []
        let types: [(ValueType, ValueType, Bool, UInt8)] = [
            (.i32, .f32, true, 0xa8), (.i32, .f32, false, 0xa9), (.i32, .f64, true, 0xaa),
            (.i32, .f64, false, 0xab), (.i64, .f32, true, 0xae), (.i64, .f32, false, 0xaf),
            (.i64, .f64, true, 0xb0), (.i64, .f64, false, 0xb1),
        ]
        for (k, (to, from, signed, code)) in types.enumerated() {
            list.append(
                convert("\(to).trunc_\(from)_\(signed)", [code], from, to) {
                    truncate(number($0), to, signed, saturating: false)
                })
            list.append(
                convert("\(to).trunc_sat_\(from)_\(signed)", [0xfc, UInt8(k)], from, to) {
                    truncate(number($0), to, signed, saturating: true)
                })
        }
        return list
    }()

    private static func truncate(
        _ x: Double, _ to: ValueType, _ signed: Bool, saturating: Bool
    ) -> Value? {
        func wrap(_ bits: UInt64) -> Value {
            to == .i32 ? .i32(UInt32(truncatingIfNeeded: bits)) : .i64(bits)
        }
        if x.isNaN { return saturating ? wrap(0) : nil }
        let whole = x.rounded(.towardZero)
        func fit<T: FixedWidthInteger>(_ type: T.Type) -> Value? {
            if let exact = T(exactly: whole) { return wrap(UInt64(truncatingIfNeeded: exact)) }
            return saturating ? wrap(UInt64(truncatingIfNeeded: x < 0 ? T.min : T.max)) : nil
        }
        switch (to, signed) {
        case (.i32, true): return fit(Int32.self)
        case (.i32, false): return fit(UInt32.self)
        case (_, true): return fit(Int64.self)
        default: return fit(UInt64.self)
        }
    }

    private static let fromIntegers: [Operator] = [
        convert("f32.convert_i32_s", [0xb2], .i32, .f32) {
            .f32(Float(Int32(truncatingIfNeeded: $0.bits)).bitPattern)
        },
        convert("f32.convert_i32_u", [0xb3], .i32, .f32) { .f32(Float($0.bits).bitPattern) },
        convert("f32.convert_i64_s", [0xb4], .i64, .f32) {
            .f32(Float(Int64(bitPattern: $0.bits)).bitPattern)
        },
        convert("f32.convert_i64_u", [0xb5], .i64, .f32) { .f32(Float($0.bits).bitPattern) },
        convert("f64.convert_i32_s", [0xb7], .i32, .f64) {
            .f64(Double(Int32(truncatingIfNeeded: $0.bits)).bitPattern)
        },
        convert("f64.convert_i32_u", [0xb8], .i32, .f64) { .f64(Double($0.bits).bitPattern) },
        convert("f64.convert_i64_s", [0xb9], .i64, .f64) {
            .f64(Double(Int64(bitPattern: $0.bits)).bitPattern)
        },
        convert("f64.convert_i64_u", [0xba], .i64, .f64) { .f64(Double($0.bits).bitPattern) },
    ]
}
