/// Writes small WebAssembly modules by hand, byte for byte (core specification, chapter 5).
public enum WasmBytes {
    /// A module of sections in order.
    public static func module(_ sections: [UInt8]...) -> [UInt8] {
        [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0] + sections.flatMap { $0 }
    }

    /// A section with its size.
    public static func section(_ number: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [number] + unsigned(contents.count) + contents
    }

    /// Items behind their count.
    public static func vector(_ items: [[UInt8]]) -> [UInt8] {
        unsigned(items.count) + items.flatMap { $0 }
    }

    /// A name behind its length.
    public static func name(_ text: String) -> [UInt8] {
        unsigned(text.utf8.count) + Array(text.utf8)
    }

    /// A function type, value types as bytes (0x7f = i32, 0x7e = i64, 0x7d = f32, 0x7c = f64).
    public static func type(_ parameters: [UInt8], _ results: [UInt8] = []) -> [UInt8] {
        [0x60] + unsigned(parameters.count) + parameters + unsigned(results.count) + results
    }

    /// A function body without locals, behind its size; the final `end` is added.
    public static func body(_ code: [UInt8]) -> [UInt8] {
        unsigned(code.count + 2) + [0] + code + [0x0b]
    }

    /// An export; kinds are 0 function, 1 table, 2 memory, 3 global.
    public static func export(_ text: String, kind: UInt8 = 0, _ index: Int) -> [UInt8] {
        name(text) + [kind] + unsigned(index)
    }

    /// An unsigned LEB128 number.
    public static func unsigned(_ value: Int) -> [UInt8] {
        var rest = UInt64(value)
        var bytes: [UInt8] = []
        repeat {
            let low = UInt8(rest & 0x7f)
            rest >>= 7
            bytes.append(rest == 0 ? low : low | 0x80)
        } while rest != 0
        return bytes
    }

    /// A signed LEB128 number.
    public static func signed(_ value: Int64) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        while true {
            let low = UInt8(truncatingIfNeeded: rest & 0x7f)
            rest >>= 7
            if (rest == 0 && low & 0x40 == 0) || (rest == -1 && low & 0x40 != 0) {
                return bytes + [low]
            }
            bytes.append(low | 0x80)
        }
    }

    /// A module with one exported function.
    public static func module(
        exporting text: String, type: [UInt8], code: [UInt8]
    ) -> [UInt8] {
        module(
            section(1, vector([type])), section(3, vector([[0]])),
            section(7, vector([export(text, 0)])), section(10, vector([body(code)])))
    }
}
