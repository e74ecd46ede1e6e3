import ViewTree

// Lists, forms and their sections.

extension HTMLRenderer {
    func list(_ node: ViewNode, selection: EventToken?) -> Element {
        rows(node, "list", selection)
    }
    func form(_ node: ViewNode) -> Element { rows(node, "form", nil) }

    private func rows(_ node: ViewNode, _ kind: String, _ selection: EventToken?) -> Element {
        let wasInList = isInList
        isInList = true
        defer { isInList = wasInList }
        var style = kind == "form" ? "insetGrouped" : "automatic"
        for modifier in node.modifiers {
            if case .listStyle(let given) = modifier.modifier { style = "\(given)" }
        }
        var element = Element("div", "list", kind, "list-\(style)")
            .filling(width: true, height: true)
        var loose: [Item] = []
        func closeLoose() {
            guard !loose.isEmpty else { return }
            element.inner += section(rows: loose, header: "", footer: "", selection)
            loose = []
        }
        for item in items(node.children) {
            if case .view(let view) = item.kind, case .section = view.view {
                closeLoose()
                element.inner += section(view, selection)
            } else {
                loose.append(item)
            }
        }
        closeLoose()
        return element
    }

    private func section(_ node: ViewNode, _ selection: EventToken?) -> String {
        // What is done to a section is done to its rows.
        let inner = items(node.children).map { item -> Item in
            guard case .view(var view) = item.kind else { return item }
            view.modifiers += node.modifiers
            return Item(kind: .view(view), key: item.key, delete: item.delete)
        }
        return section(
            rows: inner, header: html(node.part(1)), footer: html(node.part(2)), selection)
    }

    private func section(
        rows: [Item], header: String, footer: String, _ selection: EventToken?
    ) -> String {
        var text = "<section>"
        if !header.isEmpty { text += "<header>\(header)</header>" }
        text += "<div class=\"rows\">" + rows.map { row($0, selection) }.joined() + "</div>"
        if !footer.isEmpty { text += "<footer>\(footer)</footer>" }
        return text + "</section>"
    }

    /// A view as a row of a list.
    func row(_ item: Item, _ selection: EventToken? = nil) -> String {
        var content = draw(item)
        if case .rest = item.kind { return content.html }
        content.attributes.removeAll { $0.0 == "data-key" }
        var row = Element("div", "row")
        if let key = item.key { row = row.with("data-key", String(key, radix: 36)) }
        if let selection, let key = item.key ?? tag(of: item) {
            row = row.with(class: "selectable").with("data-select", String(selection.rawValue))
                .with("data-value", String(key))
        }
        if content.row.hidesSeparator { row = row.with(class: "no-separator") }
        if let insets = content.row.insets { row.style.append(("padding", insets)) }
        row.inner = content.row.background.map { "<div class=\"row-back\">\($0)</div>" } ?? ""
        row.inner += content.html
        var swipe = content.row.swipe
        if let (token, index) = item.delete {
            swipe +=
                "<button class=\"swipe destructive\" data-tap=\"\(token.rawValue)\""
                + " data-index=\"\(index)\">Delete</button>"
        }
        if !swipe.isEmpty {
            row = row.with(class: "swipeable")
            row.inner += "<div class=\"swipes\">\(swipe)</div>"
        }
        return row.html
    }

    private func tag(of item: Item) -> UInt64? {
        guard case .view(let node) = item.kind else { return nil }
        return node.tag
    }

    /// A section outside of a list is its parts, one below the other.
    func section(_ node: ViewNode) -> Element {
        Element("div", "v").holding(
            elements(node.part(1)) + elements(node.children) + elements(node.part(2)))
    }

    func labeledContent(_ node: ViewNode) -> Element {
        Element(
            "div", "labeled",
            inner: "<span class=\"title\">\(html(node.part(1)))</span>"
                + "<span class=\"value\">\(html(node.children))</span>"
        ).filling(width: true)
    }

    // MARK: - Modifiers

    func listStyle(_ element: Element, style: Tree.ListStyleKind) -> Element { element }

    func scrollContentBackground(_ element: Element, visibility: Tree.Visibility) -> Element {
        visibility == .hidden ? element.with(class: "no-background") : element
    }

    func listRowBackground(_ element: Element, _ modifier: ModifierNode) -> Element {
        var copy = element
        copy.row.background = html(modifier.content)
        return copy
    }

    func listRowInsets(_ element: Element, insets: Tree.Insets?) -> Element {
        var copy = element
        copy.row.insets = insets.map { css($0) }
        return copy
    }

    func listRowSeparator(_ element: Element, visibility: Tree.Visibility) -> Element {
        var copy = element
        copy.row.hidesSeparator = visibility == .hidden
        return copy
    }

    func swipeActions(
        _ element: Element, _ modifier: ModifierNode, edge: Tree.HorizontalEdge
    ) -> Element {
        var copy = element
        for button in elements(modifier.content) {
            copy.row.swipe += button.with(class: "swipe").html
        }
        return copy
    }

    func onDelete(_ element: Element, action: EventToken) -> Element { element }
}

extension ViewNode {
    /// The hash that a `tag` gives this view.
    var tag: UInt64? {
        for modifier in modifiers {
            if case .tag(let value) = modifier.modifier { return value }
        }
        return nil
    }
}
