import WebAssembly

/// The functions that generated modules import from `h`. `Scripts/fuzz-differential.py` has the
/// same in Python.
enum HostModule {
    static let name = "h"

    struct HostFunction: Sendable {
        var name: String
        var type: FunctionType
        var body: @Sendable ([Value], inout UInt64) throws -> [Value]
    }

    /// What the host function `fail` throws.
    struct Failure: Error {}

    static let functions: [HostFunction] = [
        HostFunction(
            name: "mix", type: FunctionType(parameters: [.i32, .i32], results: [.i32])
        ) { arguments, _ in
            [.i32(UInt32(truncatingIfNeeded: arguments[0].bits &* 31 &+ arguments[1].bits))]
        },
        HostFunction(
            name: "wide", type: FunctionType(parameters: [.i64, .f64], results: [.i64])
        ) { arguments, _ in
            [.i64(arguments[0].bits &* 6_364_136_223_846_793_005 &+ arguments[1].canonicalBits)]
        },
        HostFunction(
            name: "split", type: FunctionType(parameters: [.i64], results: [.i32, .i32])
        ) { arguments, _ in
            [
                .i32(UInt32(truncatingIfNeeded: arguments[0].bits)),
                .i32(UInt32(truncatingIfNeeded: arguments[0].bits >> 32)),
            ]
        },
        HostFunction(
            name: "note", type: FunctionType(parameters: [.f32, .i32], results: [])
        ) { arguments, notes in
            notes = notes &* 31 &+ arguments[0].canonicalBits &+ arguments[1].bits
            return []
        },
        HostFunction(
            name: "half", type: FunctionType(parameters: [.f64], results: [.f64])
        ) { arguments, _ in
            [.f64((Double(bitPattern: arguments[0].bits) * 0.5).bitPattern)]
        },
        HostFunction(name: "fail", type: FunctionType(parameters: [.i32], results: [])) {
            arguments, _ in
            if arguments[0].bits & 15 == 7 { throw Failure() }
            return []
        },
    ]
}

extension Value {
    var bits: UInt64 {
        switch self {
        case .i32(let bits), .f32(let bits): return UInt64(bits)
        case .i64(let bits), .f64(let bits): return bits
        case .ref: return 0
        }
    }

    /// The bits, with one pattern for all NaNs.
    var canonicalBits: UInt64 {
        switch self {
        case .f32(let bits) where Float(bitPattern: bits).isNaN: return 0x7fc0_0000
        case .f64(let bits) where Double(bitPattern: bits).isNaN: return 0x7ff8_0000_0000_0000
        default: return bits
        }
    }

    /// The value as both engines of the differential run print it.
    var text: String {
        func hex(_ bits: UInt64, _ digits: Int) -> String {
            let text = String(bits, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        switch self {
        case .i32(let bits): return "i32:" + hex(UInt64(bits), 8)
        case .i64(let bits): return "i64:" + hex(bits, 16)
        case .f32(let bits):
            return Float(bitPattern: bits).isNaN ? "f32:nan" : "f32:" + hex(UInt64(bits), 8)
        case .f64(let bits):
            return Double(bitPattern: bits).isNaN ? "f64:nan" : "f64:" + hex(bits, 16)
        case .ref(.nullFunction), .ref(.nullExtern): return "ref:null"
        case .ref(.function): return "ref:func"
        case .ref(.extern(let number)): return "ref:\(number)"
        }
    }
}
