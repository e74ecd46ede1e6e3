// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Where the keyboard writes, and keys that press buttons.

/// Where the keyboard writes. The host decides it and says so by events; what the guest writes is
/// a wish that the next tree carries.
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
    let initial: Value
    var link = _Link<_Location<Value>>(target: nil)

    public init() where Value == Bool { initial = false }
    public init<Wrapped: Hashable>() where Value == Wrapped? { initial = nil }

    public var wrappedValue: Value {
        get { link.target.map { $0.value } ?? initial }
        nonmutating set { link.target?.set(newValue) }
    }

    public var projectedValue: Binding { Binding(location: link.target, initial: initial) }

    public mutating func _link(_ linker: _Linker, _ slot: Int) {
        link.target = linker.scope.location(slot, initial)
    }

    /// The focus of a view above.
    @propertyWrapper public struct Binding {
        let location: _Location<Value>?
        /// What it is when nothing has the focus.
        let initial: Value

        public var wrappedValue: Value {
            get { location.map { $0.value } ?? initial }
            nonmutating set { location?.set(newValue) }
        }

        public var projectedValue: Binding { self }

        /// Whether the focus is at a value; to set it false takes it away from there only.
        func _matches(_ value: Value) -> SwiftUI.Binding<Bool> {
            let this = self
            return SwiftUI.Binding(
                get: { this.wrappedValue == value },
                set: { isFocused in
                    if isFocused {
                        this.wrappedValue = value
                    } else if this.wrappedValue == value {
                        this.wrappedValue = this.initial
                    }
                })
        }
    }
}

/// A key of the keyboard.
public struct KeyEquivalent: ExpressibleByExtendedGraphemeClusterLiteral, Hashable, Sendable {
    public var character: Character
    var _key: String { String(character) }
    public init(_ character: Character) { self.character = character }
    public init(extendedGraphemeClusterLiteral character: Character) { self.character = character }

    public static let `return`: KeyEquivalent = "\r"
    public static let escape: KeyEquivalent = "\u{1B}"
    public static let tab: KeyEquivalent = "\t"
    public static let space: KeyEquivalent = " "
    public static let delete: KeyEquivalent = "\u{8}"
    public static let upArrow: KeyEquivalent = "\u{F700}"
    public static let downArrow: KeyEquivalent = "\u{F701}"
    public static let leftArrow: KeyEquivalent = "\u{F702}"
    public static let rightArrow: KeyEquivalent = "\u{F703}"
}

/// A key with those that are held down with it.
public struct KeyboardShortcut: Hashable, Sendable {
    public var key: KeyEquivalent
    public var modifiers: EventModifiers
    public init(_ key: KeyEquivalent, modifiers: EventModifiers = .command) {
        self.key = key
        self.modifiers = modifiers
    }

    public static let defaultAction = KeyboardShortcut(.return, modifiers: [])
    public static let cancelAction = KeyboardShortcut(.escape, modifiers: [])
}
