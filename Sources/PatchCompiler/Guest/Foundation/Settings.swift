import PatchGuest

// A formatter of a guest remembers what it was told and tells it the app's own Foundation.

/// What a formatter was told, in order.
struct Settings: Hashable, Sendable {
    private enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
        case flag(Bool)
        case fraction(Double)
    }

    private struct Entry: Hashable, Sendable {
        var key: Int
        var value: Value
    }

    private var entries: [Entry] = []

    mutating func set(_ key: Int, _ value: String) {
        entries.append(Entry(key: key, value: .text(value)))
    }
    mutating func set(_ key: Int, _ value: Int) {
        entries.append(Entry(key: key, value: .number(value)))
    }
    mutating func set(_ key: Int, _ value: Bool) {
        entries.append(Entry(key: key, value: .flag(value)))
    }
    mutating func set(_ key: Int, _ value: Double) {
        entries.append(Entry(key: key, value: .fraction(value)))
    }

    /// The text that was set last.
    func text(_ key: Int) -> String? {
        for entry in entries.reversed() where entry.key == key {
            if case .text(let text) = entry.value { return text }
        }
        return nil
    }

    /// The number that was set last.
    func number(_ key: Int) -> Int? {
        for entry in entries.reversed() where entry.key == key {
            if case .number(let number) = entry.value { return number }
        }
        return nil
    }

    /// The truth value that was set last.
    func flag(_ key: Int) -> Bool? {
        for entry in entries.reversed() where entry.key == key {
            if case .flag(let flag) = entry.value { return flag }
        }
        return nil
    }

    func write(to writer: inout GuestWriter) {
        writer.arrayHeader(entries.count)
        for entry in entries {
            writer.arrayHeader(3)
            writer.int(Int64(entry.key))
            switch entry.value {
            case .text(let text):
                writer.uint(0)
                writer.string(text)
            case .number(let number):
                writer.uint(1)
                writer.int(Int64(number))
            case .flag(let flag):
                writer.uint(2)
                writer.bool(flag)
            case .fraction(let fraction):
                writer.uint(3)
                writer.double(fraction)
            }
        }
    }
}

extension NSNumber.Value {
    func write(to writer: inout GuestWriter) {
        writer.arrayHeader(2)
        switch self {
        case .signed(let value):
            writer.uint(0)
            writer.int(value)
        case .unsigned(let value):
            writer.uint(1)
            writer.uint(value)
        case .double(let value):
            writer.uint(2)
            writer.double(value)
        case .float(let value):
            writer.uint(3)
            writer.float(value)
        case .decimal(let value):
            writer.uint(4)
            writer.decimal(value)
        }
    }

    init(from reader: inout GuestReader) {
        reader.arrayHeader(exactly: 2)
        switch reader.integer(Int.self) {
        case 0: self = .signed(reader.integer(Int64.self))
        case 1: self = .unsigned(reader.integer(UInt64.self))
        case 2: self = .double(reader.double())
        case 3: self = .float(reader.float())
        default: self = .decimal(reader.decimal())
        }
    }

    /// A number of any integer type.
    init<Value: BinaryInteger>(integer value: Value) {
        if let signed = Int64(exactly: value) {
            self = .signed(signed)
        } else {
            self = .unsigned(UInt64(value))
        }
    }
}

/// The start of a question.
func op_question(_ kind: Int, _ count: Int) -> GuestWriter {
    var writer = GuestWriter()
    writer.arrayHeader(count)
    writer.int(Int64(kind))
    return writer
}

extension GuestReader {
    /// Reads the one text of an answer and gives the answer back.
    mutating func onlyText() -> String {
        let text = string()
        discard()
        return text
    }

    /// Reads the one text of an answer, if there is one, and gives the answer back.
    mutating func onlyOptionalText() -> String? {
        let text = optional { $0.string() }
        discard()
        return text
    }
}
