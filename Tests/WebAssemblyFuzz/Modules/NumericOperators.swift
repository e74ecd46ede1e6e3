import WebAssembly

/// A numeric operator as the generator sees it.
struct NumericOperator {
    var code: [UInt8]
    var inputs: [ValueType]
    var output: ValueType
    /// Whether it can trap.
    var traps = false
    /// Whether it shows the bits of a float, of which an arithmetic NaN has no determined ones.
    var showsBits = false

    static let all: [NumericOperator] = integers + floats + conversions
    /// By result.
    static let byOutput = Dictionary(grouping: all, by: \.output)

    private static func codes(_ range: ClosedRange<UInt8>) -> [[UInt8]] { range.map { [$0] } }

    private static let integers: [NumericOperator] = {
        var list: [NumericOperator] = []
        let tables: [(ValueType, UInt8, UInt8, UInt8, UInt8)] = [
            (.i32, 0x45, 0x46, 0x67, 0x6a), (.i64, 0x50, 0x51, 0x79, 0x7c),
        ]
        for (type, eqz, compare, unary, binary) in tables {
            list.append(NumericOperator(code: [eqz], inputs: [type], output: .i32))
            list += codes(compare...compare + 9).map {
                NumericOperator(code: $0, inputs: [type, type], output: .i32)
            }
            list += codes(unary...unary + 2).map {
                NumericOperator(code: $0, inputs: [type], output: type)
            }
            list += codes(binary...binary + 14).map {
                NumericOperator(
                    code: $0, inputs: [type, type], output: type,
                    traps: (binary + 3...binary + 6).contains($0[0]))
            }
        }
        list += codes(0xc0...0xc1).map { NumericOperator(code: $0, inputs: [.i32], output: .i32) }
        list += codes(0xc2...0xc4).map { NumericOperator(code: $0, inputs: [.i64], output: .i64) }
        return list
    }()

    private static let floats: [NumericOperator] = {
        var list: [NumericOperator] = []
        let tables: [(ValueType, UInt8, UInt8)] = [(.f32, 0x5b, 0x8b), (.f64, 0x61, 0x99)]
        for (type, compare, arithmetic) in tables {
            list += codes(compare...compare + 5).map {
                NumericOperator(code: $0, inputs: [type, type], output: .i32)
            }
            list += codes(arithmetic...arithmetic + 6).map {
                NumericOperator(code: $0, inputs: [type], output: type)
            }
            list += codes(arithmetic + 7...arithmetic + 13).map {
                NumericOperator(
                    code: $0, inputs: [type, type], output: type,
                    showsBits: $0[0] == arithmetic + 13)
            }
        }
        return list
    }()

    private static let conversions: [NumericOperator] = {
        var list: [NumericOperator] = [
            NumericOperator(code: [0xa7], inputs: [.i64], output: .i32),
            NumericOperator(code: [0xac], inputs: [.i32], output: .i64),
            NumericOperator(code: [0xad], inputs: [.i32], output: .i64),
            NumericOperator(code: [0xb6], inputs: [.f64], output: .f32),
            NumericOperator(code: [0xbb], inputs: [.f32], output: .f64),
            NumericOperator(code: [0xbc], inputs: [.f32], output: .i32, showsBits: true),
            NumericOperator(code: [0xbd], inputs: [.f64], output: .i64, showsBits: true),
            NumericOperator(code: [0xbe], inputs: [.i32], output: .f32),
            NumericOperator(code: [0xbf], inputs: [.i64], output: .f64),
        ]
        let floats: [ValueType] = [.f32, .f32, .f64, .f64]
        for (k, source) in floats.enumerated() {
            let step = UInt8(k)
            for (type, first) in [(ValueType.i32, UInt8(0xa8)), (.i64, 0xae)] {
                list.append(
                    NumericOperator(
                        code: [first + step], inputs: [source], output: type, traps: true))
                let saturating: UInt8 = type == .i32 ? 0 : 4
                list.append(
                    NumericOperator(
                        code: [0xfc, saturating + step], inputs: [source], output: type))
            }
            let integer: ValueType = k < 2 ? .i32 : .i64
            list.append(NumericOperator(code: [0xb2 + step], inputs: [integer], output: .f32))
            list.append(NumericOperator(code: [0xb7 + step], inputs: [integer], output: .f64))
        }
        return list
    }()
}
