/// JSON that remembers lines, so that a mistake in a hand-written file can be pointed at.
struct PositionedJSON {
    indirect enum Content {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([PositionedJSON])
        case object([(key: String, value: PositionedJSON)])
    }

    struct Fault: Error, Equatable {
        var line: Int
        var message: String
    }

    var content: Content
    /// The line on which the value begins, from 1.
    var line: Int

    /// - Throws: ``Fault``.
    init(parsing text: String) throws {
        var parser = Parser(bytes: Array(text.utf8))
        self = try parser.document()
    }

    private init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0
        var line = 1
        var depth = 0

        mutating func document() throws -> PositionedJSON {
            // A byte order mark is no part of the text.
            if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
            let value = try value()
            skipSpace()
            guard position == bytes.count else { throw fault("there is text after the end") }
            return value
        }

        private func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skipSpace() {
            while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) {
                if byte == 0x0a { line += 1 }
                position += 1
            }
        }

        private mutating func expect(_ character: Character) throws {
            skipSpace()
            guard let byte = next, byte == character.asciiValue else {
                throw fault("'\(character)' is missing")
            }
            position += 1
        }

        private mutating func value() throws -> PositionedJSON {
            skipSpace()
            let start = line
            guard let byte = next else { throw fault("a value is missing at the end") }
            switch byte {
            case UInt8(ascii: "{"): return PositionedJSON(try object(), line: start)
            case UInt8(ascii: "["): return PositionedJSON(try array(), line: start)
            case UInt8(ascii: "\""): return PositionedJSON(.string(try string()), line: start)
            default: return PositionedJSON(try word(), line: start)
            }
        }

        private mutating func enter() throws {
            position += 1
            depth += 1
            if depth > 64 { throw fault("values are nested too deeply") }
        }

        private mutating func object() throws -> Content {
            try enter()
            defer { depth -= 1 }
            var members: [(key: String, value: PositionedJSON)] = []
            skipSpace()
            if next == UInt8(ascii: "}") {
                position += 1
                return .object([])
            }
            while true {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw fault("a quoted name is missing") }
                let key = try string()
                if members.contains(where: { $0.key == key }) {
                    throw fault("'\(key)' stands there twice")
                }
                try expect(":")
                members.append((key, try value()))
                skipSpace()
                if next == UInt8(ascii: ",") {
                    position += 1
                    continue
                }
                try expect("}")
                return .object(members)
            }
        }

        private mutating func array() throws -> Content {
            try enter()
            defer { depth -= 1 }
            var elements: [PositionedJSON] = []
            skipSpace()
            if next == UInt8(ascii: "]") {
                position += 1
                return .array([])
            }
            while true {
                elements.append(try value())
                skipSpace()
                if next == UInt8(ascii: ",") {
                    position += 1
                    continue
                }
                try expect("]")
                return .array(elements)
            }
        }

        private mutating func word() throws -> Content {
            let start = position
            while let byte = next, byte > 0x20, !",]}:".utf8.contains(byte) { position += 1 }
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            switch text {
            case "null": return .null
            case "true": return .bool(true)
            case "false": return .bool(false)
            default:
                guard Double(text) != nil, let first = text.utf8.first,
                    first == UInt8(ascii: "-") || (48...57).contains(first)
                else { throw fault("'\(text.prefix(20))' is not a value") }
                return .number(text)
            }
        }

        private mutating func string() throws -> String {
            position += 1
            var text: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\"): text += try escape()
                case 0..<0x20: throw fault("a text is not closed on its line")
                default: text.append(byte)
                }
            }
            throw fault("a text is not closed")
        }

        private mutating func escape() throws -> [UInt8] {
            guard let byte = next else { throw fault("a text is not closed") }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
            case UInt8(ascii: "b"): return [0x08]
            case UInt8(ascii: "f"): return [0x0c]
            case UInt8(ascii: "n"): return [0x0a]
            case UInt8(ascii: "r"): return [0x0d]
            case UInt8(ascii: "t"): return [0x09]
            case UInt8(ascii: "u"):
                let first = try unit()
                guard (0xd800...0xdbff).contains(first) else { return try utf8(first) }
                guard bytes[position...].starts(with: [0x5c, 0x75]) else {
                    throw fault("half a surrogate pair")
                }
                position += 2
                let second = try unit()
                guard (0xdc00...0xdfff).contains(second) else {
                    throw fault("half a surrogate pair")
                }
                return try utf8(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
            default: throw fault("'\\' is followed by what JSON does not know")
            }
        }

        private mutating func unit() throws -> UInt32 {
            guard position + 4 <= bytes.count,
                let value = UInt32(
                    String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
            else { throw fault("'\\u' needs four hex digits") }
            position += 4
            return value
        }

        private func utf8(_ value: UInt32) throws -> [UInt8] {
            guard let scalar = Unicode.Scalar(value) else { throw fault("half a surrogate pair") }
            return Array(String(Character(scalar)).utf8)
        }
    }
}
