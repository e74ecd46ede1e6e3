// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Colours, fonts, fills and shapes.

/// What fills a shape or colours a text.
public indirect enum _Style {
    case color(Color)
    case hierarchical(UInt8)
    case material(_MaterialKind)
    case tint
    case background
    case foreground
    case linear([Gradient.Stop], UnitPoint, UnitPoint)
    case radial([Gradient.Stop], UnitPoint, Double, Double)
    case angular([Gradient.Stop], UnitPoint, Angle)

    func _write(_ e: _Emitter) {
        switch self {
        case .color(let color):
            e.u8(0)
            color._write(e)
        case .hierarchical(let level):
            e.u8(1)
            e.u8(level)
        case .material(let kind):
            e.u8(2)
            e.u8(kind.rawValue)
        case .tint: e.u8(3)
        case .background: e.u8(4)
        case .foreground: e.u8(5)
        case .linear(let stops, let start, let end):
            e.u8(6)
            Gradient.write(stops, e)
            start._write(e)
            end._write(e)
        case .radial(let stops, let center, let start, let end):
            e.u8(7)
            Gradient.write(stops, e)
            center._write(e)
            e.f64(start)
            e.f64(end)
        case .angular(let stops, let center, let angle):
            e.u8(8)
            Gradient.write(stops, e)
            center._write(e)
            angle._write(e)
        }
    }
}

public protocol ShapeStyle {
    var _style: _Style { get }
}

/// A colour; as a view it fills the space it gets.
public struct Color: _Primitive, ShapeStyle, Hashable, Sendable {
    enum Base: Hashable, Sendable {
        case named(_ColorName)
        case rgb(Double, Double, Double)
        case asset(String)
    }

    public enum RGBColorSpace: Sendable { case sRGB, sRGBLinear, displayP3 }

    var base: Base
    var alpha: Double = 1

    init(_ base: Base, _ alpha: Double = 1) {
        self.base = base
        self.alpha = alpha
    }

    public init(_ name: String) { base = .asset(name) }
    public init(
        _ space: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double,
        opacity: Double = 1
    ) { self.init(.rgb(red, green, blue), opacity) }
    public init(_ space: RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {
        self.init(.rgb(white, white, white), opacity)
    }
    public init(hue: Double, saturation: Double, brightness: Double, opacity: Double = 1) {
        let sector = hue * 6
        func channel(_ n: Double) -> Double {
            var k = n + sector
            while k >= 6 { k -= 6 }
            return brightness - brightness * saturation * max(0, min(k, min(4 - k, 1)))
        }
        self.init(.rgb(channel(5), channel(3), channel(1)), opacity)
    }
    public init(uiColor: UIColor) { self = uiColor.color }
    public init(_ uiColor: UIColor) { self = uiColor.color }

    public func opacity(_ opacity: Double) -> Color { Color(base, alpha * opacity) }
    public var gradient: _Style { _Style.color(self) }
    public var _style: _Style { .color(self) }

    func _write(_ e: _Emitter) {
        switch base {
        case .named(let name):
            e.u8(0)
            e.u8(name.rawValue)
        case .rgb(let red, let green, let blue):
            e.u8(1)
            e.f64(red)
            e.f64(green)
            e.f64(blue)
        case .asset(let name):
            e.u8(2)
            e.string(name)
        }
        e.f64(alpha)
    }

    public func _emit(_ e: _Emitter) {
        let mark = e.open(_Op.colorView)
        _write(e)
        e.close(mark)
    }

    public static var clear: Color { Color(.named(.clear)) }
    public static var black: Color { Color(.named(.black)) }
    public static var white: Color { Color(.named(.white)) }
    public static var gray: Color { Color(.named(.gray)) }
    public static var red: Color { Color(.named(.red)) }
    public static var green: Color { Color(.named(.green)) }
    public static var blue: Color { Color(.named(.blue)) }
    public static var orange: Color { Color(.named(.orange)) }
    public static var yellow: Color { Color(.named(.yellow)) }
    public static var pink: Color { Color(.named(.pink)) }
    public static var purple: Color { Color(.named(.purple)) }
    public static var primary: Color { Color(.named(.primary)) }
    public static var secondary: Color { Color(.named(.secondary)) }
    public static var accentColor: Color { Color(.named(.accentColor)) }
    public static var mint: Color { Color(.named(.mint)) }
    public static var teal: Color { Color(.named(.teal)) }
    public static var cyan: Color { Color(.named(.cyan)) }
    public static var indigo: Color { Color(.named(.indigo)) }
    public static var brown: Color { Color(.named(.brown)) }
}

extension _Style: ShapeStyle { public var _style: _Style { self } }

/// A style of any kind.
public struct AnyShapeStyle: ShapeStyle {
    public let _style: _Style
    public init<S: ShapeStyle>(_ style: S) { _style = style._style }
}

extension ShapeStyle where Self == Color {
    public static var clear: Color { .init(.named(.clear)) }
    public static var black: Color { .init(.named(.black)) }
    public static var white: Color { .init(.named(.white)) }
    public static var gray: Color { .init(.named(.gray)) }
    public static var red: Color { .init(.named(.red)) }
    public static var green: Color { .init(.named(.green)) }
    public static var blue: Color { .init(.named(.blue)) }
    public static var orange: Color { .init(.named(.orange)) }
    public static var yellow: Color { .init(.named(.yellow)) }
    public static var pink: Color { .init(.named(.pink)) }
    public static var purple: Color { .init(.named(.purple)) }
    public static var mint: Color { .init(.named(.mint)) }
    public static var teal: Color { .init(.named(.teal)) }
    public static var cyan: Color { .init(.named(.cyan)) }
    public static var indigo: Color { .init(.named(.indigo)) }
    public static var brown: Color { .init(.named(.brown)) }
}

public struct HierarchicalShapeStyle: ShapeStyle {
    let level: UInt8
    public var _style: _Style { .hierarchical(level) }
}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: Self { .init(level: 0) }
    public static var secondary: Self { .init(level: 1) }
    public static var tertiary: Self { .init(level: 2) }
    public static var quaternary: Self { .init(level: 3) }
}

