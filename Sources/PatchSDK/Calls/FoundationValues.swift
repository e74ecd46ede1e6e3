import Foundation

// Values of Foundation whose form is this library's (decisions/0122): a URL is its text, or its
// text and its base's when it is relative to one; a decimal number is its digits.

extension MessagePackWriter {
    /// Appends a URL; nil, which no reader takes, for one that its texts do not make again.
    public mutating func url(_ value: URL) {
        guard let base = value.baseURL else {
            guard URL(string: value.relativeString) == value else { return self.nil() }
            return string(value.relativeString)
        }
        guard let again = URL(string: base.absoluteString),
            URL(string: value.relativeString, relativeTo: again) == value
        else { return self.nil() }
        arrayHeader(2)
        string(value.relativeString)
        string(base.absoluteString)
    }

    /// Appends a decimal number, `NaN` for none; nil for one that its digits do not make again.
    public mutating func decimal(_ value: Decimal) {
        if value.isNaN { return string("NaN") }
        var value = value
        NSDecimalCompact(&value)
        let text = value.description
        guard Decimal(string: text) == value else { return self.nil() }
        string(text)
    }
}

extension MessagePackReader {
    /// Reads a URL.
    /// - Throws: ``MessagePackError``.
    public mutating func url() throws(MessagePackError) -> URL {
        guard try nextIsArray() else { return try parsed { URL(string: $0) } }
        try enter()
        try arrayHeader(exactly: 2)
        let text = try string()
        let base: URL = try parsed { URL(string: $0) }
        leave()
        guard let url = URL(string: text, relativeTo: base) else { try refuse() }
        return url
    }

    /// Reads a decimal number.
    /// - Throws: ``MessagePackError``.
    public mutating func decimal() throws(MessagePackError) -> Decimal {
        try parsed { $0 == "NaN" ? .nan : Decimal(string: $0) }
    }
}
