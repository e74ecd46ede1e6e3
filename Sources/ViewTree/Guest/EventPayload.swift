/// What an event carries, encoded as module values are (MessagePack).
public enum EventPayload: Equatable, Sendable {
    /// Nothing: a tap.
    case none
    /// The new state of a switch, or of what is presented.
    case bool(Bool)
    /// The new text of a field.
    case string(String)
    /// The new place of a slider.
    case double(Double)
    /// The hash of what was selected, or the index of a row.
    case integer(UInt64)

    /// The bytes that the guest is given.
    public var bytes: [UInt8] {
        switch self {
        case .none: return []
        case .bool(let value): return [value ? 0xc3 : 0xc2]
        case .double(let value): return [0xcb] + big(value.bitPattern)
        case .integer(let value): return [0xcf] + big(value)
        case .string(let value):
            let text = Array(value.utf8)
            return [0xdb] + big(UInt32(clamping: text.count)) + text
        }
    }
}

/// What surrounds a screen and changes what it draws.
public struct Surroundings: Equatable, Sendable {
    /// Light or dark.
    public var scheme: Tree.ColorScheme = .light
    /// Whether lines run from right to left.
    public var isRightToLeft = false
    /// From 0 (extra small) over 3 (large, the default) to 11 (accessibility 5).
    public var typeSize: UInt8 = 3
    /// Whether the screen is wide by the platform's classes.
    public var isRegularWidth = false
    /// Whether the screen is high by the platform's classes.
    public var isRegularHeight = true
    /// Points.
    public var width: Double = 390
    /// Points.
    public var height: Double = 844

    /// A phone in light colours.
    public init() {}

    /// The bytes of `op_mount` and `op_update`: properties that are encoded already, then these.
    public func message(properties: [UInt8]) -> [UInt8] { [0x92] + properties + bytes }

    /// Their own bytes.
    public var bytes: [UInt8] {
        [
            0x97, scheme.rawValue, isRightToLeft ? 1 : 0, typeSize, isRegularWidth ? 1 : 0,
            isRegularHeight ? 1 : 0, 0xcb,
        ] + big(width.bitPattern) + [0xcb] + big(height.bitPattern)
    }
}

private func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
