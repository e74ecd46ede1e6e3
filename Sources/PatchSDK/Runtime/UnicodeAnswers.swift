import Foundation

/// What modules ask about Unicode, from this device's own Foundation: texts compare in a module as
/// they do in the app around it.
enum UnicodeAnswers {
    /// Bit 0: the scalar has a canonical decomposition; bits 1 and 2: it may change in composed form;
    /// above: its combining class.
    static func normalization(_ value: UInt32) -> UInt32 {
        guard value >= 0xC0, let scalar = Unicode.Scalar(value) else { return 0 }
        let properties = scalar.properties
        var bits = UInt32(properties.canonicalCombiningClass.rawValue) << 3
        let text = String(Character(scalar))
        if !same(text.decomposedStringWithCanonicalMapping, text) { bits |= 1 }
        // "Maybe" where it is not needed costs time, never another result.
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: bits |= 4
        default:
            if (0x1100...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { bits |= 4 }
        }
        if !same(text.precomposedStringWithCanonicalMapping, text) { bits |= 2 }
        return bits
    }

    /// The scalar that two compose to, or the largest number.
    static func composition(_ first: UInt32, _ second: UInt32) -> UInt32 {
        guard let one = Unicode.Scalar(first), let two = Unicode.Scalar(second) else { return .max }
        var text = String.UnicodeScalarView()
        text.append(one)
        text.append(two)
        let composed = String(text).precomposedStringWithCanonicalMapping.unicodeScalars
        guard composed.count == 1, let only = composed.first else { return .max }
        return only.value
    }

    /// The canonical decomposition in UTF-8; empty for none.
    static func decomposition(_ value: UInt32) -> [UInt8] {
        guard let scalar = Unicode.Scalar(value) else { return [] }
        let text = String(Character(scalar))
        let decomposed = text.decomposedStringWithCanonicalMapping
        return same(decomposed, text) ? [] : Array(decomposed.utf8)
    }

    /// Whether two texts have the same scalars; `==` would call a text equal to its decomposition.
    private static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }
}
