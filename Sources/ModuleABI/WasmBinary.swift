/// Reads and writes the custom sections of a module as bytes, without decoding the rest.
///
/// Binary format: WebAssembly core specification §5.5.3 (custom section).
public enum WasmBinary {
    /// A named section that engines ignore.
    public struct CustomSection: Equatable, Sendable {
        /// The name, which need not be unique in a module.
        public var name: String
        /// The contents after the name.
        public var bytes: [UInt8]

        /// A section to write.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// Why bytes are not a readable module.
    public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
        /// A stable name: `not_wasm`, `truncated`, `malformed_section`, `too_large`.
        public var code: String
        /// Offset of the fault in the module.
        public var offset: Int

        /// The sentence for people.
        public var description: String {
            switch code {
            case "not_wasm":
                return "this is not a WebAssembly module (it does not begin with \\0asm, version "
                    + "1); give the .wasm file that `patchcli build` wrote"
            case "too_large":
                return "a section at byte \(offset) is larger than allowed; build the module again"
            default:
                return "the module is damaged at byte \(offset) (\(code)); download or build it "
                    + "again"
            }
        }
    }

    static let preamble: [UInt8] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

    /// The module with one more custom section at its end.
    public static func appendingCustomSection(
        _ name: String, _ bytes: [UInt8], to wasm: [UInt8]
    ) -> [UInt8] {
        let nameBytes = Array(name.utf8)
        let contents = leb128(nameBytes.count) + nameBytes + bytes
        return wasm + [0] + leb128(contents.count) + contents
    }

    /// The custom sections of a module, in order.
    /// - Parameter maximumSize: bytes allowed in one custom section.
    /// - Throws: ``Fault``.
    public static func customSections(
        of wasm: [UInt8], maximumSize: Int = 64 << 20
    ) throws -> [CustomSection] {
        var found: [CustomSection] = []
        for section in try sections(of: wasm) where section.id == 0 {
            if section.contents.count > maximumSize {
                throw Fault(code: "too_large", offset: section.contents.lowerBound)
            }
            found.append(try customSection(wasm, section.contents))
        }
        return found
    }

    /// The module without the custom sections named `name`; every other byte stays as it is.
    public static func removingCustomSections(named name: String, from wasm: [UInt8]) throws
        -> [UInt8]
    {
        var kept = preamble
        for section in try sections(of: wasm) {
            if section.id == 0, try customSection(wasm, section.contents).name == name { continue }
            kept += wasm[section.start..<section.contents.upperBound]
        }
        return kept
    }

    private struct Section {
        var id: UInt8
        var start: Int
        var contents: Range<Int>
    }

    private static func sections(of wasm: [UInt8]) throws -> [Section] {
        guard wasm.starts(with: preamble) else { throw Fault(code: "not_wasm", offset: 0) }
        var found: [Section] = []
        var position = preamble.count
        while position < wasm.count {
            let start = position
            position += 1
            let size = try readLEB128(wasm, &position, end: wasm.count)
            guard size <= wasm.count - position else {
                throw Fault(code: "truncated", offset: start)
            }
            found.append(
                Section(id: wasm[start], start: start, contents: position..<position + size))
            position += size
        }
        return found
    }

    private static func customSection(
        _ wasm: [UInt8], _ contents: Range<Int>
    ) throws -> CustomSection {
        var position = contents.lowerBound
        let length = try readLEB128(wasm, &position, end: contents.upperBound)
        guard length <= contents.upperBound - position else {
            throw Fault(code: "malformed_section", offset: contents.lowerBound)
        }
        let utf8 = wasm[position..<position + length]
        let name = String(decoding: utf8, as: UTF8.self)
        guard name.utf8.elementsEqual(utf8) else {
            throw Fault(code: "malformed_section", offset: position)
        }
        return CustomSection(
            name: name, bytes: Array(wasm[position + length..<contents.upperBound]))
    }

    private static func leb128(_ value: Int) -> [UInt8] {
        var value = value
        var bytes: [UInt8] = []
        repeat {
            let low = UInt8(value & 0x7f)
            value >>= 7
            bytes.append(value == 0 ? low : low | 0x80)
        } while value != 0
        return bytes
    }

    /// Reads an unsigned 32-bit LEB128 number.
    private static func readLEB128(
        _ wasm: [UInt8], _ position: inout Int, end: Int
    ) throws -> Int {
        let start = position
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 28, by: 7) {
            guard position < end else { throw Fault(code: "truncated", offset: start) }
            let byte = wasm[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 {
                guard value <= UInt64(UInt32.max) else { break }
                return Int(value)
            }
        }
        throw Fault(code: "malformed_section", offset: start)
    }
}
