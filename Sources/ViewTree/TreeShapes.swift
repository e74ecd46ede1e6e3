// Shapes, fills and places: arguments of views and modifiers, each with its form on the wire.

extension Tree {
    /// A colour at a place of a gradient.
    public struct GradientStop: Equatable, Sendable {
        /// The colour.
        public var color: Color
        /// From 0 to 1.
        public var location: Double
        /// A stop.
        public init(color: Color, location: Double) {
            self.color = color
            self.location = location
        }

        static func read(_ r: inout TreeReader) throws(TreeError) -> [GradientStop] {
            let count = try r.count(ofSize: 18)
            var stops: [GradientStop] = []
            for _ in 0..<count {
                let color = try Color(&r)
                stops.append(GradientStop(color: color, location: try r.double()))
            }
            return stops
        }

        static func write(_ stops: [GradientStop], _ w: inout TreeWriter) {
            w.u32(UInt32(clamping: stops.count))
            for stop in stops {
                stop.color.write(&w)
                w.double(stop.location)
            }
        }
    }

    /// What fills a shape or colours a text.
    public enum Style: Equatable, Sendable {
        /// One colour.
        case color(Color)
        /// The foreground in a level of emphasis, 0 the strongest.
        case hierarchical(UInt8)
        /// Blurred glass.
        case material(MaterialKind)
        /// The tint of the surroundings.
        case tint
        /// The background of the surroundings.
        case background
        /// The foreground of the surroundings.
        case foreground
        /// Along a line.
        case linear([GradientStop], start: UnitPoint, end: UnitPoint)
        /// From a centre out, between two radii in points.
        case radial([GradientStop], center: UnitPoint, start: Double, end: Double)
        /// Around a centre.
        case angular([GradientStop], center: UnitPoint, angle: Angle)

        init(_ r: inout TreeReader) throws(TreeError) {
            let start = r.offset
            switch try r.u8() {
            case 0: self = .color(try Color(&r))
            case 1: self = .hierarchical(try r.u8())
            case 2: self = .material(try r.enumeration(MaterialKind.self))
            case 3: self = .tint
            case 4: self = .background
            case 5: self = .foreground
            case 6:
                self = .linear(
                    try GradientStop.read(&r), start: try UnitPoint(&r), end: try UnitPoint(&r))
            case 7:
                self = .radial(
                    try GradientStop.read(&r), center: try UnitPoint(&r), start: try r.double(),
                    end: try r.double())
            case 8:
                self = .angular(
                    try GradientStop.read(&r), center: try UnitPoint(&r), angle: try Angle(&r))
            default: throw TreeError(.badValue, at: start)
            }
        }

        func write(_ w: inout TreeWriter) {
            switch self {
            case .color(let color):
                w.u8(0)
                color.write(&w)
            case .hierarchical(let level):
                w.u8(1)
                w.u8(level)
            case .material(let kind):
                w.u8(2)
                w.u8(kind.rawValue)
            case .tint: w.u8(3)
            case .background: w.u8(4)
            case .foreground: w.u8(5)
            case .linear(let stops, let start, let end):
                w.u8(6)
                GradientStop.write(stops, &w)
                start.write(&w)
                end.write(&w)
            case .radial(let stops, let center, let start, let end):
                w.u8(7)
                GradientStop.write(stops, &w)
                center.write(&w)
                w.double(start)
                w.double(end)
            case .angular(let stops, let center, let angle):
                w.u8(8)
                GradientStop.write(stops, &w)
                center.write(&w)
                angle.write(&w)
            }
        }
    }

    /// An outline.
    public enum Shape: Equatable, Sendable {
        /// Four corners.
        case rectangle
        /// Corners rounded with a radius in points.
        case roundedRectangle(Double, isContinuous: Bool)
        /// As large as fits.
        case circle
        /// Round at the short ends.
        case capsule
        /// Round.
        case ellipse

        init(_ r: inout TreeReader) throws(TreeError) {
            let start = r.offset
            switch try r.u8() {
            case 0: self = .rectangle
            case 1: self = .roundedRectangle(try r.double(), isContinuous: try r.bool())
            case 2: self = .circle
            case 3: self = .capsule
            case 4: self = .ellipse
            default: throw TreeError(.badValue, at: start)
            }
        }

        func write(_ w: inout TreeWriter) {
            switch self {
            case .rectangle: w.u8(0)
            case .roundedRectangle(let radius, let isContinuous):
                w.u8(1)
                w.double(radius)
                w.bool(isContinuous)
            case .circle: w.u8(2)
            case .capsule: w.u8(3)
            case .ellipse: w.u8(4)
            }
        }
    }

