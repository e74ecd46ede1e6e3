import WasmKit
import WebAssembly

/// Names WasmKit's errors as this package does. WasmKit keeps its reasons to itself, so they are told
/// by the words of its descriptions.
enum WasmKitFault {
    enum Moment {
        case instantiation
        case call
    }

    /// Runs `body`; what WasmKit throws becomes an error of this package, all else stays.
    static func translating<T>(_ moment: Moment, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let trap as WasmKit.Trap {
            throw error(firstLine(trap.description), moment)
        } catch let fault as WasmKitError {
            throw error(firstLine(fault.description), moment)
        }
    }

    private static func firstLine(_ text: String) -> String {
        let line = text.split(separator: "\n").first.map(String.init) ?? text
        return line.hasPrefix("Trap: ") ? String(line.dropFirst("Trap: ".count)) : line
    }

    private static func error(_ text: String, _ moment: Moment) -> any Error {
        if let reason = reason(text) { return WebAssembly.Trap(reason) }
        if text.hasPrefix("unknown import") {
            return WasmLinkError(code: "unknown_import", message: text)
        }
        if text.hasPrefix("incompatible import type") {
            return WasmLinkError(code: "incompatible_import_type", message: text)
        }
        if text.hasPrefix("initial memory size exceeds") {
            return WasmLinkError(code: "memory_too_large", message: text)
        }
        if text.hasPrefix("initial table size exceeds") {
            return WasmLinkError(code: "table_too_large", message: text)
        }
        switch moment {
        case .call: return WasmUsageError(code: "wasmkit", message: text)
        case .instantiation:
            return WasmValidationError(
                code: "wasmkit_refused", message: text, offset: 0, function: nil)
        }
    }

    private static func reason(_ text: String) -> TrapReason? {
        let exact: [String: TrapReason] = [
            "unreachable": .unreachable, "call stack exhausted": .callStackExhausted,
            "out of bounds memory access": .outOfBoundsMemoryAccess,
            "integer divide by zero": .integerDivideByZero, "integer overflow": .integerOverflow,
            "invalid conversion to integer": .invalidConversionToInteger,
        ]
        if let reason = exact[text] { return reason }
        let beginnings: [(String, TrapReason)] = [
            ("indirect call to null element", .uninitializedElement),
            ("indirect call type mismatch", .indirectCallTypeMismatch),
            // The same words for a call and for an access.
            ("out of bounds table access", .undefinedElement),
        ]
        return beginnings.first { text.hasPrefix($0.0) }?.1
    }
}
