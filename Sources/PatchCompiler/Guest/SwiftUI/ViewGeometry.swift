// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// Where views stand and how large they are.

public struct Alignment: Hashable, Sendable {
    public var horizontal: HorizontalAlignment
    public var vertical: VerticalAlignment
    public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
        self.horizontal = horizontal
        self.vertical = vertical
    }
    func _write(_ e: _Emitter) {
        e.u8(horizontal.rawValue)
        e.u8(vertical.rawValue)
    }
    public static var center: Alignment { .init(horizontal: .center, vertical: .center) }
    public static var top: Alignment { .init(horizontal: .center, vertical: .top) }
    public static var bottom: Alignment { .init(horizontal: .center, vertical: .bottom) }
    public static var leading: Alignment { .init(horizontal: .leading, vertical: .center) }
    public static var trailing: Alignment { .init(horizontal: .trailing, vertical: .center) }
    public static var topLeading: Alignment { .init(horizontal: .leading, vertical: .top) }
    public static var topTrailing: Alignment { .init(horizontal: .trailing, vertical: .top) }
    public static var bottomLeading: Alignment { .init(horizontal: .leading, vertical: .bottom) }
    public static var bottomTrailing: Alignment { .init(horizontal: .trailing, vertical: .bottom) }
}

public struct EdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat
    public init(
        top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0
    ) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }
    func _write(_ e: _Emitter) {
        e.f64(_d(top))
        e.f64(_d(leading))
        e.f64(_d(bottom))
        e.f64(_d(trailing))
    }
}

public struct UnitPoint: Hashable, Sendable {
    public var x: CGFloat
    public var y: CGFloat
    public init(x: CGFloat = 0, y: CGFloat = 0) {
        self.x = x
        self.y = y
    }
    func _write(_ e: _Emitter) {
        e.f64(_d(x))
        e.f64(_d(y))
    }
    public static var zero: UnitPoint { .init() }
    public static var center: UnitPoint { .init(x: 0.5, y: 0.5) }
    public static var top: UnitPoint { .init(x: 0.5, y: 0) }
    public static var bottom: UnitPoint { .init(x: 0.5, y: 1) }
    public static var leading: UnitPoint { .init(x: 0, y: 0.5) }
    public static var trailing: UnitPoint { .init(x: 1, y: 0.5) }
    public static var topLeading: UnitPoint { .init(x: 0, y: 0) }
    public static var topTrailing: UnitPoint { .init(x: 1, y: 0) }
    public static var bottomLeading: UnitPoint { .init(x: 0, y: 1) }
    public static var bottomTrailing: UnitPoint { .init(x: 1, y: 1) }
}

public struct Angle: Hashable, Comparable, Sendable {
    public var radians: Double
    public init(radians: Double) { self.radians = radians }
    public init(degrees: Double) { radians = degrees * Double.pi / 180 }
    public var degrees: Double { radians * 180 / Double.pi }
    public static func degrees(_ value: Double) -> Angle { Angle(degrees: value) }
    public static func radians(_ value: Double) -> Angle { Angle(radians: value) }
    public static var zero: Angle { Angle(radians: 0) }
    public static func < (left: Angle, right: Angle) -> Bool { left.radians < right.radians }
    func _write(_ e: _Emitter) { e.f64(radians) }
}

#if hasFeature(Embedded)
    /// A size in points.
    public struct CGSize: Hashable, Sendable {
        public var width: CGFloat
        public var height: CGFloat
        public init(width: CGFloat, height: CGFloat) {
            self.width = width
            self.height = height
        }
        public static var zero: CGSize { CGSize(width: 0, height: 0) }
    }
    /// A place in points.
    public struct CGPoint: Hashable, Sendable {
        public var x: CGFloat
        public var y: CGFloat
        public init(x: CGFloat, y: CGFloat) {
            self.x = x
            self.y = y
        }
        public static var zero: CGPoint { CGPoint(x: 0, y: 0) }
    }
    /// Where something is found: kept as the text that it was made from.
    public struct URL: Hashable, Sendable {
        public let absoluteString: String
        public init?(string: String) {
            guard !string.isEmpty else { return nil }
            absoluteString = string
        }
    }
#endif

public struct GridItem {
    public enum Size {
        case fixed(CGFloat)
        case flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity)
        case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
    }
    var size: Size
    var spacing: CGFloat?
    public init(
        _ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil
    ) {
        self.size = size
        self.spacing = spacing
    }
}

