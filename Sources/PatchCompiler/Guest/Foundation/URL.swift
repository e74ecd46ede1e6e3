import PatchGuest
import PatchHost

@_extern(wasm, module: "openpatch", name: "format.url") @_extern(c)
func op_host_format_url(_ pointer: Int32, _ length: Int32) -> Int32

/// A URL. What is in it, and what becomes of it, the app's own Foundation says.
public struct URL: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The text, without what a base adds.
    public let relativeString: String
    /// The absolute text of the base that this is relative to.
    private let base: String?

    fileprivate init(relative: String, base: String?) {
        relativeString = relative
        self.base = base
    }

    private init(_ other: URL) { self = other }

    /// A URL; nil when the text is none.
    public init?(string text: String) { self.init(string: text, relativeTo: nil) }

    /// A URL relative to another one; nil when the text is none.
    public init?(string text: String, relativeTo url: URL?) {
        var writer = URL.question(0, 3)
        writer.string(text)
        writer.optional(url) { $0.url($1) }
        var reader = URL.ask(writer)
        let found = reader.optional { $0.url() }
        reader.discard()
        guard let found else { return nil }
        self.init(found)
    }

    /// The URL of a file, a folder when there is one of that path.
    public init(fileURLWithPath path: String) { self.init(file: path, kind: 2) }

    /// The URL of a file or folder.
    public init(fileURLWithPath path: String, isDirectory: Bool) {
        self.init(file: path, kind: isDirectory ? 1 : 0)
    }

    private init(file path: String, kind: Int64) {
        var writer = URL.question(1, 3)
        writer.string(path)
        writer.int(kind)
        var reader = URL.ask(writer)
        let found = reader.url()
        reader.discard()
        self.init(found)
    }

    /// The URL that this is relative to.
    public var baseURL: URL? { base.map { URL(relative: $0, base: nil) } }
    /// The whole text.
    public var absoluteString: String { base == nil ? relativeString : part(0) ?? "" }
    /// The scheme.
    public var scheme: String? { part(1) }
    /// The host.
    public var host: String? { part(2) }
    /// The user.
    public var user: String? { part(3) }
    /// The password.
    public var password: String? { part(4) }
    /// The path, without percent signs.
    public var path: String { part(5) ?? "" }
    /// The query.
    public var query: String? { part(6) }
    /// The fragment.
    public var fragment: String? { part(7) }
    /// The path without that of the base.
    public var relativePath: String { part(8) ?? "" }
    /// The extension of the path.
    public var pathExtension: String { part(9) ?? "" }
    /// The last component of the path.
    public var lastPathComponent: String { part(10) ?? "" }
    /// The text, and the base's.
    public var description: String { part(11) ?? "" }
    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The components of the path.
    public var pathComponents: [String] {
        var writer = URL.question(3, 2)
        writer.url(self)
        var reader = URL.ask(writer)
        let found = reader.array { $0.string() }
        reader.discard()
        return found
    }

    /// The port.
    public var port: Int? {
        var writer = URL.question(4, 2)
        writer.url(self)
        var reader = URL.ask(writer)
        let found = reader.optional { $0.integer(Int.self) }
        reader.discard()
        return found
    }

    /// Whether the path ends with a slash.
    public var hasDirectoryPath: Bool { holds(0) }
    /// Whether the scheme is `file`.
    public var isFileURL: Bool { holds(1) }

    /// The URL without a base.
    public var absoluteURL: URL { base == nil ? self : derived(0, "") }
    /// The URL without `..` and `.`.
    public var standardized: URL { derived(1, "") }
    /// The URL of a file without `..`, `.` and links.
    public var standardizedFileURL: URL { derived(8, "") }
    /// The URL without the last component of its path.
    public func deletingLastPathComponent() -> URL { derived(2, "") }
    /// The URL without the extension of its path.
    public func deletingPathExtension() -> URL { derived(3, "") }
    /// The URL with one component more.
    public func appendingPathComponent(_ component: String) -> URL { derived(4, component) }
    /// The URL with one component more.
    public func appendingPathComponent(_ component: String, isDirectory: Bool) -> URL {
        derived(isDirectory ? 5 : 6, component)
    }
    /// The URL with an extension.
    public func appendingPathExtension(_ text: String) -> URL { derived(7, text) }

    /// Removes `..` and `.`.
    public mutating func standardize() { self = standardized }
    /// Removes the last component of the path.
    public mutating func deleteLastPathComponent() { self = deletingLastPathComponent() }
    /// Removes the extension of the path.
    public mutating func deletePathExtension() { self = deletingPathExtension() }
    /// Adds a component to the path.
    public mutating func appendPathComponent(_ component: String) {
        self = appendingPathComponent(component)
    }
    /// Adds a component to the path.
    public mutating func appendPathComponent(_ component: String, isDirectory: Bool) {
        self = appendingPathComponent(component, isDirectory: isDirectory)
    }
    /// Adds an extension to the path.
    public mutating func appendPathExtension(_ text: String) { self = appendingPathExtension(text) }

    // MARK: - Questions

    private static func question(_ kind: Int64, _ count: Int) -> GuestWriter {
        var writer = GuestWriter()
        writer.arrayHeader(count)
        writer.int(kind)
        return writer
    }

    private static func ask(_ writer: GuestWriter) -> GuestReader {
        HostAnswer.ask(writer) { op_host_format_url($0, $1) }
    }

    private func part(_ part: Int64) -> String? {
        var writer = URL.question(2, 3)
        writer.url(self)
        writer.int(part)
        var reader = URL.ask(writer)
        let found = reader.optional { $0.string() }
        reader.discard()
        return found
    }

    private func holds(_ what: Int64) -> Bool {
        var writer = URL.question(5, 3)
        writer.url(self)
        writer.int(what)
        var reader = URL.ask(writer)
        let found = reader.bool()
        reader.discard()
        return found
    }

    private func derived(_ kind: Int64, _ text: String) -> URL {
        var writer = URL.question(6, 4)
        writer.url(self)
        writer.int(kind)
        writer.string(text)
        var reader = URL.ask(writer)
        let found = reader.url()
        reader.discard()
        return found
    }

    fileprivate func write(to writer: inout GuestWriter) {
        guard let base else { return writer.string(relativeString) }
        writer.arrayHeader(2)
        writer.string(relativeString)
        writer.string(base)
    }
}

extension GuestWriter {
    /// Appends a URL.
    public mutating func url(_ value: URL) { value.write(to: &self) }
}

extension GuestReader {
    /// Reads a URL.
    public mutating func url() -> URL {
        guard nextIsArray() else { return URL(relative: string(), base: nil) }
        arrayHeader(exactly: 2)
        let text = string()
        return URL(relative: text, base: string())
    }
}
