import PatchGuest
import PatchHost

@_extern(wasm, module: "openpatch", name: "format.text") @_extern(c)
func op_host_format_text(_ pointer: Int32, _ length: Int32) -> Int32

/// A value that `String(format:)` takes.
public protocol CVarArg {
    /// Writes its kind and itself.
    func op_write(_ writer: inout GuestWriter)
}

extension Int: CVarArg {
    /// As 64 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(0); writer.int(Int64(self)) }
}
extension Int64: CVarArg {
    /// As 64 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(0); writer.int(self) }
}
extension Int32: CVarArg {
    /// As 32 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(1); writer.int(Int64(self)) }
}
extension Int16: CVarArg {
    /// As 32 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(1); writer.int(Int64(self)) }
}
extension Int8: CVarArg {
    /// As 32 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(1); writer.int(Int64(self)) }
}
extension UInt: CVarArg {
    /// As 64 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(2); writer.uint(UInt64(self)) }
}
extension UInt64: CVarArg {
    /// As 64 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(2); writer.uint(self) }
}
extension UInt32: CVarArg {
    /// As 32 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(3); writer.uint(UInt64(self)) }
}
extension UInt16: CVarArg {
    /// As 32 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(3); writer.uint(UInt64(self)) }
}
extension UInt8: CVarArg {
    /// As 32 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(3); writer.uint(UInt64(self)) }
}
extension Double: CVarArg {
    /// As 64 bits.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(4); writer.double(self) }
}
extension Float: CVarArg {
    /// As 64 bits.
    public func op_write(_ writer: inout GuestWriter) {
        writer.uint(4); writer.double(Double(self))
    }
}
extension String: CVarArg {
    /// As an object.
    public func op_write(_ writer: inout GuestWriter) { writer.uint(5); writer.string(self) }
}

/// A text made from a pattern by the app's Foundation.
struct FormatQuestion {
    private var writer = GuestWriter()

    init(_ pattern: String, isLocalized: Bool, _ count: Int) {
        writer.arrayHeader(3)
        writer.uint(isLocalized ? 1 : 0)
        writer.string(pattern)
        writer.arrayHeader(count * 2)
    }

    mutating func add<A: CVarArg>(_ value: A) { value.op_write(&writer) }

    func text() -> String {
        var reader = HostAnswer.ask(writer) { op_host_format_text($0, $1) }
        let text = reader.string()
        reader.discard()
        return text
    }
}

// One function for each number of arguments, since guests have no lists of mixed types.
extension String {
    /// The pattern without values.
    public init(format: String) {
        self = FormatQuestion(format, isLocalized: false, 0).text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg>(
        format: String, _ a: A
    ) {
        var question = FormatQuestion(format, isLocalized: false, 1)
        question.add(a)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg, B: CVarArg>(
        format: String, _ a: A, _ b: B
    ) {
        var question = FormatQuestion(format, isLocalized: false, 2)
        question.add(a)
        question.add(b)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg, B: CVarArg, C: CVarArg>(
        format: String, _ a: A, _ b: B, _ c: C
    ) {
        var question = FormatQuestion(format, isLocalized: false, 3)
        question.add(a)
        question.add(b)
        question.add(c)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg, B: CVarArg, C: CVarArg, D: CVarArg>(
        format: String, _ a: A, _ b: B, _ c: C, _ d: D
    ) {
        var question = FormatQuestion(format, isLocalized: false, 4)
        question.add(a)
        question.add(b)
        question.add(c)
        question.add(d)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg, B: CVarArg, C: CVarArg, D: CVarArg, E: CVarArg>(
        format: String, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) {
        var question = FormatQuestion(format, isLocalized: false, 5)
        question.add(a)
        question.add(b)
        question.add(c)
        question.add(d)
        question.add(e)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg, B: CVarArg, C: CVarArg, D: CVarArg, E: CVarArg, F: CVarArg>(
        format: String, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) {
        var question = FormatQuestion(format, isLocalized: false, 6)
        question.add(a)
        question.add(b)
        question.add(c)
        question.add(d)
        question.add(e)
        question.add(f)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<A: CVarArg, B: CVarArg, C: CVarArg, D: CVarArg, E: CVarArg, F: CVarArg, G: CVarArg>(
        format: String, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) {
        var question = FormatQuestion(format, isLocalized: false, 7)
        question.add(a)
        question.add(b)
        question.add(c)
        question.add(d)
        question.add(e)
        question.add(f)
        question.add(g)
        self = question.text()
    }
    /// The pattern with values in it.
    public init<
        A: CVarArg, B: CVarArg, C: CVarArg, D: CVarArg, E: CVarArg, F: CVarArg, G: CVarArg,
        H: CVarArg
    >(
        format: String, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) {
        var question = FormatQuestion(format, isLocalized: false, 8)
        question.add(a)
        question.add(b)
        question.add(c)
        question.add(d)
        question.add(e)
        question.add(f)
        question.add(g)
        question.add(h)
        self = question.text()
    }
    /// The pattern in the user's locale.
    public static func localizedStringWithFormat(_ format: String) -> String {
        FormatQuestion(format, isLocalized: true, 0).text()
    }
    /// The pattern with values in it, in the user's locale.
    public static func localizedStringWithFormat<A: CVarArg>(
        _ format: String, _ a: A
    ) -> String {
        var question = FormatQuestion(format, isLocalized: true, 1)
        question.add(a)
        return question.text()
    }
    /// The pattern with values in it, in the user's locale.
    public static func localizedStringWithFormat<A: CVarArg, B: CVarArg>(
        _ format: String, _ a: A, _ b: B
    ) -> String {
        var question = FormatQuestion(format, isLocalized: true, 2)
        question.add(a)
        question.add(b)
        return question.text()
    }
    /// The pattern with values in it, in the user's locale.
    public static func localizedStringWithFormat<A: CVarArg, B: CVarArg, C: CVarArg>(
        _ format: String, _ a: A, _ b: B, _ c: C
    ) -> String {
        var question = FormatQuestion(format, isLocalized: true, 3)
        question.add(a)
        question.add(b)
        question.add(c)
        return question.text()
    }
    /// The pattern with values in it, in the user's locale.
    public static func localizedStringWithFormat<A: CVarArg, B: CVarArg, C: CVarArg, D: CVarArg>(
        _ format: String, _ a: A, _ b: B, _ c: C, _ d: D
    ) -> String {
        var question = FormatQuestion(format, isLocalized: true, 4)
        question.add(a)
        question.add(b)
        question.add(c)
        question.add(d)
        return question.text()
    }
}
