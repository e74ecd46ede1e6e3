// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Controls whose making needs more than a row of the vocabulary.

extension _Emitter {
    /// Writes a view with a modifier that has no type of its own.
    func modified<V: View>(_ base: V, _ write: (_Emitter) -> Void) {
        let mark = beginModified()
        base._emit(self)
        groupModified(mark)
        write(self)
        endModified(mark)
    }
}

// MARK: - Buttons

public struct Button: _Primitive {
    let role: ButtonRole?
    let action: () -> Void
    let label: _Block

    public init<L: View>(
        role: ButtonRole? = nil, action: @escaping () -> Void, @ViewBuilder label: () -> L
    ) {
        self.role = role
        self.action = action
        self.label = _Block(label())
    }
    public init(
        _ title: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping () -> Void
    ) { self.init(role: role, action: action) { Text(title) } }
    @_disfavoredOverload public init<S: StringProtocol>(
        _ title: S, role: ButtonRole? = nil, action: @escaping () -> Void
    ) { self.init(role: role, action: action) { Text(title) } }
    public init(
        _ title: LocalizedStringKey, systemImage: String, role: ButtonRole? = nil,
        action: @escaping () -> Void
    ) { self.init(role: role, action: action) { Label(title, systemImage: systemImage) } }
    public init(_ configuration: ButtonStyleConfiguration) {
        self.init(role: configuration.role, action: configuration.trigger) { configuration.label }
    }

    public func _emit(_ e: _Emitter) {
        let mark = e.open(_Op.buttonView)
        if let role {
            e.u8(1)
            e.u8(role.rawValue)
        } else {
            e.u8(0)
        }
        e.action(action)
        if let style = _surroundings.values.buttonStyle {
            // The app draws it: the host shows what it drew and nothing of its own.
            style(ButtonStyleConfiguration(role: role, label: label, trigger: action))._emit(e)
            let inner = e.open(_Op.buttonStyleModifier)
            e.u8(1)
            e.closeModifier(inner)
        } else {
            label._emit(e)
        }
        e.close(mark)
    }
}

/// What an app's own button style draws with.
public struct ButtonStyleConfiguration {
    public let role: ButtonRole?
    public let label: _Block
    let trigger: () -> Void
    /// Pressing is drawn by the host.
    public var isPressed: Bool { false }
    public typealias Label = _Block
}

/// An app's own look of buttons.
public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

extension View {
    public func buttonStyle<S: ButtonStyle>(_ style: S) -> _Block {
        _surrounded { $0.buttonStyle = { _Block(style.makeBody(configuration: $0)) } }
    }

    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> _Block {
        let kind = style._kind
        return _Block { e in
            e.modified(_surrounded { $0.buttonStyle = nil }) { e in
                let mark = e.open(_Op.buttonStyleModifier)
                e.u8(kind)
                e.closeModifier(mark)
            }
        }
    }

    public func disabled(_ isDisabled: Bool) -> _Block {
        _Block { e in
            e.modified(_surrounded { if isDisabled { $0.isEnabled = false } }) { e in
                let mark = e.open(_Op.disabledModifier)
                e.bool(isDisabled)
                e.closeModifier(mark)
            }
        }
    }
}

// MARK: - Text entry

@inline(never) private func _emitField(
    _ e: _Emitter, _ prompt: _TextContent, _ text: Binding<String>, isSecure: Bool, isLong: Bool
) {
    let mark = e.open(_Op.textFieldView)
    prompt._write(e)
    e.bound(text)
    e.bool(isSecure)
    e.bool(isLong)
    e.close(mark)
}

public struct TextField: _Primitive {
    let prompt: _TextContent
    let text: Binding<String>
    var isLong = false

    public init(_ title: LocalizedStringKey, text: Binding<String>) {
        prompt = title._content
        self.text = text
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        prompt = Text(title)._first
        self.text = text
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        self.prompt = prompt?._first ?? title._content
        self.text = text
    }
    public init(_ title: LocalizedStringKey, text: Binding<String>, axis: Axis) {
        prompt = title._content
        self.text = text
        isLong = axis == .vertical
    }

    public func _emit(_ e: _Emitter) {
        _emitField(e, prompt, text, isSecure: false, isLong: isLong)
    }
}

public struct SecureField: _Primitive {
    let prompt: _TextContent
    let text: Binding<String>
    public init(_ title: LocalizedStringKey, text: Binding<String>) {
        prompt = title._content
        self.text = text
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        prompt = Text(title)._first
        self.text = text
    }
    public func _emit(_ e: _Emitter) {
        _emitField(e, prompt, text, isSecure: true, isLong: false)
    }
}

