import Foundation
import ViewTree

/// A number as CSS writes it; infinity becomes a length that no screen has.
func css(_ value: Double) -> String {
    if value.isNaN { return "0" }
    if value.isInfinite { return value > 0 ? "99999" : "-99999" }
    let rounded = (value * 1000).rounded() / 1000
    if rounded == rounded.rounded(), abs(rounded) < 1e9 { return String(Int(rounded)) }
    return String(rounded)
}

func css(_ insets: Tree.Insets) -> String {
    // Logical order is top, end, bottom, start; `dir` turns it round.
    "\(css(insets.top))px \(css(insets.trailing))px \(css(insets.bottom))px "
        + "\(css(insets.leading))px"
}

func css(_ point: Tree.UnitPoint) -> String { "\(css(point.x * 100))% \(css(point.y * 100))%" }

func css(_ angle: Tree.Angle) -> String { "\(css(angle.radians))rad" }

func css(_ alignment: Tree.TextAlignment) -> String {
    switch alignment {
    case .leading: return "start"
    case .center: return "center"
    case .trailing: return "end"
    }
}

func css(_ color: Tree.Color) -> String {
    let base: String
    switch color.base {
    case .named(.clear): return "transparent"
    case .named(let name): base = "var(--\(name))"
    case .rgb(let red, let green, let blue):
        let parts = [red, green, blue].map { css(min(max($0, 0), 1) * 255) }
        if color.opacity >= 1 { return "rgb(\(parts.joined(separator: ", ")))" }
        return "rgba(\(parts.joined(separator: ", ")), \(css(color.opacity)))"
    case .asset(let name):
        // Letters only: a name must not end the declaration.
        let safe = name.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        base = "var(--asset-\(safe), var(--accentColor))"
    }
    if color.opacity >= 1 { return base }
    return "color-mix(in srgb, \(base) \(css(color.opacity * 100))%, transparent)"
}

/// A fill as a `background`.
func css(_ style: Tree.Style) -> String {
    switch style {
    case .color(let color): return css(color)
    case .hierarchical(let level):
        return ["var(--label)", "var(--secondaryLabel)", "var(--tertiaryLabel)"][
            min(Int(level), 2)]
    case .material(let kind): return "var(--material-\(kind))"
    case .tint: return "var(--tint)"
    case .background: return "var(--systemBackground)"
    case .foreground: return "currentColor"
    case .linear(let stops, let start, let end):
        let x = end.x - start.x
        let y = end.y - start.y
        let degrees = atan2(x, -y) * 180 / Double.pi
        return "linear-gradient(\(css(degrees))deg, \(list(stops, 1, "%", 100)))"
    case .radial(let stops, let center, let start, let end):
        let span = end - start
        let places = stops.map { stop in
            "\(css(stop.color)) \(css(start + stop.location * span))px"
        }
        return "radial-gradient(circle at \(css(center)), \(places.joined(separator: ", ")))"
    case .angular(let stops, let center, let angle):
        let turn = angle.radians * 180 / Double.pi + 90
        return "conic-gradient(from \(css(turn))deg at \(css(center)), "
            + list(stops, 1, "%", 100) + ")"
    }
}

private func list(
    _ stops: [Tree.GradientStop], _ scale: Double, _ unit: String, _ factor: Double
) -> String {
    stops.map { "\(css($0.color)) \(css($0.location * scale * factor))\(unit)" }
        .joined(separator: ", ")
}

extension Tree.Style {
    /// Whether it can be a colour of text.
    var isGradient: Bool {
        switch self {
        case .linear, .radial, .angular: return true
        default: return false
        }
    }
}

extension Tree.Shape {
    /// The shape as declarations of a box.
    var outline: [(String, String)] {
        switch self {
        case .rectangle: return []
        case .roundedRectangle(let radius, _): return [("border-radius", "\(css(radius))px")]
        case .circle: return [("border-radius", "50%"), ("aspect-ratio", "1")]
        case .capsule: return [("border-radius", "9999px")]
        case .ellipse: return [("border-radius", "50%")]
        }
    }
}

extension Tree.HorizontalAlignment {
    var flex: String {
        switch self {
        case .leading: return "flex-start"
        case .center: return "center"
        case .trailing: return "flex-end"
        }
    }
}

extension Tree.VerticalAlignment {
    var flex: String {
        switch self {
        case .top: return "flex-start"
        case .center: return "center"
        case .bottom: return "flex-end"
        case .firstTextBaseline: return "first baseline"
        case .lastTextBaseline: return "last baseline"
        }
    }
}

extension Tree.Font {
    /// The font as declarations. Styles are classes of the style sheet's sizes.
    var declarations: [(String, String)] {
        var list: [(String, String)] = []
        switch base {
        case .style(let style):
            list.append(("font-size", "var(--font-\(style))"))
            if style == .headline { list.append(("font-weight", "600")) }
        case .system(let size): list.append(("font-size", "\(css(size))px"))
        case .custom(let name, let size):
            let safe = name.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
            list.append(("font-family", "'\(safe)', var(--font)"))
            list.append(("font-size", "\(css(size))px"))
        }
        if let weight {
            list.removeAll { $0.0 == "font-weight" }
            list.append(("font-weight", weight.css))
        }
        if let design { list.append(("font-family", design.css)) }
        if traits & 1 != 0 { list.append(("font-style", "italic")) }
        if traits & 2 != 0 { list.append(("font-variant-numeric", "tabular-nums")) }
        if traits & 4 != 0 { list.append(("font-variant-caps", "small-caps")) }
        return list
    }
}

extension Tree.FontWeight {
    var css: String { String(100 + Int(rawValue) * 100) }
}

extension Tree.FontDesign {
    var css: String { "var(--font-\(self))" }
}