public struct Material: ShapeStyle {
    let kind: _MaterialKind
    public var _style: _Style { .material(kind) }
}
extension ShapeStyle where Self == Material {
    public static var ultraThinMaterial: Self { .init(kind: .ultraThin) }
    public static var thinMaterial: Self { .init(kind: .thin) }
    public static var regularMaterial: Self { .init(kind: .regular) }
    public static var thickMaterial: Self { .init(kind: .thick) }
    public static var ultraThickMaterial: Self { .init(kind: .ultraThick) }
    public static var bar: Self { .init(kind: .bar) }
}

public struct TintShapeStyle: ShapeStyle { public init() {}; public var _style: _Style { .tint } }
extension ShapeStyle where Self == TintShapeStyle {
    public static var tint: Self { .init() }
}
public struct BackgroundStyle: ShapeStyle {
    public init() {}
    public var _style: _Style { .background }
}
extension ShapeStyle where Self == BackgroundStyle {
    public static var background: Self { .init() }
}
public struct ForegroundStyle: ShapeStyle {
    public init() {}
    public var _style: _Style { .foreground }
}
extension ShapeStyle where Self == ForegroundStyle {
    public static var foreground: Self { .init() }
}

/// A colour as UIKit names it.
public struct UIColor {
    let color: Color
    private init(_ name: _ColorName) { color = Color(.named(name)) }
    public static var label: UIColor { .init(.label) }
    public static var secondaryLabel: UIColor { .init(.secondaryLabel) }
    public static var tertiaryLabel: UIColor { .init(.tertiaryLabel) }
    public static var systemBackground: UIColor { .init(.systemBackground) }
    public static var secondarySystemBackground: UIColor { .init(.secondarySystemBackground) }
    public static var tertiarySystemBackground: UIColor { .init(.tertiarySystemBackground) }
    public static var systemGroupedBackground: UIColor { .init(.systemGroupedBackground) }
    public static var secondarySystemGroupedBackground: UIColor {
        .init(.secondarySystemGroupedBackground)
    }
    public static var systemFill: UIColor { .init(.systemFill) }
    public static var quaternaryLabel: UIColor { .init(.quaternaryLabel) }
    public static var tertiarySystemGroupedBackground: UIColor {
        .init(.tertiarySystemGroupedBackground)
    }
    public static var secondarySystemFill: UIColor { .init(.secondarySystemFill) }
    public static var tertiarySystemFill: UIColor { .init(.tertiarySystemFill) }
    public static var opaqueSeparator: UIColor { .init(.opaqueSeparator) }
    public static var link: UIColor { .init(.link) }
    public static var placeholderText: UIColor { .init(.placeholderText) }
    public static var separator: UIColor { .init(.separator) }
    public static var systemGray: UIColor { .init(.gray) }
    public static var systemGray2: UIColor { .init(.systemGray2) }
    public static var systemGray3: UIColor { .init(.systemGray3) }
    public static var systemGray4: UIColor { .init(.systemGray4) }
    public static var systemGray5: UIColor { .init(.systemGray5) }
    public static var systemGray6: UIColor { .init(.systemGray6) }
    public static var systemRed: UIColor { .init(.red) }
    public static var systemBlue: UIColor { .init(.blue) }
    public static var systemGreen: UIColor { .init(.green) }
    public static var systemOrange: UIColor { .init(.orange) }
    public static var systemYellow: UIColor { .init(.yellow) }
}