public struct TextEditor: _Primitive {
    let text: Binding<String>
    public init(text: Binding<String>) { self.text = text }
    public func _emit(_ e: _Emitter) {
        _emitField(e, Text(verbatim: "")._first, text, isSecure: false, isLong: true)
    }
}

public enum Axis: UInt8, Hashable, Sendable, CaseIterable { case horizontal, vertical }

public struct Stepper: _Primitive {
    let increment: (() -> Void)?
    let decrement: (() -> Void)?
    let label: _Block

    public init<L: View>(
        onIncrement: (() -> Void)?, onDecrement: (() -> Void)?, @ViewBuilder label: () -> L
    ) {
        increment = onIncrement
        decrement = onDecrement
        self.label = _Block(label())
    }

    public init<L: View, V: Strideable>(
        value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1,
        @ViewBuilder label: () -> L
    ) {
        let up = value.wrappedValue.advanced(by: step)
        let down = value.wrappedValue.advanced(by: 0 - step)
        increment = up <= bounds.upperBound ? { value.wrappedValue = up } : nil
        decrement = down >= bounds.lowerBound ? { value.wrappedValue = down } : nil
        self.label = _Block(label())
    }

    public init<V: Strideable>(
        _ title: LocalizedStringKey, value: Binding<V>, in bounds: ClosedRange<V>,
        step: V.Stride = 1
    ) { self.init(value: value, in: bounds, step: step) { Text(title) } }

    public init<V: Strideable>(
        _ title: LocalizedStringKey, value: Binding<V>, step: V.Stride = 1
    ) {
        self.init(
            onIncrement: { value.wrappedValue = value.wrappedValue.advanced(by: step) },
            onDecrement: { value.wrappedValue = value.wrappedValue.advanced(by: 0 - step) }
        ) { Text(title) }
    }

    public func _emit(_ e: _Emitter) {
        let mark = e.open(_Op.stepperView)
        write(increment, e)
        write(decrement, e)
        label._emit(e)
        e.close(mark)
    }

    private func write(_ action: (() -> Void)?, _ e: _Emitter) {
        guard let action else {
            e.u8(0)
            // The other button's token must not depend on whether this one can be pressed.
            _ = e.scope.token { _ in }
            return
        }
        e.u8(1)
        e.action(action)
    }
}

// MARK: - Selection

/// A value that a `tag` names, without its type.
class _AnyTag {
    let hash: UInt64
    var previous: _AnyTag?
    init(_ hash: UInt64) { self.hash = hash }
}
final class _TagBox<Value>: _AnyTag {
    let value: Value
    init(_ hash: UInt64, _ value: Value) {
        self.value = value
        super.init(hash)
    }
}

/// The tags inside of a picker or the like.
final class _Tags {
    /// The one that was added last; each knows the one before it.
    private var last: _AnyTag?

    deinit {
        // One by one: a long chain that frees itself is as deep as it is long.
        while let tag = last {
            last = tag.previous
            tag.previous = nil
        }
    }

    func add<Value: Hashable>(_ hash: UInt64, _ value: Value) {
        let tag = _TagBox(hash, value)
        tag.previous = last
        last = tag
    }

    /// The value of a type with a hash. A row's identifier may have the hash of another type's tag.
    func find<Value>(_ hash: UInt64) -> Value? {
        var next = last
        while let tag = next {
            if tag.hash == hash, let box = tag as? _TagBox<Value> { return box.value }
            next = tag.previous
        }
        return nil
    }
}

/// A selection as the wire has it: the hash of the selected value, 0 for none.
public struct _Selection {
    let current: () -> UInt64
    let choose: (UInt64, _Tags) -> Void

    static func value<V: Hashable>(_ value: Binding<V>) -> _Selection {
        _Selection(
            current: { _hash(value.wrappedValue) },
            choose: { hash, tags in
                if let chosen: V = tags.find(hash) { value.wrappedValue = chosen }
            })
    }

    static func optional<V: Hashable>(_ value: Binding<V?>) -> _Selection {
        _Selection(
            current: { value.wrappedValue.map { _hash($0) } ?? 0 },
            choose: { hash, tags in
                if hash == 0 {
                    value.wrappedValue = nil
                } else if let chosen: V = tags.find(hash) {
                    value.wrappedValue = chosen
                } else if let chosen: V? = tags.find(hash) {
                    value.wrappedValue = chosen
                }
            })
    }
}

public struct Picker: _Primitive {
    let selection: _Selection
    let content: _Block
    let label: _Block

