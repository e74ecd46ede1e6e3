// Arguments of views and modifiers that are more than a number, each with its form on the wire.

extension Tree {
    /// What a text says: a key with typed arguments, for the host to translate and format.
    public struct TextContent: Equatable, Sendable {
        /// An argument of the key's format.
        public enum Argument: Equatable, Sendable {
            /// For `%lld`.
            case int(Int64)
            /// For `%llu`.
            case uint(UInt64)
            /// For `%lf`.
            case double(Double)
            /// For `%@`.
            case string(String)
            /// For `%@`: a key itself.
            case key(String)
        }

        /// Whether the key is the text as it is, not to be translated.
        public var isVerbatim: Bool
        /// The key: text with formats, or the text.
        public var key: String
        /// Values of the formats.
        public var arguments: [Argument]

        /// A text.
        public init(key: String, isVerbatim: Bool = false, arguments: [Argument] = []) {
            self.key = key
            self.isVerbatim = isVerbatim
            self.arguments = arguments
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            isVerbatim = try r.bool()
            key = try r.string()
            let count = try r.count(ofSize: 5)
            arguments = []
            for _ in 0..<count {
                let start = r.offset
                switch try r.u8() {
                case 0: arguments.append(.int(Int64(try r.int())))
                case 1: arguments.append(.uint(try r.u64()))
                case 2: arguments.append(.double(try r.double()))
                case 3: arguments.append(.string(try r.string()))
                case 4: arguments.append(.key(try r.string()))
                default: throw TreeError(.badValue, at: start)
                }
            }
        }

        func write(_ w: inout TreeWriter) {
            w.bool(isVerbatim)
            w.string(key)
            w.u32(UInt32(clamping: arguments.count))
            for argument in arguments {
                switch argument {
                case .int(let value):
                    w.u8(0)
                    w.int(Int(value))
                case .uint(let value):
                    w.u8(1)
                    w.u64(value)
                case .double(let value):
                    w.u8(2)
                    w.double(value)
                case .string(let value):
                    w.u8(3)
                    w.string(value)
                case .key(let value):
                    w.u8(4)
                    w.string(value)
                }
            }
        }
    }

    /// What an image shows.
    public struct ImageContent: Equatable, Sendable {
        /// Where it comes from.
        public enum Source: Equatable, Sendable {
            /// A picture of the app.
            case asset(String)
            /// A system symbol.
            case symbol(String)
        }

        /// Where it comes from.
        public var source: Source
        /// An image.
        public init(source: Source) { self.source = source }

        init(_ r: inout TreeReader) throws(TreeError) {
            let isSymbol = try r.bool()
            let name = try r.string()
            source = isSymbol ? .symbol(name) : .asset(name)
        }

        func write(_ w: inout TreeWriter) {
            switch source {
            case .asset(let name):
                w.bool(false)
                w.string(name)
            case .symbol(let name):
                w.bool(true)
                w.string(name)
            }
        }
    }

    /// A colour.
    public struct Color: Equatable, Sendable {
        /// The colour without its opacity.
        public enum Base: Equatable, Sendable {
            /// A colour of the system.
            case named(ColorName)
            /// Red, green and blue from 0 to 1, in sRGB.
            case rgb(Double, Double, Double)
            /// A colour of the app.
            case asset(String)
        }

        /// The colour without its opacity.
        public var base: Base
        /// From 0 to 1.
        public var opacity: Double

        /// A colour.
        public init(base: Base, opacity: Double = 1) {
            self.base = base
            self.opacity = opacity
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            let start = r.offset
            switch try r.u8() {
            case 0: base = .named(try r.enumeration(ColorName.self))
            case 1: base = .rgb(try r.double(), try r.double(), try r.double())
            case 2: base = .asset(try r.string())
            default: throw TreeError(.badValue, at: start)
            }
            opacity = try r.double()
        }

        func write(_ w: inout TreeWriter) {
            switch base {
            case .named(let name):
                w.u8(0)
                w.u8(name.rawValue)
            case .rgb(let red, let green, let blue):
                w.u8(1)
                w.double(red)
                w.double(green)
                w.double(blue)
            case .asset(let name):
                w.u8(2)
                w.string(name)
            }
            w.double(opacity)
        }
    }

    /// A font.
    public struct Font: Equatable, Sendable {
        /// The family and size.
        public enum Base: Equatable, Sendable {
            /// A style of the system, which grows with the type size.
            case style(FontStyle)
            /// The system's font in points.
            case system(Double)
            /// A font of the app in points.
            case custom(String, Double)
        }

        /// The family and size.
        public var base: Base
        /// The weight, if other than the base's own.
        public var weight: FontWeight?
        /// The design, if other than the default.
        public var design: FontDesign?
        /// 1 italic, 2 digits of one width, 4 small capitals.
        public var traits: UInt8

        /// A font.
        public init(
            base: Base, weight: FontWeight? = nil, design: FontDesign? = nil, traits: UInt8 = 0
        ) {
            self.base = base
            self.weight = weight
            self.design = design
            self.traits = traits
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            let start = r.offset
            switch try r.u8() {
            case 0: base = .style(try r.enumeration(FontStyle.self))
            case 1: base = .system(try r.double())
            case 2: base = .custom(try r.string(), try r.double())
            default: throw TreeError(.badValue, at: start)
            }
            let weight = try r.u8()
            let design = try r.u8()
            self.weight = FontWeight(rawValue: weight)
            self.design = FontDesign(rawValue: design)
            guard self.weight != nil || weight == 255, self.design != nil || design == 255 else {
                throw TreeError(.badValue, at: start)
            }
            traits = try r.u8()
        }

        func write(_ w: inout TreeWriter) {
            switch base {
            case .style(let style):
                w.u8(0)
                w.u8(style.rawValue)
            case .system(let size):
                w.u8(1)
                w.double(size)
            case .custom(let name, let size):
                w.u8(2)
                w.string(name)
                w.double(size)
            }
            w.u8(weight?.rawValue ?? 255)
            w.u8(design?.rawValue ?? 255)
            w.u8(traits)
        }
    }

    /// When something moves, and how.
    public struct Animation: Equatable, Sendable {
        /// How it begins and ends.
        public var curve: AnimationCurve
        /// Seconds, if other than the system's own.
        public var duration: Double?

        /// An animation.
        public init(curve: AnimationCurve, duration: Double? = nil) {
            self.curve = curve
            self.duration = duration
        }

        init(_ r: inout TreeReader) throws(TreeError) {
            curve = try r.enumeration(AnimationCurve.self)
            duration = try r.bool() ? try r.double() : nil
        }

        func write(_ w: inout TreeWriter) {
            w.u8(curve.rawValue)
            w.bool(duration != nil)
            if let duration { w.double(duration) }
        }
    }
}
