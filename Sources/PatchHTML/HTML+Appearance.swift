import ViewTree

// Colours, shapes and effects.

extension HTMLRenderer {
    func color(_ node: ViewNode, color: Tree.Color) -> Element {
        var element = Element("div", "greedy")
        element.style = [("background", css(color))]
        return element.filling(width: true, height: true)
    }

    func gradient(_ node: ViewNode, style: Tree.Style) -> Element {
        var element = Element("div", "greedy")
        element.style = [("background", css(style))]
        return element.filling(width: true, height: true)
    }

    func shape(
        _ node: ViewNode, shape: Tree.Shape, fill: Tree.Style?, stroke: Tree.Stroke?
    ) -> Element {
        var element = Element("div", "greedy", "shape")
        element.style = shape.outline
        if case .circle = shape { element.classes.append("circle") }
        if let fill { element.style.append(("background", css(fill))) }
        if let stroke {
            let line = stroke.dash.isEmpty ? "solid" : "dashed"
            let color = stroke.style.isGradient ? "currentColor" : css(stroke.style)
            element.style.append(("border", "\(css(stroke.lineWidth))px \(line) \(color)"))
            if !stroke.isInner {
                element.style.append(("margin", "\(css(-stroke.lineWidth / 2))px"))
            }
        }
        return element.filling(width: true, height: true)
    }

    // MARK: - Modifiers

    func foregroundColor(_ element: Element, color: Tree.Color?) -> Element {
        guard let color else { return element }
        return element.styled([("color", css(color))])
    }

    func foregroundStyle(_ element: Element, style: Tree.Style) -> Element {
        if style.isGradient {
            return element.styled([
                ("background", css(style)), ("background-clip", "text"), ("color", "transparent"),
            ])
        }
        if case .foreground = style { return element }
        return element.styled([("color", css(style))])
    }

    func tint(_ element: Element, style: Tree.Style) -> Element {
        element.styled([("--tint", css(style))])
    }

    func background(
        _ element: Element, _ modifier: ModifierNode, alignment: Tree.Alignment
    ) -> Element {
        layered(element, modifier, alignment, "back", isBehind: true)
    }

    func overlay(
        _ element: Element, _ modifier: ModifierNode, alignment: Tree.Alignment
    ) -> Element {
        layered(element, modifier, alignment, "front", isBehind: false)
    }

    private func layered(
        _ element: Element, _ modifier: ModifierNode, _ alignment: Tree.Alignment,
        _ name: String, isBehind: Bool
    ) -> Element {
        var layer = Element("div", "layer", name)
        layer.style = place(alignment)
        layer.inner = stacked(modifier.content)
        var outer = element.wrapped([], "layers")
        outer.inner = isBehind ? layer.html + element.html : element.html + layer.html
        return outer
    }

    func backgroundStyle(_ element: Element, style: Tree.Style) -> Element {
        element.wrapped([("background", css(style))] + blur(style), "filled")
    }

    func backgroundShape(
        _ element: Element, style: Tree.Style, shape: Tree.Shape
    ) -> Element {
        element.wrapped(
            [("background", css(style))] + blur(style)
                + shape.outline.filter { $0.0 != "aspect-ratio" })
    }

    private func blur(_ style: Tree.Style) -> [(String, String)] {
        if case .material = style { return [("backdrop-filter", "blur(20px)")] }
        return []
    }

    func clipShape(_ element: Element, shape: Tree.Shape) -> Element {
        if case .circle = shape {
            return element.wrapped([("clip-path", "circle()")])
        }
        return element.wrapped(shape.outline + [("overflow", "hidden")])
    }

    func shadow(
        _ element: Element, color: Tree.Color?, radius: Double, x: Double, y: Double
    ) -> Element {
        let tone = color.map { css($0) } ?? "rgba(0, 0, 0, 0.33)"
        return element.wrapped([
            ("filter", "drop-shadow(\(css(x))px \(css(y))px \(css(radius / 2))px \(tone))")
        ])
    }

    func border(_ element: Element, style: Tree.Style, width: Double) -> Element {
        element.wrapped([
            ("box-shadow", "inset 0 0 0 \(css(width))px \(css(style))")
        ])
    }

    func blendMode(_ element: Element, mode: Tree.BlendMode) -> Element {
        let names: [Tree.BlendMode: String] = [
            .colorDodge: "color-dodge", .colorBurn: "color-burn", .softLight: "soft-light",
            .hardLight: "hard-light", .plusLighter: "plus-lighter",
        ]
        return element.wrapped([("mix-blend-mode", names[mode] ?? "\(mode)")])
    }

    func redacted(_ element: Element, reasons: Tree.RedactionReasons) -> Element {
        reasons.contains(.placeholder) ? element.with(class: "redacted") : element
    }

    func preferredColorScheme(_ element: Element, scheme: Tree.ColorScheme?) -> Element {
        prefers(scheme)
        return element
    }

    func animation(_ element: Element, animation: Tree.Animation?) -> Element {
        guard let animation else { return element }
        let seconds = css(animation.duration ?? 0.35)
        return element.styled([("--move", "\(seconds)s")]).with(class: "animated")
    }

    // MARK: - Accessibility

    func accessibilityLabel(_ element: Element, label: Tree.TextContent) -> Element {
        element.with("aria-label", formatter.text(label))
    }
    func accessibilityIdentifier(_ element: Element, identifier: String) -> Element {
        element.with("data-id", identifier)
    }
    func accessibilityHidden(_ element: Element, isHidden: Bool) -> Element {
        isHidden ? element.with("aria-hidden", "true") : element
    }
    func help(_ element: Element, text: Tree.TextContent) -> Element {
        element.with("title", formatter.text(text))
    }
}