    public init<V: Hashable, C: View, L: View>(
        selection: Binding<V>, @ViewBuilder content: () -> C, @ViewBuilder label: () -> L
    ) {
        self.selection = .value(selection)
        self.content = _Block(content())
        self.label = _Block(label())
    }
    public init<V: Hashable, C: View>(
        _ title: LocalizedStringKey, selection: Binding<V>, @ViewBuilder content: () -> C
    ) { self.init(selection: selection, content: content) { Text(title) } }
    @_disfavoredOverload public init<S: StringProtocol, V: Hashable, C: View>(
        _ title: S, selection: Binding<V>, @ViewBuilder content: () -> C
    ) { self.init(selection: selection, content: content) { Text(title) } }
    public init<V: Hashable, C: View>(
        _ title: LocalizedStringKey, selection: Binding<V?>, @ViewBuilder content: () -> C
    ) {
        self.selection = .optional(selection)
        self.content = _Block(content())
        label = _Block(Text(title))
    }
    public init<V: Hashable, C: View, L: View>(
        selection: Binding<V>, label: L, @ViewBuilder content: () -> C
    ) { self.init(selection: selection, content: content) { label } }

    public func _emit(_ e: _Emitter) {
        let outer = e.tags
        e.tags = _Tags()
        let mark = e.open(_Op.pickerView)
        e.selection(selection)
        content._emit(e)
        e.part(1, label)
        e.close(mark)
        e.tags = outer
    }
}

/// Screens beside each other. Without a selection of the app, the place keeps one.
public struct TabView: _Primitive {
    let selection: _Selection?
    let content: _Block

    public init<C: View>(@ViewBuilder content: () -> C) {
        selection = nil
        self.content = _Block(content())
    }
    public init<V: Hashable, C: View>(
        selection: Binding<V>, @ViewBuilder content: () -> C
    ) {
        self.selection = .value(selection)
        self.content = _Block(content())
    }

    public func _emit(_ e: _Emitter) {
        let outer = e.tags
        let scope = e.enterNext()
        e.tags = _Tags()
        let mark = e.open(_Op.tabViewView)
        if let selection {
            e.selection(selection)
        } else {
            let place = e.scope.location(0, 0 as UInt64)
            e.u64(place.value)
            e.token { place.set($0.integer(UInt64.self)) }
        }
        content._emit(e)
        e.close(mark)
        e.leave(scope)
        e.tags = outer
    }
}

extension View {
    public func tag<V: Hashable>(_ value: V) -> _Block {
        _Block { e in
            e.modified(self) { e in
                let hash = _hash(value)
                e.tags?.add(hash, value)
                let mark = e.open(_Op.tagModifier)
                e.u64(hash)
                e.closeModifier(mark)
            }
        }
    }
}

/// Rows.
public struct List: _Primitive {
    let selection: _Selection?
    let content: _Block

    public init<C: View>(@ViewBuilder content: () -> C) {
        selection = nil
        self.content = _Block(content())
    }
    public init<V: Hashable, C: View>(
        selection: Binding<V?>, @ViewBuilder content: () -> C
    ) {
        self.selection = .optional(selection)
        self.content = _Block(content())
    }
    public init<D: RandomAccessCollection, C: View>(
        _ data: D, @ViewBuilder rowContent: @escaping (D.Element) -> C
    ) where D.Element: Identifiable {
        self.init { ForEach(data, content: rowContent) }
    }
    public init<D: RandomAccessCollection, ID: Hashable, C: View>(
        _ data: D, id: @escaping (D.Element) -> ID,
        @ViewBuilder rowContent: @escaping (D.Element) -> C
    ) { self.init { ForEach(data, id: id, content: rowContent) } }
    public init<C: View>(
        _ data: Range<Int>, @ViewBuilder rowContent: @escaping (Int) -> C
    ) { self.init { ForEach(data, content: rowContent) } }
    #if !hasFeature(Embedded)
        public init<D: RandomAccessCollection, ID: Hashable, C: View>(
            _ data: D, id: KeyPath<D.Element, ID>,
            @ViewBuilder rowContent: @escaping (D.Element) -> C
        ) { self.init(data, id: { $0[keyPath: id] }, rowContent: rowContent) }
    #endif

    public func _emit(_ e: _Emitter) {
        let outer = e.tags
        let wasLazy = e.isLazy
        e.isLazy = true
        let mark = e.open(_Op.listView)
        if let selection {
            e.tags = _Tags()
            e.u8(1)
            let tags = e.tags ?? _Tags()
            e.token { selection.choose($0.integer(UInt64.self), tags) }
        } else {
            e.u8(0)
        }
        content._emit(e)
        e.close(mark)
        e.isLazy = wasLazy
        e.tags = outer
    }
}