// MARK: - Gradients

/// Colours along a line.
public struct Gradient {
    public struct Stop {
        public var color: Color
        public var location: CGFloat
        public init(color: Color, location: CGFloat) {
            self.color = color
            self.location = location
        }
    }

    public var stops: [Stop]
    public init(stops: [Stop]) { self.stops = stops }
    public init(colors: [Color]) {
        stops = []
        for (at, color) in colors.enumerated() {
            let share = colors.count > 1 ? CGFloat(at) / CGFloat(colors.count - 1) : 0
            stops.append(Stop(color: color, location: share))
        }
    }

    static func write(_ stops: [Stop], _ e: _Emitter) {
        e.u32(UInt32(stops.count))
        for stop in stops {
            stop.color._write(e)
            e.f64(_d(stop.location))
        }
    }
}

@inline(never) private func _emitGradient(_ style: _Style, _ e: _Emitter) {
    let mark = e.open(_Op.gradientView)
    style._write(e)
    e.close(mark)
}

public struct LinearGradient: _Primitive, ShapeStyle {
    public let _style: _Style
    public init(gradient: Gradient, startPoint: UnitPoint, endPoint: UnitPoint) {
        _style = .linear(gradient.stops, startPoint, endPoint)
    }
    public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {
        self.init(
            gradient: Gradient(colors: colors), startPoint: startPoint, endPoint: endPoint)
    }
    public init(stops: [Gradient.Stop], startPoint: UnitPoint, endPoint: UnitPoint) {
        self.init(gradient: Gradient(stops: stops), startPoint: startPoint, endPoint: endPoint)
    }
    public func _emit(_ e: _Emitter) { _emitGradient(_style, e) }
}

public struct RadialGradient: _Primitive, ShapeStyle {
    public let _style: _Style
    public init(
        gradient: Gradient, center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat
    ) { _style = .radial(gradient.stops, center, _d(startRadius), _d(endRadius)) }
    public init(colors: [Color], center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat) {
        self.init(
            gradient: Gradient(colors: colors), center: center, startRadius: startRadius,
            endRadius: endRadius)
    }
    public func _emit(_ e: _Emitter) { _emitGradient(_style, e) }
}

public struct AngularGradient: _Primitive, ShapeStyle {
    public let _style: _Style
    public init(gradient: Gradient, center: UnitPoint, angle: Angle = .zero) {
        _style = .angular(gradient.stops, center, angle)
    }
    public init(colors: [Color], center: UnitPoint) {
        self.init(gradient: Gradient(colors: colors), center: center)
    }
    public func _emit(_ e: _Emitter) { _emitGradient(_style, e) }
}

// MARK: - Shapes

