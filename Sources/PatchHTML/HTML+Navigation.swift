import ViewTree

/// The bar at the top of a page of a navigation.
struct NavigationBar {
    var title = ""
    var isLarge = true
    var leading = ""
    var trailing = ""
    var principal = ""
    var bottom = ""
    var search = ""
    /// Goes back, on a page that was pushed.
    var back: EventToken?
    var backTitle = ""
}

// Navigation, tabs, and what is presented over a screen.

extension HTMLRenderer {
    func navigationStack(_ node: ViewNode) -> Element { navigation(node) }
    func navigationView(_ node: ViewNode) -> Element { navigation(node) }

    private func navigation(_ node: ViewNode) -> Element {
        pages.append([])
        let first = page(node.children, back: nil)
        let others = pages.removeLast()
        return Element("div", "navigation", inner: first + others.joined())
            .filling(width: true, height: true)
    }

    /// A page with its bar.
    private func page(_ nodes: [ViewNode], back: EventToken?) -> String {
        var bar = NavigationBar()
        bar.back = back
        bar.backTitle = bars.last?.title ?? ""
        // Pushed pages have small titles unless they ask for large ones.
        bar.isLarge = back == nil
        let wasInList = isInList
        isInList = false
        bars.append(bar)
        let content = html(nodes)
        let filled = bars.removeLast()
        isInList = wasInList
        let body = "<div class=\"page-content\">\(content)</div>"
        let bottom =
            filled.bottom.isEmpty ? "" : "<div class=\"bottom-bar\">\(filled.bottom)</div>"
        let kind = back == nil ? "page" : "page pushed"
        return "<div class=\"\(kind)\">\(top(filled))\(body)\(bottom)</div>"
    }

    private func top(_ bar: NavigationBar) -> String {
        var leading = bar.leading
        if let back = bar.back {
            let name = bar.backTitle.isEmpty ? "Back" : bar.backTitle
            leading =
                "<button class=\"button back\" data-tap=\"\(back.rawValue)\""
                + " data-payload=\"false\">\(Symbols.svg("chevron.left"))"
                + "<span>\(name.escaped)</span></button>" + leading
        }
        let middle = bar.principal.isEmpty ? bar.title.escaped : bar.principal
        let isLarge = bar.isLarge && !bar.title.isEmpty && bar.principal.isEmpty
        var text = "<div class=\"bar\(isLarge ? " large" : "")\">"
        text += "<div class=\"leading\">\(leading)</div>"
        text += "<div class=\"middle\">\(isLarge ? "" : middle)</div>"
        text += "<div class=\"trailing\">\(bar.trailing)</div></div>"
        if isLarge { text += "<h1 class=\"large-title\">\(bar.title.escaped)</h1>" }
        return text + bar.search
    }

    func navigationLink(_ node: ViewNode, isActive: Bound<Bool>) -> Element {
        if isActive.value { push(node.part(1), back: isActive.token) }
        var element = Element("button", "navigation-link").holding(elements(node.children))
        if isInList {
            element.inner += Symbols.svg("chevron.right")
            element.fillsWidth = true
        }
        return element.with("data-tap", String(isActive.token.rawValue))
            .with("data-payload", "true")
    }

    func navigationDestination(
        _ element: Element, _ modifier: ModifierNode, isPresented: Bound<Bool>
    ) -> Element {
        if isPresented.value { push(modifier.content, back: isPresented.token) }
        return element
    }

    private func push(_ nodes: [ViewNode], back: EventToken) {
        guard !pages.isEmpty else {
            overlays.append("<div class=\"cover\">\(page(nodes, back: back))</div>")
            return
        }
        // A page that this one pushes lies over it, so its place is taken first.
        let depth = pages.count - 1
        let place = pages[depth].count
        pages[depth].append("")
        pages[depth][place] = page(nodes, back: back)
    }

    func navigationTitle(_ element: Element, title: Tree.TextContent) -> Element {
        if !bars.isEmpty, bars[bars.count - 1].title.isEmpty {
            bars[bars.count - 1].title = formatter.text(title)
        }
        return element
    }

    func navigationBarTitleDisplayMode(
        _ element: Element, mode: Tree.TitleDisplayMode
    ) -> Element {
        if !bars.isEmpty, mode != .automatic { bars[bars.count - 1].isLarge = mode == .large }
        return element
    }

    func toolbar(_ element: Element, _ modifier: ModifierNode) -> Element {
        guard !bars.isEmpty else { return element }
        let at = bars.count - 1
        for item in items(modifier.content) {
            guard case .view(let node) = item.kind else { continue }
            var placement = Tree.ToolbarPlacement.automatic
            var content = [node]
            switch node.view {
            case .toolbarItem(let given), .toolbarItemGroup(let given):
                placement = given
                content = node.children
            default: break
            }
            let text = html(content)
            switch placement {
            case .navigationBarLeading, .topBarLeading, .cancellationAction, .navigation:
                bars[at].leading += text
            case .principal: bars[at].principal += text
            case .bottomBar, .status, .keyboard: bars[at].bottom += text
            default: bars[at].trailing += text
            }
        }
        return element
    }

    func toolbarItem(_ node: ViewNode, placement: Tree.ToolbarPlacement) -> Element {
        Element("div", "h", inner: html(node.children))
    }
    func toolbarItemGroup(_ node: ViewNode, placement: Tree.ToolbarPlacement) -> Element {
        Element("div", "h", inner: html(node.children))
    }

