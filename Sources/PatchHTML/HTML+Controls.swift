import ViewTree

// What takes input.

extension HTMLRenderer {
    func button(_ node: ViewNode, role: Tree.ButtonRole?, action: EventToken) -> Element {
        var element = Element("button", "button").holding(elements(node.children))
        if let role { element.classes.append("\(role)") }
        // An app's own style has drawn all there is to see.
        let isDrawn = node.modifiers.contains { $0.modifier == .buttonStyle(style: .plain) }
        if isDrawn { element.classes.append("plain") }
        return element.with("data-tap", String(action.rawValue))
    }

    func toggle(_ node: ViewNode, isOn: Bound<Bool>) -> Element {
        var input = Element("input").with("type", "checkbox").with("role", "switch")
            .with("data-toggle", String(isOn.token.rawValue))
        if isOn.value { input = input.with("checked", "") }
        return Element(
            "label", "toggle",
            inner: "<span class=\"title\">\(html(node.children))</span>\(input.html)"
                + "<span class=\"switch\"></span>"
        ).filling(width: true)
    }

    func textField(
        _ node: ViewNode, prompt: Tree.TextContent, text: Bound<String>, isSecure: Bool,
        isLong: Bool
    ) -> Element {
        let placeholder = formatter.text(prompt)
        let token = String(text.token.rawValue)
        if isLong {
            return Element("textarea", "field", inner: text.value.escaped)
                .with("data-input", token).with("placeholder", placeholder).with("rows", "3")
                .filling(width: true)
        }
        return Element("input", "field").with("type", isSecure ? "password" : "text")
            .with("data-input", token).with("placeholder", placeholder)
            .with("value", text.value).filling(width: true)
    }

    func slider(
        _ node: ViewNode, value: Bound<Double>, lower: Double, upper: Double, step: Double?
    ) -> Element {
        let span = upper - lower
        let share = span > 0 ? (value.value - lower) / span * 100 : 0
        var element = Element("input", "slider").with("type", "range")
            .with("data-slide", String(value.token.rawValue))
            .with("min", css(lower)).with("max", css(upper))
            .with("step", step.map { css($0) } ?? "any").with("value", css(value.value))
        element.style.append(("--share", "\(css(share))%"))
        return element.filling(width: true)
    }

    func stepper(
        _ node: ViewNode, increment: EventToken?, decrement: EventToken?
    ) -> Element {
        func half(_ sign: String, _ token: EventToken?, _ name: String) -> String {
            var button = Element("button", inner: sign).with("aria-label", name)
            if let token {
                button = button.with("data-tap", String(token.rawValue))
            } else {
                button = button.with("disabled", "")
            }
            return button.html
        }
        return Element(
            "div", "stepper",
            inner: "<span class=\"title\">\(html(node.children))</span><span class=\"halves\">"
                + half("−", decrement, "Decrement") + half("+", increment, "Increment")
                + "</span>"
        ).filling(width: true)
    }

    func progressView(_ node: ViewNode, fraction: Double?) -> Element {
        let label = html(node.children)
        var inner = label.isEmpty ? "" : "<span class=\"title\">\(label)</span>"
        if let fraction {
            let share = css(min(max(fraction, 0), 1) * 100)
            inner += "<span class=\"track\"><span style=\"width: \(share)%\"></span></span>"
            return Element("div", "progress", "linear", inner: inner).filling(width: true)
        }
        return Element(
            "div", "progress", "spinning", inner: "<span class=\"spinner\"></span>\(inner)")
    }

    func menu(_ node: ViewNode) -> Element {
        Element(
            "div", "menu",
            inner: "<button class=\"button\" data-menu>\(html(node.part(1)))</button>"
                + "<div class=\"menu-items\">\(html(node.children))</div>")
    }

    // MARK: - Pickers

    private struct Choice {
        var value: UInt64
        var node: ViewNode
    }

    private func choices(_ nodes: [ViewNode]) -> [Choice] {
        items(nodes).compactMap { item in
            guard case .view(let node) = item.kind, let value = node.tag ?? item.key else {
                return nil
            }
            return Choice(value: value, node: node)
        }
    }