extension Array where Element == GridItem {
    func _write(_ e: _Emitter) {
        e.u32(UInt32(count))
        for item in self {
            switch item.size {
            case .fixed(let size):
                e.u8(0)
                e.f64(_d(size))
            case .flexible(let minimum, let maximum):
                e.u8(1)
                e.f64(_d(minimum))
                e.f64(_d(maximum))
            case .adaptive(let minimum, let maximum):
                e.u8(2)
                e.f64(_d(minimum))
                e.f64(_d(maximum))
            }
        }
    }
}

public struct PinnedScrollableViews: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let sectionHeaders = PinnedScrollableViews(rawValue: 1)
    public static let sectionFooters = PinnedScrollableViews(rawValue: 2)
}

extension Edge.Set {
    public static var all: Edge.Set { [.top, .leading, .bottom, .trailing] }
    public static var horizontal: Edge.Set { [.leading, .trailing] }
    public static var vertical: Edge.Set { [.top, .bottom] }
}

public enum NavigationBarItem {}

/// The space that a view is offered.
public struct GeometryProxy {
    public let size: CGSize
    public var safeAreaInsets: EdgeInsets { EdgeInsets() }

    /// What the host says of the screen.
    static var ofScreen: GeometryProxy {
        let size = _surroundings.values.size
        return GeometryProxy(
            size: CGSize(width: CGFloat(size.width), height: CGFloat(size.height)))
    }
}

/// Content that depends on its space. The host says how large a screen is; a reader inside of it
/// gets that size until the host can ask again with the reader's own.
public struct GeometryReader: _Primitive {
    let content: (GeometryProxy) -> _Block
    public init<V: View>(@ViewBuilder content: @escaping (GeometryProxy) -> V) {
        self.content = { _Block(content($0)) }
    }
    public func _emit(_ e: _Emitter) {
        let inner = content(.ofScreen)
        _FrameFlexibleModifier.filling(inner, e)
    }
}

extension _FrameFlexibleModifier {
    static func filling(_ content: _Block, _ e: _Emitter) {
        let change = _FrameFlexibleModifier(
            minWidth: nil, idealWidth: nil, maxWidth: .infinity, minHeight: nil, idealHeight: nil,
            maxHeight: .infinity, alignment: .topLeading)
        _Modified(content, change)._emit(e)
    }
}

// MARK: - Animation

public struct Animation: Hashable, Sendable {
    var curve: _AnimationCurve
    var duration: Double?

    func _write(_ e: _Emitter) {
        e.u8(curve.rawValue)
        if let duration {
            e.u8(1)
            e.f64(duration)
        } else {
            e.u8(0)
        }
    }

    public static var `default`: Animation { .init(curve: .default) }
    public static var linear: Animation { .init(curve: .linear) }
    public static var easeIn: Animation { .init(curve: .easeIn) }
    public static var easeOut: Animation { .init(curve: .easeOut) }
    public static var easeInOut: Animation { .init(curve: .easeInOut) }
    public static var spring: Animation { .init(curve: .spring) }
    public static func linear(duration: Double) -> Animation {
        .init(curve: .linear, duration: duration)
    }
    public static func easeIn(duration: Double) -> Animation {
        .init(curve: .easeIn, duration: duration)
    }
    public static func easeOut(duration: Double) -> Animation {
        .init(curve: .easeOut, duration: duration)
    }
    public static func easeInOut(duration: Double) -> Animation {
        .init(curve: .easeInOut, duration: duration)
    }
    public static func spring(
        response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: Double = 0
    ) -> Animation { .init(curve: .spring, duration: response) }
    public static func interactiveSpring() -> Animation { .init(curve: .spring) }
}

/// Runs `body`; what it changes moves to its new place.
public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () -> Result
) -> Result { body() }

/// How a view comes and goes.
public struct AnyTransition: Sendable {
    public static var opacity: AnyTransition { .init() }
    public static var slide: AnyTransition { .init() }
    public static var scale: AnyTransition { .init() }
    public static var identity: AnyTransition { .init() }
    public static func move(edge: Edge) -> AnyTransition { .init() }
    public func combined(with other: AnyTransition) -> AnyTransition { self }
    public static func asymmetric(
        insertion: AnyTransition, removal: AnyTransition
    ) -> AnyTransition { insertion }
}
