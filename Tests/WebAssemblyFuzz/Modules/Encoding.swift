import WebAssembly

// The binary format (core specification 2.0, chapter 5), by appending.
extension [UInt8] {
    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func unsigned(_ value: Int) { unsigned(UInt64(value)) }

    mutating func signed(_ value: Int64) {
        var rest = value
        while true {
            let low = UInt8(truncatingIfNeeded: rest & 0x7f)
            rest >>= 7
            if (rest == 0 && low & 0x40 == 0) || (rest == -1 && low & 0x40 != 0) {
                append(low)
                return
            }
            append(low | 0x80)
        }
    }

    mutating func fixed(_ value: UInt64, bytes: Int) {
        for k in 0..<bytes { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(k)))) }
    }

    mutating func name(_ text: String) {
        unsigned(text.utf8.count)
        append(contentsOf: text.utf8)
    }

    mutating func types(_ types: [ValueType]) {
        unsigned(types.count)
        for type in types { append(type.rawValue) }
    }

    /// A constant instruction; floats by their bits.
    mutating func constant(_ type: ValueType, _ bits: UInt64) {
        switch type {
        case .i32:
            append(0x41)
            signed(Int64(Int32(truncatingIfNeeded: bits)))
        case .i64:
            append(0x42)
            signed(Int64(bitPattern: bits))
        case .f32:
            append(0x43)
            fixed(bits, bytes: 4)
        case .f64:
            append(0x44)
            fixed(bits, bytes: 8)
        case .funcRef, .externRef: append(contentsOf: [0xd0, type.rawValue])
        }
    }

    /// A section behind its number and size; nothing when it is empty.
    mutating func section(_ number: UInt8, _ items: [[UInt8]]) {
        if items.isEmpty { return }
        var contents: [UInt8] = []
        contents.unsigned(items.count)
        for item in items { contents.append(contentsOf: item) }
        section(number, raw: contents)
    }

    mutating func section(_ number: UInt8, raw contents: [UInt8]) {
        append(number)
        unsigned(contents.count)
        append(contentsOf: contents)
    }

    mutating func limits(_ minimum: UInt64, _ maximum: UInt64?, is64: Bool) {
        append((maximum == nil ? 0 : 1) | (is64 ? 4 : 0))
        unsigned(minimum)
        if let maximum { unsigned(maximum) }
    }

    mutating func table(_ type: TableType) {
        append(type.element.rawValue)
        limits(type.minimum, type.maximum, is64: type.is64)
    }

    mutating func global(_ type: GlobalType) {
        append(type.value.rawValue)
        append(type.isMutable ? 1 : 0)
    }
}
