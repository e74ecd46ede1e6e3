import PatchGuest
import PatchHost

@_extern(wasm, module: "openpatch", name: "format.date") @_extern(c)
func op_host_format_date(_ pointer: Int32, _ length: Int32) -> Int32

func op_ask_date(_ writer: GuestWriter) -> GuestReader {
    HostAnswer.ask(writer) { op_host_format_date($0, $1) }
}

/// A language and region; the app's own Foundation knows what that means.
public struct Locale: Sendable, Hashable {
    /// What the host is told: nothing for the user's.
    let name: String

    /// The locale of that name, as in `de_DE`.
    public init(identifier: String) { name = identifier }

    private init() { name = "" }

    /// The user's.
    public static var current: Locale { Locale() }
    /// The user's.
    public static var autoupdatingCurrent: Locale { Locale() }

    /// The name.
    public var identifier: String {
        guard name.isEmpty else { return name }
        var writer = op_question(9, 2)
        writer.string(name)
        var reader = op_ask_date(writer)
        return reader.onlyText()
    }
}

/// A region with the same time.
public struct TimeZone: Sendable, Hashable {
    /// What the host is told: nothing for the user's.
    let name: String

    /// The zone of that name, as in `Europe/Berlin`; nil for none.
    public init?(identifier: String) {
        guard !identifier.isEmpty, let found = TimeZone.known(identifier) else { return nil }
        name = found
    }

    /// A zone with a fixed difference; nil for too much.
    public init?(secondsFromGMT seconds: Int) {
        var writer = op_question(11, 2)
        writer.int(Int64(seconds))
        var reader = op_ask_date(writer)
        guard let found = reader.onlyOptionalText() else { return nil }
        name = found
    }

    private init() { name = "" }

    init(known name: String) { self.name = name }

    /// The user's.
    public static var current: TimeZone { TimeZone() }
    /// The user's.
    public static var autoupdatingCurrent: TimeZone { TimeZone() }

    /// The name.
    public var identifier: String { name.isEmpty ? TimeZone.known("") ?? "" : name }

    /// Seconds that clocks are ahead of Greenwich.
    public func secondsFromGMT(for date: Date) -> Int {
        var writer = op_question(12, 3)
        writer.string(name)
        writer.double(date.timeIntervalSinceReferenceDate)
        var reader = op_ask_date(writer)
        let seconds = reader.integer(Int.self)
        reader.discard()
        return seconds
    }

    private static func known(_ name: String) -> String? {
        var writer = op_question(10, 2)
        writer.string(name)
        var reader = op_ask_date(writer)
        return reader.onlyOptionalText()
    }
}
