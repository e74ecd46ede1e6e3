import ViewTree

// Text, pictures and labels.

extension HTMLRenderer {
    func text(_ node: ViewNode, content: Tree.TextContent) -> Element {
        Element("span", "t", inner: formatter.text(content).escaped)
    }

    func textRuns(_ node: ViewNode) -> Element {
        Element("span", "t", inner: html(node.children))
    }

    func image(_ node: ViewNode, content: Tree.ImageContent) -> Element {
        switch content.source {
        case .symbol(let name):
            return Element("span", "symbol", inner: Symbols.svg(name)).with("data-symbol", name)
        case .asset(let name):
            if let address = options.images[name] {
                return Element("img", "asset").with("src", address).with("alt", name)
            }
            return Element("span", "asset", "missing", inner: name.escaped)
        }
    }

    func label(_ node: ViewNode) -> Element {
        Element(
            "span", "label",
            inner: "<span class=\"icon\">\(html(node.part(1)))</span>"
                + "<span class=\"title\">\(html(node.children))</span>")
    }

    func link(_ node: ViewNode, destination: String) -> Element {
        var element = Element("a", "link", inner: html(node.children))
        // Other schemes could run script in the page.
        let isSafe = ["https://", "http://", "mailto:", "tel:"].contains {
            destination.lowercased().hasPrefix($0)
        }
        if isSafe { element = element.with("href", destination).with("target", "_blank") }
        return element
    }

    // MARK: - Modifiers

    func font(_ element: Element, font: Tree.Font?) -> Element {
        guard let font else { return element }
        return element.styled(font.declarations)
    }
    func fontWeight(_ element: Element, weight: Tree.FontWeight?) -> Element {
        guard let weight else { return element }
        return element.replacingWeight(weight.css)
    }
    func bold(_ element: Element, isActive: Bool) -> Element {
        isActive ? element.replacingWeight("700") : element
    }
    func italic(_ element: Element, isActive: Bool) -> Element {
        isActive ? element.styled([("font-style", "italic")]) : element
    }
    func underline(_ element: Element, isActive: Bool, color: Tree.Color?) -> Element {
        line("underline", element, isActive, color)
    }
    func strikethrough(_ element: Element, isActive: Bool, color: Tree.Color?) -> Element {
        line("line-through", element, isActive, color)
    }

    private func line(
        _ kind: String, _ element: Element, _ isActive: Bool, _ color: Tree.Color?
    ) -> Element {
        guard isActive else { return element }
        let value = color.map { "\(kind) \(css($0))" } ?? kind
        return element.styled([("text-decoration", value)])
    }

    func fontDesign(_ element: Element, design: Tree.FontDesign?) -> Element {
        guard let design else { return element }
        return element.styled([("font-family", design.css)])
    }

    func lineLimit(_ element: Element, limit: Int?) -> Element {
        guard let limit, limit > 0 else { return element }
        if limit == 1 {
            return element.with(class: "one-line")
        }
        return element.with(class: "lines").styled([("-webkit-line-clamp", String(limit))])
    }

    func textCase(_ element: Element, textCase: Tree.TextCase?) -> Element {
        let value = textCase.map { $0 == .uppercase ? "uppercase" : "lowercase" } ?? "none"
        return element.styled([("text-transform", value)])
    }

    func resizable(_ element: Element) -> Element {
        element.with(class: "resizable").filling(width: true, height: true)
    }

    func imageScale(_ element: Element, scale: Tree.ImageScale) -> Element {
        let factor = [0.8, 1, 1.28][Int(scale.rawValue)]
        return element.styled([("--scale", css(factor))])
    }
}

extension Element {
    /// The weight said of a text replaces the one that its font brought along.
    fileprivate func replacingWeight(_ weight: String) -> Element {
        var copy = self
        copy.style.removeAll { $0.0 == "font-weight" }
        copy.style.append(("font-weight", weight))
        return copy
    }
}
