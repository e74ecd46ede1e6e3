import ViewTree

// Stacks, scrolling, frames.

extension HTMLRenderer {
    // Groups are taken apart by their container; these draw one that stands alone.
    func group(_ node: ViewNode) -> Element { alone(node) }
    func scope(_ node: ViewNode, id: UInt32) -> Element { alone(node) }
    func branch(_ node: ViewNode, index: UInt32) -> Element { alone(node) }
    func row(_ node: ViewNode, key: UInt64) -> Element { alone(node) }
    func forEach(_ node: ViewNode, token: EventToken, count: UInt32) -> Element { alone(node) }

    private func alone(_ node: ViewNode) -> Element {
        Element("div", "v").holding(elements(node.children))
    }

    func vStack(
        _ node: ViewNode, alignment: Tree.HorizontalAlignment, spacing: Double?
    ) -> Element {
        stack("v", node, alignment.flex, spacing)
    }
    func hStack(
        _ node: ViewNode, alignment: Tree.VerticalAlignment, spacing: Double?
    ) -> Element {
        stack("h", node, alignment.flex, spacing)
    }
    func lazyVStack(
        _ node: ViewNode, alignment: Tree.HorizontalAlignment, spacing: Double?
    ) -> Element {
        stack("v", node, alignment.flex, spacing).with(class: "lazy")
    }
    func lazyHStack(
        _ node: ViewNode, alignment: Tree.VerticalAlignment, spacing: Double?
    ) -> Element {
        stack("h", node, alignment.flex, spacing).with(class: "lazy")
    }

    private func stack(
        _ kind: String, _ node: ViewNode, _ alignment: String, _ spacing: Double?
    ) -> Element {
        let children = elements(node.children)
        let hasSpacer = children.contains(where: \.isSpacer)
        var element = Element("div", kind).holding(children)
            .filling(width: hasSpacer && kind == "h", height: hasSpacer && kind == "v")
        if alignment != "center" { element.style.append(("align-items", alignment)) }
        if let spacing { element.style.append(("gap", "\(css(spacing))px")) }
        return element
    }

    func zStack(_ node: ViewNode, alignment: Tree.Alignment) -> Element {
        var element = Element("div", "z").holding(elements(node.children))
        element.style += place(alignment)
        return element
    }

    /// An alignment inside of a grid with one cell.
    func place(_ alignment: Tree.Alignment) -> [(String, String)] {
        if alignment.horizontal == .center && alignment.vertical == .center { return [] }
        return [
            ("justify-items", alignment.horizontal.flex),
            ("align-items", alignment.vertical.flex),
        ]
    }

    func spacer(_ node: ViewNode, minLength: Double?) -> Element {
        var element = Element("div", "spacer")
        if let minLength { element.style.append(("flex-basis", "\(css(minLength))px")) }
        return element
    }

    func divider(_ node: ViewNode) -> Element {
        Element("div", "divider").filling(width: true)
    }

    func scrollView(
        _ node: ViewNode, axes: Tree.AxisSet, showsIndicators: Bool
    ) -> Element {
        let isHorizontal = axes == .horizontal
        let content = Element("div", isHorizontal ? "h" : "v").holding(elements(node.children))
        var element = Element("div", "scroll", isHorizontal ? "across" : "down")
            .filling(width: true, height: !isHorizontal)
        element.inner = content.html
        return showsIndicators ? element : element.with(class: "bare")
    }

    func lazyVGrid(
        _ node: ViewNode, columns: Tree.GridItems, alignment: Tree.HorizontalAlignment,
        spacing: Double?
    ) -> Element {
        let tracks = columns.items.map { item -> String in
            switch item {
            case .fixed(let size): return "\(css(size))px"
            case .flexible(let minimum, let maximum):
                return "minmax(\(css(minimum))px, "
                    + (maximum.isInfinite ? "1fr)" : "\(css(maximum))px)")
            case .adaptive(let minimum, _):
                return "repeat(auto-fill, minmax(\(css(minimum))px, 1fr))"
            }
        }
        var element = Element("div", "grid", inner: html(node.children))
        element.style = [("grid-template-columns", tracks.joined(separator: " "))]
        element.fillsWidth = true
        if let spacing { element.style.append(("gap", "\(css(spacing))px 8px")) }
        element.style.append(("justify-items", alignment.flex))
        return element
    }

    // MARK: - Modifiers

    func padding(_ element: Element, edges: Tree.EdgeSet, length: Double?) -> Element {
        let size = length.map { "\(css($0))px" } ?? "16px"
        if edges == [.top, .leading, .bottom, .trailing] {
            return element.wrapped([("padding", size)])
        }
        let names: [(Tree.EdgeSet, String)] = [
            (.top, "top"), (.leading, "inline-start"), (.bottom, "bottom"),
            (.trailing, "inline-end"),
        ]
        return element.wrapped(
            names.filter { edges.contains($0.0) }.map { ("padding-\($0.1)", size) })
    }

    func frame(
        _ element: Element, width: Double?, height: Double?, alignment: Tree.Alignment
    ) -> Element {
        var style: [(String, String)] = []
        if let width { style += [("width", "\(css(width))px"), ("flex-shrink", "0")] }
        if let height { style.append(("height", "\(css(height))px")) }
        var outer = element.wrapped(style + inside(alignment), "frame")
        if width != nil { outer.fillsWidth = false }
        if height != nil { outer.fillsHeight = false }
        return outer
    }

    /// An alignment inside of a wrapper, which is a column.
    private func inside(_ alignment: Tree.Alignment) -> [(String, String)] {
        [
            ("align-items", alignment.horizontal.flex),
            ("justify-content", alignment.vertical.flex),
        ]
    }

    func frameFlexible(
        _ element: Element, minWidth: Double?, idealWidth: Double?, maxWidth: Double?,
        minHeight: Double?, idealHeight: Double?, maxHeight: Double?, alignment: Tree.Alignment
    ) -> Element {
        var style: [(String, String)] = []
        var (fillsWidth, fillsHeight) = (element.fillsWidth, element.fillsHeight)
        if let minWidth { style.append(("min-width", "\(css(minWidth))px")) }
        if let minHeight { style.append(("min-height", "\(css(minHeight))px")) }
        if let maxWidth {
            if maxWidth.isInfinite {
                fillsWidth = true
            } else {
                style.append(("max-width", "\(css(maxWidth))px"))
            }
        }
        if let maxHeight {
            if maxHeight.isInfinite {
                fillsHeight = true
            } else {
                style.append(("max-height", "\(css(maxHeight))px"))
            }
        }
        var outer = element.wrapped(style + inside(alignment), "frame")
        outer.fillsWidth = fillsWidth
        outer.fillsHeight = fillsHeight
        return outer
    }

    func fixedSize(_ element: Element, horizontal: Bool, vertical: Bool) -> Element {
        var style = [("flex-shrink", "0")]
        if horizontal { style += [("width", "max-content"), ("white-space", "nowrap")] }
        return element.styled(style)
    }

    func ignoresSafeArea(_ element: Element) -> Element {
        element.with(class: "ignores-safe-area")
    }

    func aspectRatio(
        _ element: Element, ratio: Double?, mode: Tree.ContentMode
    ) -> Element {
        var style = [("object-fit", mode == .fit ? "contain" : "cover")]
        if let ratio { style.append(("aspect-ratio", css(ratio))) }
        return element.with(class: mode == .fit ? "fit" : "fills").styled(style)
    }
}