    func searchable(
        _ element: Element, text: Bound<String>, prompt: Tree.TextContent?
    ) -> Element {
        let words = prompt.map { formatter.text($0) } ?? "Search"
        let field = Element("input", "field").with("type", "search")
            .with("data-input", String(text.token.rawValue)).with("placeholder", words)
            .with("value", text.value)
        let box = "<div class=\"search\">\(Symbols.svg("magnifyingglass"))\(field.html)</div>"
        guard !bars.isEmpty else {
            var outer = element.wrapped()
            outer.inner = box + outer.inner
            return outer
        }
        bars[bars.count - 1].search = box
        return element
    }

    // MARK: - Tabs

    func tabView(_ node: ViewNode, selection: Bound<UInt64>) -> Element {
        let tabs = items(node.children).enumerated().compactMap {
            (index, item) -> (value: UInt64, node: ViewNode)? in
            guard case .view(let node) = item.kind else { return nil }
            return (node.tag ?? item.key ?? UInt64(index), node)
        }
        let chosen = tabs.first { $0.value == selection.value } ?? tabs.first
        var bar = ""
        for tab in tabs {
            var label = ""
            for modifier in tab.node.modifiers {
                if case .tabItem = modifier.modifier { label = html(modifier.content) }
            }
            var button = Element("button", "tab", inner: label)
                .with("data-select", String(selection.token.rawValue))
                .with("data-value", String(tab.value))
            for modifier in tab.node.modifiers {
                if case .badge(let count) = modifier.modifier, count > 0 {
                    button.inner += "<span class=\"badge\">\(count)</span>"
                }
            }
            if tab.value == chosen?.value { button = button.with(class: "selected") }
            bar += button.html
        }
        let content = chosen.map { draw($0.node).html } ?? ""
        return Element(
            "div", "tabs",
            inner: "<div class=\"tab-content\">\(content)</div><div class=\"tab-bar\">\(bar)</div>"
        ).filling(width: true, height: true)
    }

    // MARK: - Presentations

    /// Draws what lies over the screen, which takes no part in the navigation below.
    private func apart(_ draw: () -> String) -> String {
        let outer = (bars, pages, isInList)
        (bars, pages, isInList) = ([], [], false)
        defer { (bars, pages, isInList) = outer }
        return draw()
    }

    func sheet(
        _ element: Element, _ modifier: ModifierNode, isPresented: Bound<Bool>
    ) -> Element {
        guard isPresented.value else { return element }
        let place = overlays.count
        overlays.append("")
        let content = apart { html(modifier.content) }
        overlays[place] =
            "<div class=\"shade\" data-tap=\"\(isPresented.token.rawValue)\""
            + " data-payload=\"false\"></div>"
            + "<div class=\"sheet\"><div class=\"grabber\"></div>\(content)</div>"
        return element
    }

    func alert(
        _ element: Element, _ modifier: ModifierNode, title: Tree.TextContent,
        isPresented: Bound<Bool>
    ) -> Element {
        guard isPresented.value else { return element }
        let buttons = choices(modifier, isPresented.token, fallback: "OK")
        let message = apart { html(modifier.part(1)) }
        overlays.append(
            "<div class=\"shade\"></div><div class=\"alert\" role=\"alertdialog\">"
                + "<h2>\(formatter.text(title).escaped)</h2><div class=\"message\">\(message)"
                + "</div><div class=\"choices\">\(buttons)</div></div>")
        return element
    }

    func confirmationDialog(
        _ element: Element, _ modifier: ModifierNode, title: Tree.TextContent,
        isPresented: Bound<Bool>, titleVisibility: Tree.Visibility
    ) -> Element {
        guard isPresented.value else { return element }
        let token = isPresented.token.rawValue
        let buttons = choices(modifier, isPresented.token, fallback: nil)
        let message = apart { html(modifier.part(1)) }
        let head =
            titleVisibility == .visible || !message.isEmpty
            ? "<div class=\"head\"><b>\(formatter.text(title).escaped)</b>\(message)</div>" : ""
        overlays.append(
            "<div class=\"shade\" data-tap=\"\(token)\" data-payload=\"false\"></div>"
                + "<div class=\"dialog\" role=\"dialog\"><div class=\"choices\">\(head)\(buttons)"
                + "</div><button class=\"button cancel\" data-tap=\"\(token)\""
                + " data-payload=\"false\">Cancel</button></div>")
        return element
    }

    /// The buttons of an alert: each does what it does, then the alert goes.
    private func choices(
        _ modifier: ModifierNode, _ token: EventToken, fallback: String?
    ) -> String {
        let buttons = apart {
            elements(modifier.content).map {
                $0.with("data-dismiss", String(token.rawValue)).html
            }.joined()
        }
        guard buttons.isEmpty, let fallback else { return buttons }
        return "<button class=\"button\" data-tap=\"\(token.rawValue)\""
            + " data-payload=\"false\">\(fallback)</button>"
    }

    func contextMenu(_ element: Element, _ modifier: ModifierNode) -> Element {
        var outer = element.wrapped([], "context")
        outer.inner += "<div class=\"menu-items\">\(html(modifier.content))</div>"
        return outer
    }
}
