// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Text crosses as a key with typed arguments, so that the host's tables translate it and the host's
// locale formats it.

/// An argument of a text's format.
enum _Argument: Equatable {
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case text(String)
}

/// What one text says.
public struct _TextContent: Equatable {
    var key: String
    var isVerbatim: Bool
    var arguments: [_Argument]

    func _write(_ e: _Emitter) {
        e.bool(isVerbatim)
        e.string(key)
        e.u32(UInt32(arguments.count))
        for argument in arguments {
            switch argument {
            case .int(let value):
                e.u8(0)
                e.i64(Int(value))
            case .uint(let value):
                e.u8(1)
                e.u64(value)
            case .double(let value):
                e.u8(2)
                e.f64(value)
            case .string(let value):
                e.u8(3)
                e.string(value)
            case .text(let value):
                e.u8(4)
                e.string(value)
            }
        }
    }
}

/// A text that the app's tables may translate.
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    var _content: _TextContent

    public init(_ value: String) {
        _content = _TextContent(key: value, isVerbatim: false, arguments: [])
    }

    public init(stringLiteral value: String) { self.init(value) }

    public init(stringInterpolation: StringInterpolation) {
        _content = _TextContent(
            key: stringInterpolation.key, isVerbatim: false,
            arguments: stringInterpolation.arguments)
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        var key = ""
        var arguments: [_Argument] = []

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) {
            // A percent sign of the text is two in a format.
            guard literal.utf8.contains(0x25) else {
                key += literal
                return
            }
            for character in literal.unicodeScalars {
                key.unicodeScalars.append(character)
                if character == "%" { key.unicodeScalars.append(character) }
            }
        }

        mutating func add(_ format: String, _ argument: _Argument) {
            key += format
            arguments.append(argument)
        }

        public mutating func appendInterpolation(_ value: String) { add("%@", .string(value)) }
        public mutating func appendInterpolation(_ value: Substring) {
            add("%@", .string(String(value)))
        }
        public mutating func appendInterpolation(_ value: Character) {
            add("%@", .string(String(value)))
        }
        public mutating func appendInterpolation<T: SignedInteger>(_ value: T) {
            add("%lld", .int(Int64(value)))
        }
        public mutating func appendInterpolation<T: UnsignedInteger>(_ value: T) {
            add("%llu", .uint(UInt64(value)))
        }
        public mutating func appendInterpolation(_ value: Double) { add("%lf", .double(value)) }
        public mutating func appendInterpolation(_ value: Float) {
            add("%f", .double(Double(value)))
        }
        public mutating func appendInterpolation(_ value: LocalizedStringKey) {
            add("%@", .text(value._content.key))
        }
        public mutating func appendInterpolation<T: SignedInteger>(_ value: T, specifier: String) {
            add(specifier, .int(Int64(value)))
        }
        public mutating func appendInterpolation(_ value: Double, specifier: String) {
            add(specifier, .double(value))
        }
        public mutating func appendInterpolation(_ value: Float, specifier: String) {
            add(specifier, .double(Double(value)))
        }
        #if !hasFeature(Embedded)
            public mutating func appendInterpolation(_ value: CGFloat) {
                add("%lf", .double(Double(value)))
            }
            public mutating func appendInterpolation(_ value: CGFloat, specifier: String) {
                add(specifier, .double(Double(value)))
            }
        #endif
    }
}

/// How a text looks, when it was said of the text itself.
final class _TextLook: Equatable {
    var font: Font?
    var weight: Font.Weight?
    var color: Color?
    var style: _Style?
    /// 1 bold, 2 italic, 4 underlined, 8 struck through, 16 digits of one width.
    var traits: UInt8 = 0

    /// What is said of a text; the first font, weight, colour and style count.
    enum Change {
        case font(Font?)
        case weight(Font.Weight?)
        case color(Color?)
        case style(_Style)
        case trait(UInt8, Bool)
    }

    func apply(_ change: Change) {
        switch change {
        case .font(let value): if font == nil { font = value }
        case .weight(let value): if weight == nil { weight = value }
        case .color(let value): if color == nil { color = value }
        case .style(let value): if style == nil { style = value }
        case .trait(let bit, true): traits |= bit
        case .trait(let bit, false): traits &= ~bit
        }
    }

    init() {}
    init(_ other: _TextLook?) {
        guard let other else { return }
        font = other.font
        weight = other.weight
        color = other.color
        style = other.style
        traits = other.traits
    }

    static func == (left: _TextLook, right: _TextLook) -> Bool {
        left.font == right.font && left.weight == right.weight && left.color == right.color
            && left.traits == right.traits
    }