/// The outline of a shape.
public enum _Shape {
    case rectangle
    case roundedRectangle(Double, Bool)
    case circle
    case capsule
    case ellipse

    func _write(_ e: _Emitter) {
        switch self {
        case .rectangle: e.u8(0)
        case .roundedRectangle(let radius, let isContinuous):
            e.u8(1)
            e.f64(radius)
            e.bool(isContinuous)
        case .circle: e.u8(2)
        case .capsule: e.u8(3)
        case .ellipse: e.u8(4)
        }
    }
}

public struct _Stroke {
    var style: _Style
    var line: StrokeStyle
    var isInner: Bool

    func _write(_ e: _Emitter) {
        style._write(e)
        e.f64(_d(line.lineWidth))
        e.u32(UInt32(line.dash.count))
        for dash in line.dash { e.f64(_d(dash)) }
        e.bool(isInner)
    }
}

public struct StrokeStyle {
    public var lineWidth: CGFloat
    public var lineCap: CGLineCap
    public var lineJoin: CGLineJoin
    public var dash: [CGFloat]
    public init(
        lineWidth: CGFloat = 1, lineCap: CGLineCap = .butt, lineJoin: CGLineJoin = .miter,
        miterLimit: CGFloat = 10, dash: [CGFloat] = [], dashPhase: CGFloat = 0
    ) {
        self.lineWidth = lineWidth
        self.lineCap = lineCap
        self.lineJoin = lineJoin
        self.dash = dash
    }
}

public protocol Shape: View {
    var _shape: _Shape { get }
}
public protocol InsettableShape: Shape {}

/// A shape with a fill or a line, or as it is.
public struct _DrawnShape: _Primitive {
    var shape: _Shape
    var fill: _Style?
    var stroke: _Stroke?

    public func _emit(_ e: _Emitter) {
        let mark = e.open(_Op.shapeView)
        shape._write(e)
        if let fill {
            e.u8(1)
            fill._write(e)
        } else {
            e.u8(0)
        }
        if let stroke {
            e.u8(1)
            stroke._write(e)
        } else {
            e.u8(0)
        }
        e.close(mark)
    }
}

extension Shape {
    public var body: Never { _noBody() }
    public func _emit(_ e: _Emitter) {
        _DrawnShape(shape: _shape, fill: .foreground, stroke: nil)._emit(e)
    }
    public func fill<S: ShapeStyle>(_ style: S) -> _DrawnShape {
        _DrawnShape(shape: _shape, fill: style._style, stroke: nil)
    }
    public func fill() -> _DrawnShape {
        _DrawnShape(shape: _shape, fill: .foreground, stroke: nil)
    }
    public func stroke<S: ShapeStyle>(_ style: S, lineWidth: CGFloat = 1) -> _DrawnShape {
        stroke(style, style: StrokeStyle(lineWidth: lineWidth))
    }
    public func stroke<S: ShapeStyle>(_ style: S, style line: StrokeStyle) -> _DrawnShape {
        let stroke = _Stroke(style: style._style, line: line, isInner: false)
        return _DrawnShape(shape: _shape, fill: nil, stroke: stroke)
    }
    public func stroke(lineWidth: CGFloat = 1) -> _DrawnShape {
        let line = StrokeStyle(lineWidth: lineWidth)
        let stroke = _Stroke(style: .foreground, line: line, isInner: false)
        return _DrawnShape(shape: _shape, fill: nil, stroke: stroke)
    }
}

extension InsettableShape {
    public func strokeBorder<S: ShapeStyle>(_ style: S, lineWidth: CGFloat = 1) -> _DrawnShape {
        strokeBorder(style, style: StrokeStyle(lineWidth: lineWidth))
    }
    public func strokeBorder<S: ShapeStyle>(_ style: S, style line: StrokeStyle) -> _DrawnShape {
        let stroke = _Stroke(style: style._style, line: line, isInner: true)
        return _DrawnShape(shape: _shape, fill: nil, stroke: stroke)
    }
}