    func picker(_ node: ViewNode, selection: Bound<UInt64>) -> Element {
        var style = Tree.PickerStyleKind.automatic
        for modifier in node.modifiers {
            if case .pickerStyle(let given) = modifier.modifier { style = given }
        }
        let choices = choices(node.children)
        let token = String(selection.token.rawValue)
        switch style {
        case .segmented:
            let segments = choices.map { choice -> String in
                var button = Element("button", "segment", inner: html([choice.node]))
                    .with("data-select", token).with("data-value", String(choice.value))
                if choice.value == selection.value { button = button.with(class: "selected") }
                return button.html
            }
            return Element("div", "segments", inner: segments.joined()).filling(width: true)
        case .inline, .wheel:
            let rows = choices.map { choice -> String in
                var row = Element("button", "choice", inner: html([choice.node]))
                    .with("data-select", token).with("data-value", String(choice.value))
                if choice.value == selection.value { row = row.with(class: "selected") }
                return row.html
            }
            return Element("div", "choices", inner: rows.joined()).filling(width: true)
        default:
            let chosen = choices.first { $0.value == selection.value }
            let options = choices.map { choice -> String in
                var option = Element("option", inner: plainText([choice.node]).escaped)
                    .with("value", String(choice.value))
                if choice.value == selection.value { option = option.with("selected", "") }
                return option.html
            }
            let list = "<select data-choose=\"\(token)\">\(options.joined())</select>"
            return Element(
                "div", "picker",
                inner: "<span class=\"title\">\(html(node.part(1)))</span>"
                    + "<span class=\"value\">\(chosen.map { html([$0.node]) } ?? "")"
                    + "\(Symbols.svg("chevron.up.chevron.down"))</span>\(list)"
            ).filling(width: isInList)
        }
    }

    /// What views say, without their look.
    func plainText(_ nodes: [ViewNode]) -> String {
        nodes.map { node -> String in
            if case .text(let content) = node.view { return formatter.text(content) }
            return plainText(node.children)
        }.joined(separator: " ")
    }

    // MARK: - Modifiers

    func disabled(_ element: Element, isDisabled: Bool) -> Element {
        isDisabled ? element.with(class: "disabled").with("inert", "") : element
    }

    func buttonStyle(_ element: Element, style: Tree.ButtonStyleKind) -> Element {
        element.with(class: "buttons-\(style)")
    }
    func pickerStyle(_ element: Element, style: Tree.PickerStyleKind) -> Element { element }
    func labelStyle(_ element: Element, style: Tree.LabelStyleKind) -> Element {
        element.with(class: "labels-\(style)")
    }
    func textFieldStyle(_ element: Element, style: Tree.TextFieldStyleKind) -> Element {
        element.with(class: "fields-\(style)")
    }
    func toggleStyle(_ element: Element, style: Tree.ToggleStyleKind) -> Element {
        element.with(class: "toggles-\(style)")
    }
    func progressViewStyle(_ element: Element, style: Tree.ProgressStyleKind) -> Element {
        element.with(class: "progress-\(style)")
    }
    func controlSize(_ element: Element, size: Tree.ControlSize) -> Element {
        element.with(class: "size-\(size)")
    }
    func labelsHidden(_ element: Element) -> Element { element.with(class: "labels-hidden") }

    func keyboardType(_ element: Element, type: Tree.KeyboardType) -> Element {
        let mode: String
        switch type {
        case .numberPad, .asciiCapableNumberPad: mode = "numeric"
        case .decimalPad: mode = "decimal"
        case .phonePad, .namePhonePad: mode = "tel"
        case .emailAddress: mode = "email"
        case .URL: mode = "url"
        default: mode = "text"
        }
        return element.with("inputmode", mode)
    }
    func autocorrectionDisabled(_ element: Element, isDisabled: Bool) -> Element {
        isDisabled ? element.with("autocorrect", "off").with("spellcheck", "false") : element
    }
    func allowsHitTesting(_ element: Element, isAllowed: Bool) -> Element {
        isAllowed ? element : element.styled([("pointer-events", "none")])
    }
    func onTapGesture(_ element: Element, action: EventToken) -> Element {
        // One element has one token; a second gesture goes around.
        let taken = element.attributes.contains { $0.0 == "data-tap" }
        return (taken ? element.wrapped() : element).with("data-tap", String(action.rawValue))
            .with(class: "tappable")
    }
    func onAppear(_ element: Element, action: EventToken) -> Element {
        appears(action)
        return element
    }
    func onDisappear(_ element: Element, action: EventToken) -> Element {
        disappears(action)
        return element
    }
    func onSubmit(_ element: Element, action: EventToken) -> Element {
        element.with("data-submit", String(action.rawValue))
    }
    func focused(_ element: Element, isFocused: Bound<Bool>) -> Element {
        let marked = element.with("data-focus", String(isFocused.token.rawValue))
        return isFocused.value ? marked.with("data-focused", "") : marked
    }
    func keyboardShortcut(
        _ element: Element, key: String, modifiers: Tree.EventModifiers
    ) -> Element {
        // As ARIA writes it, which the page's script reads as well.
        let names: [(Tree.EventModifiers, String)] = [
            (.control, "Control"), (.option, "Alt"), (.shift, "Shift"), (.command, "Meta"),
        ]
        let held = names.filter { modifiers.contains($0.0) }.map(\.1)
        let name =
            [
                "\r": "Enter", "\u{1B}": "Escape", "\t": "Tab", " ": "Space",
                "\u{8}": "Backspace", "\u{F700}": "ArrowUp", "\u{F701}": "ArrowDown",
                "\u{F702}": "ArrowLeft", "\u{F703}": "ArrowRight",
            ][key] ?? key.uppercased()
        return element.with("aria-keyshortcuts", (held + [name]).joined(separator: "+"))
    }
}
