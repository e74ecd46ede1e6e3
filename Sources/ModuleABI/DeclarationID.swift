import PatchCrypto

/// Ids of declarations: the first 8 bytes of SHA-256 over `module|Type.member(labels:)|kind`,
/// so that an id survives reordering, moving between files and another machine.
public enum DeclarationID {
    /// What a declaration is, in the text that an id is taken over.
    public enum Kind: String, Sendable, CaseIterable {
        case function
        case staticFunction = "static"
        case method
        case getter
        case staticGetter = "static-getter"
        case setter
        case initializer = "init"
    }

    /// The id of a function.
    /// - Parameters:
    ///   - module: the Swift module that declares it.
    ///   - path: type path and full name, as in `Cart.Line.price(of:_:)`; a free function has no
    ///     type.
    public static func function(module: String, path: String, kind: Kind) -> UInt64 {
        hash("\(module)|\(path)|\(kind.rawValue)")
    }

    /// The first 8 bytes of SHA-256 over the UTF-8 of `text`, most significant byte first.
    public static func hash(_ text: String) -> UInt64 {
        SHA256.hash(Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The id as it is written everywhere: 16 lower-case hex digits.
    public static func hex16(_ id: UInt64) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads 16 lower-case hex digits; nil for anything else.
    public static func parse(_ hex16: String) -> UInt64? {
        let digits = hex16.utf8
        guard digits.count == 16 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default:
                return nil
            }
        }
        return value
    }
}

/// Hashes of signatures: a module built against another signature of the same id is refused.
public enum SignatureHash {
    /// The hash over canonical type texts (`Int`, `Array<String>`, `Optional<Bool>`), in order.
    /// - Parameter results: empty for a function that returns nothing.
    public static func function(parameters: [String], results: [String]) -> UInt64 {
        DeclarationID.hash(
            "(" + parameters.joined(separator: ",") + ")->(" + results.joined(separator: ",") + ")")
    }
}
