import WasmKit
import WebAssembly

/// Numbers as WasmKit and as this package hold them. References do not cross: no module of ours
/// passes any to its host.
enum Scalars {
    static func type(of type: WasmKit.FunctionType) -> WebAssembly.FunctionType? {
        let parameters = type.parameters.compactMap(valueType)
        let results = type.results.compactMap(valueType)
        guard parameters.count == type.parameters.count, results.count == type.results.count
        else { return nil }
        return WebAssembly.FunctionType(parameters: parameters, results: results)
    }

    private static func valueType(_ type: WasmKit.ValueType) -> WebAssembly.ValueType? {
        switch type {
        case .i32: return .i32
        case .i64: return .i64
        case .f32: return .f32
        case .f64: return .f64
        default: return nil
        }
    }

    static func wasmKitType(of type: WebAssembly.FunctionType) -> WasmKit.FunctionType {
        func list(_ types: [WebAssembly.ValueType]) -> [WasmKit.ValueType] {
            types.map { type in
                switch type {
                case .i64: return .i64
                case .f32: return .f32
                case .f64: return .f64
                // A host function over references cannot be made; one over numbers fits no import.
                case .i32, .funcRef, .externRef: return .i32
                }
            }
        }
        return WasmKit.FunctionType(
            parameters: list(type.parameters), results: list(type.results))
    }

    static func bits(_ value: WasmKit.Value) -> UInt64 {
        switch value {
        case .i32(let bits), .f32(let bits): return UInt64(bits)
        case .i64(let bits), .f64(let bits): return bits
        default: return 0
        }
    }

    static func value(_ bits: UInt64, as type: WebAssembly.ValueType) -> WasmKit.Value {
        switch type {
        case .i64: return .i64(bits)
        case .f32: return .f32(UInt32(truncatingIfNeeded: bits))
        case .f64: return .f64(bits)
        case .i32, .funcRef, .externRef: return .i32(UInt32(truncatingIfNeeded: bits))
        }
    }

    static func wasmKitValue(_ value: WebAssembly.Value) -> WasmKit.Value {
        switch value {
        case .i32(let bits): return .i32(bits)
        case .i64(let bits): return .i64(bits)
        case .f32(let bits): return .f32(bits)
        case .f64(let bits): return .f64(bits)
        case .ref: return .i32(0)
        }
    }

    static func value(
        of value: WasmKit.Value, as type: WebAssembly.ValueType
    ) -> WebAssembly.Value {
        switch type {
        case .i64: return .i64(bits(value))
        case .f32: return .f32(UInt32(truncatingIfNeeded: bits(value)))
        case .f64: return .f64(bits(value))
        case .i32, .funcRef, .externRef: return .i32(UInt32(truncatingIfNeeded: bits(value)))
        }
    }
}
