/// Bounds on a JSON text from outside.
public struct JSONLimits: Sendable {
    /// The longest text, in bytes.
    public var maximumSize: Int
    /// The deepest nesting of arrays and objects.
    public var maximumDepth: Int
    /// How many values there may be in all. A value takes far more memory than the two bytes of
    /// text that make one, so the size alone bounds little.
    public var maximumValues: Int
    /// Whether digits after a decimal point are passed over instead of refused. Not for signed
    /// documents: another reader may read another number.
    public var dropsFractions = false

    /// Bounds; the defaults suit metadata (§5 wants a size for each role: see
    /// ``UpdaterConfiguration``).
    public init(
        maximumSize: Int = 5_000_000, maximumDepth: Int = 32, maximumValues: Int = 200_000
    ) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
    }
}

extension JSONValue {
    /// Reads a JSON text (RFC 8259) strictly.
    ///
    /// Refused beside bad syntax: names that occur twice in an object (also when they differ only
    /// in their Unicode normal form), fractions and exponents, integers beyond 64 bits, invalid
    /// UTF-8, halves of surrogate pairs, anything beyond `limits`.
    /// - Throws: ``TUFError`` with a `json_` code.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws {
        self = try JSONParser.parse(bytes, limits).value
    }
}

/// A recursive descent over valid UTF-8; recursion is bounded by the limits.
struct JSONParser {
    /// Reads a text.
    /// - Returns: its value; and where the member `signed` of the outermost object stands, when it is
    ///   in the form that signatures are made over (``CanonicalJSON``) already.
    static func parse(
        _ bytes: [UInt8], _ limits: JSONLimits
    ) throws -> (value: JSONValue, signed: Range<Int>?) {
        guard bytes.count <= limits.maximumSize else {
            throw TUFError(
                .jsonTooLarge,
                "The JSON text has \(bytes.count) bytes, more than the \(limits.maximumSize) "
                    + "allowed.")
        }
        guard UTF8Check.isValid(bytes) else {
            throw TUFError(.jsonInvalidUTF8, "The JSON text is not valid UTF-8.")
        }
        var parser = JSONParser(bytes: bytes, limits: limits)
        return (try parser.parse(), parser.signed)
    }

    let bytes: [UInt8]
    let limits: JSONLimits
    var position = 0
    var depth = 0
    var values = 0
    /// Whether all that was read since it was last set has the canonical form.
    var isCanonical = true
    var signed: Range<Int>?

