/// A group of host functions that a signed app grants to modules: a core one, or a bridge that
/// the app registers itself (`app.<bridge>`).
///
/// Every host import lives in the wasm module ``importModule`` and is named
/// `<capability>.<function>`.
public struct CapabilityName: RawRepresentable, Hashable, Sendable {
    /// The wasm module name of every import of a generated module.
    public static let importModule = "openpatch"

    /// Writing to the device log.
    public static let log = CapabilityName(unchecked: "log")
    /// Reading the time.
    public static let clock = CapabilityName(unchecked: "clock")
    /// Random bytes.
    public static let random = CapabilityName(unchecked: "random")
    /// Formatting with the user's locale.
    public static let format = CapabilityName(unchecked: "format")
    /// Unicode properties and case mappings.
    public static let unicode = CapabilityName(unchecked: "unicode")
    /// Settings in the app's own suite.
    public static let defaults = CapabilityName(unchecked: "defaults")
    /// Requests to hosts on the allow-list.
    public static let fetch = CapabilityName(unchecked: "fetch")
    /// Change notifications.
    public static let notify = CapabilityName(unchecked: "notify")
    /// Calls of native functions and accessors.
    public static let native = CapabilityName(unchecked: "native")
    /// Rendering and view events.
    public static let view = CapabilityName(unchecked: "view")

    /// The capabilities that are not an app's own bridge.
    public static let core: [CapabilityName] = [
        .log, .clock, .random, .format, .unicode, .defaults, .fetch, .notify, .native, .view,
    ]

    /// The name as text.
    public let rawValue: String

    private init(unchecked: String) { rawValue = unchecked }

    /// Takes a core name or `app.<bridge>`, whose bridge is 1 to 64 ASCII letters, digits, `_` or
    /// `-`; nil for anything else.
    public init?(rawValue: String) {
        if Self.core.contains(where: { $0.rawValue == rawValue }) {
            self.rawValue = rawValue
            return
        }
        guard rawValue.hasPrefix("app.") else { return nil }
        let bridge = rawValue.utf8.dropFirst(4)
        guard (1...64).contains(bridge.count), bridge.allSatisfy(Self.isBridgeByte) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// The capability of an import named `<capability>.<function>`, or nil when the name has
    /// another shape.
    public init?(importName: String) {
        guard let dot = importName.lastIndex(of: "."), dot != importName.startIndex,
            importName.index(after: dot) != importName.endIndex
        else { return nil }
        self.init(rawValue: String(importName[..<dot]))
    }

    /// Whether the app registered it, rather than OpenPatch.
    public var isBridge: Bool { rawValue.hasPrefix("app.") }

    private static func isBridgeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            return true
        default:
            return false
        }
    }
}