    /// A line along an outline.
    public struct Stroke: Equatable, Sendable {
        /// Its colour.
        public var style: Style
        /// Its width in points.
        public var lineWidth: Double
        /// Lengths of dashes and gaps in points; none for a line without gaps.
        public var dash: [Double]
        /// Whether it lies inside of the outline, not on it.
        public var isInner: Bool

        /// A line.
        public init(style: Style, lineWidth: Double, dash: [Double] = [], isInner: Bool = false) {
            self.style = style
            self.lineWidth = lineWidth
            self.dash = dash
            self.isInner = isInner
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            style = try Style(&r)
            lineWidth = try r.double()
            let count = try r.count(ofSize: 8)
            dash = []
            for _ in 0..<count { dash.append(try r.double()) }
            isInner = try r.bool()
        }

        func write(_ w: inout TreeWriter) {
            style.write(&w)
            w.double(lineWidth)
            w.u32(UInt32(clamping: dash.count))
            for length in dash { w.double(length) }
            w.bool(isInner)
        }
    }

    /// Distances from four edges, in points.
    public struct Insets: Equatable, Sendable {
        /// From the top.
        public var top: Double
        /// From where lines begin.
        public var leading: Double
        /// From the bottom.
        public var bottom: Double
        /// From where lines end.
        public var trailing: Double

        /// Distances.
        public init(top: Double, leading: Double, bottom: Double, trailing: Double) {
            self.top = top
            self.leading = leading
            self.bottom = bottom
            self.trailing = trailing
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            top = try r.double()
            leading = try r.double()
            bottom = try r.double()
            trailing = try r.double()
        }

        func write(_ w: inout TreeWriter) {
            w.double(top)
            w.double(leading)
            w.double(bottom)
            w.double(trailing)
        }
    }

    /// A place in a frame, by both axes.
    public struct Alignment: Equatable, Sendable {
        /// Along lines.
        public var horizontal: HorizontalAlignment
        /// Across lines.
        public var vertical: VerticalAlignment

        /// A place.
        public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
            self.horizontal = horizontal
            self.vertical = vertical
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            horizontal = try r.enumeration(HorizontalAlignment.self)
            vertical = try r.enumeration(VerticalAlignment.self)
        }

        func write(_ w: inout TreeWriter) {
            w.u8(horizontal.rawValue)
            w.u8(vertical.rawValue)
        }
    }

    /// A place in a frame, from 0 to 1 by both axes.
    public struct UnitPoint: Equatable, Sendable {
        /// From where lines begin.
        public var x: Double
        /// From the top.
        public var y: Double

        /// A place.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            x = try r.double()
            y = try r.double()
        }

        func write(_ w: inout TreeWriter) {
            w.double(x)
            w.double(y)
        }
    }

    /// An angle.
    public struct Angle: Equatable, Sendable {
        /// In radians.
        public var radians: Double
        /// An angle.
        public init(radians: Double) { self.radians = radians }
        init(_ r: inout TreeReader) throws(TreeError) { radians = try r.double() }
        func write(_ w: inout TreeWriter) { w.double(radians) }
    }

    /// The columns of a grid.
    public struct GridItems: Equatable, Sendable {
        /// How wide a column is, in points.
        public enum Item: Equatable, Sendable {
            /// Just so.
            case fixed(Double)
            /// Between two widths.
            case flexible(Double, Double)
            /// As many columns as fit, each between two widths.
            case adaptive(Double, Double)
        }

        /// The columns.
        public var items: [Item]
        /// Columns.
        public init(items: [Item]) { self.items = items }

        init(_ r: inout TreeReader) throws(TreeError) {
            let count = try r.count(ofSize: 9)
            items = []
            for _ in 0..<count {
                let start = r.offset
                switch try r.u8() {
                case 0: items.append(.fixed(try r.double()))
                case 1: items.append(.flexible(try r.double(), try r.double()))
                case 2: items.append(.adaptive(try r.double(), try r.double()))
                default: throw TreeError(.badValue, at: start)
                }
            }
        }

        func write(_ w: inout TreeWriter) {
            w.u32(UInt32(clamping: items.count))
            for item in items {
                switch item {
                case .fixed(let size):
                    w.u8(0)
                    w.double(size)
                case .flexible(let minimum, let maximum):
                    w.u8(1)
                    w.double(minimum)
                    w.double(maximum)
                case .adaptive(let minimum, let maximum):
                    w.u8(2)
                    w.double(minimum)
                    w.double(maximum)
                }
            }
        }
    }
}