    private init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func parse() throws -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw damaged("something follows the value") }
        return value
    }

    private func damaged(_ what: String) -> TUFError {
        TUFError(.jsonDamaged, "The JSON text is damaged at byte \(position): \(what).")
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
            isCanonical = false
        }
    }

    private mutating func value() throws -> JSONValue {
        values += 1
        guard values <= limits.maximumValues else {
            throw TUFError(
                .jsonTooLarge, "The JSON text has more than \(limits.maximumValues) values.")
        }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try nested { try $0.object() }
        case UInt8(ascii: "["): return try nested { try $0.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw damaged("it ends where a value belongs")
        case UInt8(ascii: "-"): return try number()
        case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
            return try number()
        default: throw damaged("no value starts like this")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws -> JSONValue
    ) throws -> JSONValue {
        guard depth < limits.maximumDepth else {
            throw TUFError(
                .jsonTooDeep, "The JSON text nests deeper than \(limits.maximumDepth) levels.")
        }
        depth += 1
        defer { depth -= 1 }
        position += 1
        return try body(&self)
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws -> JSONValue {
        let end = position + text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer {
            end <= bytes.count && bytes[position..<end].elementsEqual($0)
        }
        guard matches else { throw damaged("no value starts like this") }
        position = end
        return value
    }

    private mutating func object() throws -> JSONValue {
        var members: [String: JSONValue] = [:]
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        var earlier: Range<Int>?
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw damaged("a name belongs here") }
            let start = position
            let name = try string()
            noteOrder(start + 1..<position - 1, after: earlier)
            earlier = start + 1..<position - 1
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw damaged("a colon belongs here") }
            position += 1
            let member = depth == 1 && name == "signed" ? try signedValue() : try value()
            guard members.updateValue(member, forKey: name) == nil else {
                throw TUFError(
                    .jsonDuplicateKey, "The name \"\(name.prefix(80))\" occurs twice in an object.")
            }
            skipSpace()
            let separator = current
            position += 1
            if separator == UInt8(ascii: "}") { return .object(members) }
            guard separator == UInt8(ascii: ",") else {
                position -= 1
                throw damaged("a comma or a closing brace belongs here")
            }
        }
    }

    /// Names come in the order of their bytes, which only holds for names without escapes.
    private mutating func noteOrder(_ name: Range<Int>, after earlier: Range<Int>?) {
        guard isCanonical else { return }
        let isPlain = !bytes[name].contains(UInt8(ascii: "\\"))
        let isInOrder =
            earlier.map { bytes[$0].lexicographicallyPrecedes(bytes[name]) } ?? true
        isCanonical = isPlain && isInOrder
    }

    private mutating func signedValue() throws -> JSONValue {
        skipSpace()
        let start = position
        isCanonical = true
        let value = try value()
        signed = isCanonical ? start..<position : nil
        return value
    }

    private mutating func array() throws -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            elements.append(try value())
            skipSpace()
            let separator = current
            position += 1
            if separator == UInt8(ascii: "]") { return .array(elements) }
            guard separator == UInt8(ascii: ",") else {
                position -= 1
                throw damaged("a comma or a closing bracket belongs here")
            }
        }
    }

    private mutating func number() throws -> JSONValue {
        let start = position
        let negative = current == UInt8(ascii: "-")
        if negative { position += 1 }
        let firstDigit = position
        var magnitude: UInt64 = 0
        var overflow = false
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            let (tenfold, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = tenfold.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            overflow = overflow || first || second
            magnitude = sum
            position += 1
        }
        let digits = position - firstDigit
        guard digits > 0, digits == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
            throw damaged("this is no number")
        }
        if negative, magnitude == 0 { isCanonical = false }
        if limits.dropsFractions, current == UInt8(ascii: ".") {
            isCanonical = false
            position += 1
            let firstDigit = position
            while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                position += 1
            }
            guard position > firstDigit else { throw damaged("this is no number") }
        }
        if let byte = current,
            byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
        {
            throw TUFError(
                .jsonNumberRefused,
                "The number at byte \(start) has a fraction or an exponent; metadata has integers "
                    + "only.")
        }
        let limit = UInt64(Int64.max) + (negative ? 1 : 0)
        guard !overflow, magnitude <= limit else {
            throw TUFError(
                .jsonNumberRefused, "The number at byte \(start) does not fit 64 bits.")
        }
        return .integer(
            negative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude))
    }

    private mutating func string() throws -> String {
        position += 1
        let start = position
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw damaged("a control character stands in a string") }
            position += 1
        }
        if current == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20:
                position -= 1
                throw damaged("a control character stands in a string")
            default: text.append(byte)
            }
        }
        throw damaged("a string has no end")
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        guard let byte = current else { throw damaged("a string has no end") }
        position += 1
        if byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { isCanonical = false }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexDigits()
            if (0xD800..<0xDC00).contains(code) {
                guard current == UInt8(ascii: "\\"), position + 1 < bytes.count,
                    bytes[position + 1] == UInt8(ascii: "u")
                else { throw damaged("half of a surrogate pair stands alone") }
                position += 2
                let low = try hexDigits()
                guard (0xDC00..<0xE000).contains(low) else {
                    throw damaged("half of a surrogate pair stands alone")
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else {
                throw damaged("half of a surrogate pair stands alone")
            }
            text += String(Character(scalar)).utf8
        default: throw damaged("there is no such escape")
        }
    }

    private mutating func hexDigits() throws -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
                byte < 0x80
            else { throw damaged("four hexadecimal digits belong here") }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}