extension _DrawnShape {
    public func stroke<S: ShapeStyle>(_ style: S, lineWidth: CGFloat = 1) -> _DrawnShape {
        let line = StrokeStyle(lineWidth: lineWidth)
        return _DrawnShape(
            shape: shape, fill: fill,
            stroke: _Stroke(style: style._style, line: line, isInner: false))
    }
}

public enum RoundedCornerStyle: Sendable { case circular, continuous }

public struct Rectangle: InsettableShape {
    public init() {}
    public var _shape: _Shape { .rectangle }
}
public struct RoundedRectangle: InsettableShape {
    public let _shape: _Shape
    public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {
        _shape = .roundedRectangle(_d(cornerRadius), style == .continuous)
    }
}
public struct Circle: InsettableShape {
    public init() {}
    public var _shape: _Shape { .circle }
}
public struct Capsule: InsettableShape {
    public init(style: RoundedCornerStyle = .continuous) {}
    public var _shape: _Shape { .capsule }
}
public struct Ellipse: InsettableShape {
    public init() {}
    public var _shape: _Shape { .ellipse }
}

extension Shape where Self == Rectangle { public static var rect: Self { .init() } }
extension Shape where Self == Circle { public static var circle: Self { .init() } }
extension Shape where Self == Capsule { public static var capsule: Self { .init() } }
extension Shape where Self == RoundedRectangle {
    public static func rect(cornerRadius: CGFloat) -> Self { .init(cornerRadius: cornerRadius) }
}

// MARK: - Fonts

/// A font.
public struct Font: Hashable, Sendable {
    enum Base: Hashable, Sendable {
        case style(TextStyle)
        case system(Double)
        case custom(String, Double)
    }

    var base: Base
    var weight: Weight?
    var design: Design?
    /// 1 italic, 2 digits of one width, 4 small capitals.
    var traits: UInt8 = 0

    public static func system(
        size: CGFloat, weight: Weight? = nil, design: Design? = nil
    ) -> Font { Font(base: .system(_d(size)), weight: weight, design: design) }
    public static func system(
        _ style: TextStyle, design: Design? = nil, weight: Weight? = nil
    ) -> Font { Font(base: .style(style), weight: weight, design: design) }
    public static func custom(_ name: String, size: CGFloat) -> Font {
        Font(base: .custom(name, _d(size)))
    }
    public static func custom(_ name: String, size: CGFloat, relativeTo: TextStyle) -> Font {
        Font(base: .custom(name, _d(size)))
    }

    public static var largeTitle: Font { Font(base: .style(.largeTitle)) }
    public static var title: Font { Font(base: .style(.title)) }
    public static var title2: Font { Font(base: .style(.title2)) }
    public static var title3: Font { Font(base: .style(.title3)) }
    public static var headline: Font { Font(base: .style(.headline)) }
    public static var subheadline: Font { Font(base: .style(.subheadline)) }
    public static var body: Font { Font(base: .style(.body)) }
    public static var callout: Font { Font(base: .style(.callout)) }
    public static var footnote: Font { Font(base: .style(.footnote)) }
    public static var caption: Font { Font(base: .style(.caption)) }
    public static var caption2: Font { Font(base: .style(.caption2)) }

    private func changed(_ change: (inout Font) -> Void) -> Font {
        var font = self
        change(&font)
        return font
    }
    public func bold() -> Font { changed { $0.weight = .bold } }
    public func weight(_ weight: Weight) -> Font { changed { $0.weight = weight } }
    public func italic() -> Font { changed { $0.traits |= 1 } }
    public func monospacedDigit() -> Font { changed { $0.traits |= 2 } }
    public func smallCaps() -> Font { changed { $0.traits |= 4 } }
    public func monospaced() -> Font { changed { $0.design = .monospaced } }

    func _write(_ e: _Emitter) {
        switch base {
        case .style(let style):
            e.u8(0)
            e.u8(style.rawValue)
        case .system(let size):
            e.u8(1)
            e.f64(size)
        case .custom(let name, let size):
            e.u8(2)
            e.string(name)
            e.f64(size)
        }
        e.u8(weight?.rawValue ?? 255)
        e.u8(design?.rawValue ?? 255)
        e.u8(traits)
    }
}
