#if canImport(SwiftUI) && !os(macOS) && !os(tvOS) && !os(watchOS)

    import Foundation
    import SwiftUI
    import ViewTree

    // Values of the tree as SwiftUI's. Enums are in Vocabulary.generated.swift.

    func points(_ value: Double) -> CGFloat { CGFloat(value) }
    func points(_ value: Double?) -> CGFloat? { value.map { CGFloat($0) } }

    func apple(_ value: Tree.Alignment) -> Alignment {
        Alignment(horizontal: apple(value.horizontal), vertical: apple(value.vertical))
    }

    func apple(_ value: Tree.Insets) -> EdgeInsets {
        EdgeInsets(
            top: points(value.top), leading: points(value.leading),
            bottom: points(value.bottom), trailing: points(value.trailing))
    }

    func apple(_ value: Tree.UnitPoint) -> UnitPoint {
        UnitPoint(x: points(value.x), y: points(value.y))
    }

    func apple(_ value: Tree.Angle) -> Angle { Angle(radians: value.radians) }

    func apple(_ value: Tree.GridItems) -> [GridItem] {
        value.items.map { item in
            switch item {
            case .fixed(let size): return GridItem(.fixed(points(size)))
            case .flexible(let minimum, let maximum):
                return GridItem(.flexible(minimum: points(minimum), maximum: points(maximum)))
            case .adaptive(let minimum, let maximum):
                return GridItem(.adaptive(minimum: points(minimum), maximum: points(maximum)))
            }
        }
    }

    func apple(_ value: Tree.Animation) -> Animation {
        let seconds = value.duration
        switch value.curve {
        case .default: return .default
        case .linear: return seconds.map { .linear(duration: $0) } ?? .linear
        case .easeIn: return seconds.map { .easeIn(duration: $0) } ?? .easeIn
        case .easeOut: return seconds.map { .easeOut(duration: $0) } ?? .easeOut
        case .easeInOut: return seconds.map { .easeInOut(duration: $0) } ?? .easeInOut
        case .spring: return .spring()
        }
    }

    func apple(_ value: Tree.Font) -> Font {
        var font: Font
        switch value.base {
        case .style(let style):
            font = .system(apple(style), design: value.design.map(apple) ?? .default)
        case .system(let size):
            font = .system(
                size: points(size), weight: value.weight.map(apple) ?? .regular,
                design: value.design.map(apple) ?? .default)
        case .custom(let name, let size): font = .custom(name, size: points(size))
        }
        if let weight = value.weight { font = font.weight(apple(weight)) }
        return value.traits & 1 == 0 ? font : font.italic()
    }

    func apple(_ value: Tree.Style) -> AnyShapeStyle {
        func gradient(_ stops: [Tree.GradientStop]) -> Gradient {
            Gradient(
                stops: stops.map {
                    Gradient.Stop(color: apple($0.color), location: points($0.location))
                })
        }
        switch value {
        case .color(let color): return AnyShapeStyle(apple(color))
        case .hierarchical(let level):
            switch level {
            case 0: return AnyShapeStyle(.primary)
            case 1: return AnyShapeStyle(.secondary)
            case 2: return AnyShapeStyle(.tertiary)
            default: return AnyShapeStyle(.quaternary)
            }
        case .material(let kind): return AnyShapeStyle(apple(kind))
        case .tint: return AnyShapeStyle(.tint)
        case .background: return AnyShapeStyle(.background)
        case .foreground: return AnyShapeStyle(.foreground)
        case .linear(let stops, let start, let end):
            return AnyShapeStyle(
                LinearGradient(
                    gradient: gradient(stops), startPoint: apple(start), endPoint: apple(end)))
        case .radial(let stops, let center, let start, let end):
            return AnyShapeStyle(
                RadialGradient(
                    gradient: gradient(stops), center: apple(center), startRadius: points(start),
                    endRadius: points(end)))
        case .angular(let stops, let center, let angle):
            return AnyShapeStyle(
                AngularGradient(
                    gradient: gradient(stops), center: apple(center), angle: apple(angle)))
        }
    }

    func apple(_ value: Tree.MaterialKind) -> Material {
        switch value {
        case .ultraThin: return .ultraThinMaterial
        case .thin: return .thinMaterial
        case .regular: return .regularMaterial
        case .thick: return .thickMaterial
        case .ultraThick: return .ultraThickMaterial
        case .bar: return .bar
        }
    }

    func apple(_ value: Tree.Color) -> Color {
        let color: Color
        switch value.base {
        case .named(let name): color = apple(name)
        case .rgb(let red, let green, let blue):
            color = Color(.sRGB, red: red, green: green, blue: blue, opacity: 1)
        case .asset(let name): color = Color(name)
        }
        return value.opacity == 1 ? color : color.opacity(value.opacity)
    }

    func apple(_ name: Tree.ColorName) -> Color {
        switch name {
        case .clear: return .clear
        case .black: return .black
        case .white: return .white
        case .gray: return .gray
        case .red: return .red
        case .green: return .green
        case .blue: return .blue
        case .orange: return .orange
        case .yellow: return .yellow
        case .pink: return .pink
        case .purple: return .purple
        case .primary: return .primary
        case .secondary: return .secondary
        case .accentColor: return .accentColor
        case .mint: return .mint
        case .teal: return .teal
        case .cyan: return .cyan
        case .indigo: return .indigo
        case .brown: return .brown
        case .label: return Color(UIColor.label)
        case .secondaryLabel: return Color(UIColor.secondaryLabel)
        case .tertiaryLabel: return Color(UIColor.tertiaryLabel)
        case .quaternaryLabel: return Color(UIColor.quaternaryLabel)
        case .systemBackground: return Color(UIColor.systemBackground)
        case .secondarySystemBackground: return Color(UIColor.secondarySystemBackground)
        case .tertiarySystemBackground: return Color(UIColor.tertiarySystemBackground)
        case .systemGroupedBackground: return Color(UIColor.systemGroupedBackground)
        case .secondarySystemGroupedBackground:
            return Color(UIColor.secondarySystemGroupedBackground)
        case .tertiarySystemGroupedBackground:
            return Color(UIColor.tertiarySystemGroupedBackground)
        case .systemFill: return Color(UIColor.systemFill)
        case .secondarySystemFill: return Color(UIColor.secondarySystemFill)
        case .tertiarySystemFill: return Color(UIColor.tertiarySystemFill)
        case .separator: return Color(UIColor.separator)
        case .opaqueSeparator: return Color(UIColor.opaqueSeparator)
        case .systemGray2: return Color(UIColor.systemGray2)
        case .systemGray3: return Color(UIColor.systemGray3)
        case .systemGray4: return Color(UIColor.systemGray4)
        case .systemGray5: return Color(UIColor.systemGray5)
        case .systemGray6: return Color(UIColor.systemGray6)
        case .link: return Color(UIColor.link)
        case .placeholderText: return Color(UIColor.placeholderText)
        }
    }

#endif