    func write(_ e: _Emitter) {
        if let font { _FontModifier(font: font)._write(e) }
        if let weight { _FontWeightModifier(weight: weight)._write(e) }
        if let color { _ForegroundColorModifier(color: color)._write(e) }
        if let style { _ForegroundStyleModifier(style: style)._write(e) }
        if traits & 1 != 0 { _BoldModifier(isActive: true)._write(e) }
        if traits & 2 != 0 { _ItalicModifier(isActive: true)._write(e) }
        if traits & 4 != 0 { _UnderlineModifier(isActive: true, color: nil)._write(e) }
        if traits & 8 != 0 { _StrikethroughModifier(isActive: true, color: nil)._write(e) }
        if traits & 16 != 0 { _MonospacedDigitModifier()._write(e) }
    }
}

/// Text.
public struct Text: _Primitive, Equatable {
    var _first: _TextContent
    var look: _TextLook?
    /// Texts that follow in the same line.
    var more = _Nodes()

    final class Run: _Node {
        let text: Text
        init(_ text: Text) { self.text = text }
    }

    public static func == (left: Text, right: Text) -> Bool {
        guard left._first == right._first, left.look == right.look,
            left.more.count == right.more.count
        else { return false }
        for index in 0..<left.more.count
        where left.more.get(index, Run.self).text != right.more.get(index, Run.self).text {
            return false
        }
        return true
    }

    public init(_ key: LocalizedStringKey) { _first = key._content }
    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, comment: StaticString? = nil
    ) { _first = key._content }
    public init(verbatim content: String) {
        _first = _TextContent(key: content, isVerbatim: true, arguments: [])
    }
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) {
        self.init(verbatim: String(content))
    }

    public func _emit(_ e: _Emitter) {
        guard !more.isEmpty else { return emitOne(e) }
        let mark = e.open(_Op.textRunsView)
        emitOne(e)
        for index in 0..<more.count { more.get(index, Run.self).text._emit(e) }
        e.close(mark)
    }

    private func emitOne(_ e: _Emitter) {
        let mark = e.open(_Op.textView)
        _first._write(e)
        look?.write(e)
        e.close(mark)
    }

    public static func + (left: Text, right: Text) -> Text {
        var both = left
        both.more.append(Run(right))
        return both
    }

    /// Takes the text that it is called on, so that a chain of looks has one object.
    private consuming func changed(_ change: _TextLook.Change) -> Text {
        let look = own()
        look.apply(change)
        for index in 0..<more.count {
            more.set(index, Run(more.get(index, Run.self).text.changed(change)))
        }
        return self
    }

    /// A look that only this text has.
    private mutating func own() -> _TextLook {
        if isKnownUniquelyReferenced(&look), let look { return look }
        let made = _TextLook(look)
        look = made
        return made
    }

    public consuming func font(_ font: Font?) -> Text { changed(.font(font)) }
    public consuming func fontWeight(_ weight: Font.Weight?) -> Text { changed(.weight(weight)) }
    public consuming func foregroundColor(_ color: Color?) -> Text { changed(.color(color)) }
    public consuming func foregroundStyle<S: ShapeStyle>(_ style: S) -> Text {
        changed(.style(style._style))
    }
    public consuming func bold(_ isActive: Bool = true) -> Text { changed(.trait(1, isActive)) }
    public consuming func italic(_ isActive: Bool = true) -> Text { changed(.trait(2, isActive)) }
    public consuming func underline(_ isActive: Bool = true) -> Text {
        changed(.trait(4, isActive))
    }
    public consuming func strikethrough(_ isActive: Bool = true) -> Text {
        changed(.trait(8, isActive))
    }
    public consuming func monospacedDigit() -> Text { changed(.trait(16, true)) }
}

/// What an image shows.
public struct _ImageContent: Equatable {
    var isSymbol: Bool
    var name: String

    func _write(_ e: _Emitter) {
        e.bool(isSymbol)
        e.string(name)
    }
}

/// A picture of the app or a system symbol.
public struct Image: _Primitive {
    var content: _ImageContent
    var isResizable = false
    var mode: TemplateRenderingMode?

    public init(systemName: String) { content = _ImageContent(isSymbol: true, name: systemName) }
    public init(_ name: String) { content = _ImageContent(isSymbol: false, name: name) }
    public init(decorative name: String) { self.init(name) }

    public func resizable() -> Image {
        var image = self
        image.isResizable = true
        return image
    }

    public func renderingMode(_ mode: TemplateRenderingMode?) -> Image {
        var image = self
        image.mode = mode
        return image
    }

    public func _emit(_ e: _Emitter) {
        let mark = e.open(_Op.imageView)
        content._write(e)
        if isResizable { e.closeModifier(e.open(_Op.resizableModifier)) }
        if let mode {
            let inner = e.open(_Op.renderingModeModifier)
            e.u8(1)
            e.u8(mode.rawValue)
            e.closeModifier(inner)
        }
        e.close(mark)
    }
}
