/// One Swift file of a guest.
public struct GuestSource: Sendable, Hashable {
    /// How the compiler's messages name the file; a path as the user knows it, never opened.
    public var name: String
    /// The text of the file.
    public var text: String

    /// A file with its text.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// Which functions a module gives to the host.
public enum GuestExports: Sendable, Hashable {
    /// Every name that the sources give with `@_cdecl`, `@c` or `@_expose(wasm)`.
    case automatic
    /// Exactly these, besides what the guest runtime exports.
    case named([String])
}

extension GuestExports: ExpressibleByArrayLiteral {
    /// Exactly the names in the list.
    public init(arrayLiteral elements: String...) { self = .named(elements) }
}
