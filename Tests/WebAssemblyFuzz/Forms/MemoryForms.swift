import WebAssembly

/// Loads and stores with their addresses in all forms, inside, at the edges and outside of 32-bit
/// and 64-bit memories.
enum MemoryForms {
    static func cases() -> [FuzzCase] {
        // A module for each operator: a trap costs time in proportion to its module's functions.
        [false, true].flatMap { is64 in
            loadCodes.map { load($0.0, $0.1, is64: is64) }
                + storeCodes.map { store($0.0, $0.1, is64: is64) }
        }
    }

    private static let length: UInt64 = 65_536

    private static let loadCodes: [(UInt8, ValueType)] =
        [(0x28, .i32), (0x29, .i64), (0x2a, .f32), (0x2b, .f64)]
        + (UInt8(0x2c)...0x2f).map { ($0, ValueType.i32) }
        + (UInt8(0x30)...0x35).map { ($0, ValueType.i64) }
    private static let storeCodes: [(UInt8, ValueType)] = [
        (0x36, .i32), (0x37, .i64), (0x38, .f32), (0x39, .f64), (0x3a, .i32), (0x3b, .i32),
        (0x3c, .i64), (0x3d, .i64), (0x3e, .i64),
    ]

    /// Code that leaves an address made of the locals 0 and 1, and the offset that goes with it.
    private static func addresses(_ is64: Bool) -> [(code: [UInt8], offset: UInt64)] {
        let type: ValueType = is64 ? .i64 : .i32
        let add: UInt8 = is64 ? 0x7c : 0x6a
        func constant(_ bits: UInt64) -> [UInt8] {
            var code: [UInt8] = []
            code.constant(type, bits)
            return code
        }
        var list: [(code: [UInt8], offset: UInt64)] = [
            ([0x20, 0], 8), ([0x20, 0], 0),
            ([0x20, 0] + NumericForms.change(type), 8),
            (constant(40), 8), (constant(61), 0), (constant(62), 1), (constant(300), 3),
            (constant(length - 1), 0), (constant(length), 0),
            ([0x20, 0] + constant(16) + [add], 0),
            ([0x20, 0] + constant(UInt64(bitPattern: -4)) + [add], 0),
            ([0x20, 0, 0x20, 1, add], 0), ([0x20, 0, 0x20, 1, add], 24),
            ([0x20, 0], 0xffff_fff0),
        ]
        if is64 { list += [([0x20, 0], 1 << 33), ([0x20, 0], UInt64.max - 7)] }
        return list
    }

    /// Pairs for the locals 0 and 1.
    private static func places(_ is64: Bool) -> [(UInt64, UInt64)] {
        var list: [(UInt64, UInt64)] = [
            (0, 16), (45, 3), (304, 20), (length - 16, 0), (length - 9, 1), (length - 4, 0),
            (length - 1, 3), (length, 0), (0xffff_fff8, 0x10), (0x10, 0xffff_fff8),
            (0x8000_0000, 0x8000_0010),
        ]
        if is64 {
            list += [
                (1 << 32, 5), (1 << 32 | 45, 1 << 33), (UInt64.max - 7, 16), (16, UInt64.max - 7),
                (1 << 63, 1 << 63 | 24), (8, UInt64.max),
            ]
        }
        return list
    }

    private static func module(_ is64: Bool) -> FormModule {
        var module = FormModule()
        module.useMemory(is64: is64)
        return module
    }

    private static func address(_ is64: Bool, _ bits: UInt64) -> Value {
        is64 ? .i64(bits) : .i32(UInt32(truncatingIfNeeded: bits))
    }

    private static func load(_ code: UInt8, _ type: ValueType, is64: Bool) -> FuzzCase {
        var module = module(is64)
        let index: ValueType = is64 ? .i64 : .i32
        for (place, offset) in addresses(is64) {
            for intoLocal in [false, true] {
                var body = place + [code, 0]
                body.unsigned(offset)
                // Straight into the local, or changed in the accumulator.
                body += intoLocal ? [0x21, 2, 0x20, 2] : NumericForms.change(type)
                let name = module.add(
                    FunctionType(parameters: [index, index], results: [type]),
                    locals: [type], body)
                for (a, b) in places(is64) {
                    module.call(name, [address(is64, a), address(is64, b)])
                }
            }
        }
        return module.fuzzCase
    }

    private static func store(_ code: UInt8, _ type: ValueType, is64: Bool) -> FuzzCase {
        var module = module(is64)
        let index: ValueType = is64 ? .i64 : .i32
        let peek = module.add(
            FunctionType(parameters: [], results: [.i64]), locals: [.i64], peekCode(is64))
        for (place, offset) in addresses(is64) {
            for value in NumericForms.Place.allCases {
                let constants: [UInt64] =
                    value == .constant ? [0x7a4d, UInt64(bitPattern: -3), 0xf1f2_f3f4] : [0]
                for bits in constants {
                    var body = place + NumericForms.operand(value, local: 2, type, bits)
                    body += [code, 0]
                    body.unsigned(offset)
                    let name = module.add(
                        FunctionType(parameters: [index, index, type]), body)
                    for (k, (a, b)) in places(is64).enumerated() {
                        let number = 0xf3e2_d1c0_1122_9384 &+ UInt64(k)
                        module.call(
                            name,
                            [
                                address(is64, a), address(is64, b),
                                NumericForms.value(type, number & ~0x0040_0000_0040_0000),
                            ])
                    }
                    module.call(peek, [])
                }
            }
        }
        return module.fuzzCase
    }

    /// A number that follows from what was stored near the places that are inside; clears it.
    private static func peekCode(_ is64: Bool) -> [UInt8] {
        var code: [UInt8] = []
        for at: UInt64 in [
            0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 296, 304, 312, 320, 328, 65_496, 65_504, 65_512,
            65_520, 65_528,
        ] {
            var place: [UInt8] = []
            place.constant(is64 ? .i64 : .i32, at)
            code += [0x20, 0, 0x42, 31, 0x7e] + place + [0x29, 0, 0, 0x7c, 0x21, 0]
            code += place + [0x42, 0, 0x37, 0, 0]
        }
        return code + [0x20, 0]
    }
}
