#if canImport(SwiftUI) && !os(macOS) && !os(tvOS) && !os(watchOS)

    import Foundation
    import SwiftUI
    import ViewTree

    /// Views of a tree, one after another.
    struct TreeNodes: View {
        let nodes: [ViewNode]
        let place: PatchedPlace

        var body: some View {
            ForEach(nodes.indices, id: \.self) { index in
                TreeView(node: nodes[index], place: place)
            }
        }
    }

    /// One view of a tree.
    struct TreeView: View {
        let node: ViewNode
        let place: PatchedPlace

        var body: some View {
            node.modifiers.reduce(made(node)) { applied($1, to: $0) }
        }

        // MARK: - Text

        func text(_ content: Tree.TextContent) -> Text { Text(verbatim: words(content)) }

        /// The text in the user's language, with its arguments.
        func words(_ content: Tree.TextContent) -> String {
            guard !content.isVerbatim else { return content.key }
            let format = Bundle.main.localizedString(forKey: content.key, value: nil, table: nil)
            guard !content.arguments.isEmpty else { return format }
            let arguments = content.arguments.map { argument -> any CVarArg in
                switch argument {
                case .int(let value): value
                case .uint(let value): value
                case .double(let value): value
                case .string(let value): Self.object(value)
                case .key(let key):
                    Self.object(
                        Bundle.main.localizedString(forKey: key, value: nil, table: nil))
                }
            }
            return String(format: format, locale: .current, arguments: arguments)
        }

        /// Texts for `%@`, which wants an object.
        private static func object(_ text: String) -> any CVarArg {
            #if canImport(ObjectiveC)
                text as NSString
            #else
                0
            #endif
        }

        func textRuns(_ node: ViewNode) -> AnyView {
            AnyView(
                node.part(0).reduce(Text(verbatim: "")) { whole, run in
                    guard case .text(let content) = run.view else { return whole }
                    return whole + run.modifiers.reduce(text(content)) { look($1, of: $0) }
                })
        }

        /// What stays a text when it is modified.
        private func look(_ modifier: ModifierNode, of text: Text) -> Text {
            switch modifier.modifier {
            case .font(let font): return text.font(font.map(apple))
            case .fontWeight(let weight): return text.fontWeight(weight.map(apple))
            case .bold(let isActive): return isActive ? text.bold() : text
            case .italic(let isActive): return isActive ? text.italic() : text
            case .foregroundColor(let color): return text.foregroundColor(color.map(apple))
            default: return text
            }
        }

        // MARK: - Views

        func image(_ node: ViewNode, content: Tree.ImageContent) -> AnyView {
            var image: Image
            switch content.source {
            case .asset(let name): image = Image(name)
            case .symbol(let name): image = Image(systemName: name)
            }
            for modifier in node.modifiers {
                switch modifier.modifier {
                case .resizable: image = image.resizable()
                case .renderingMode(let mode): image = image.renderingMode(mode.map(apple))
                default: break
                }
            }
            return AnyView(image)
        }

        func link(_ node: ViewNode, destination: String) -> AnyView {
            let label = TreeNodes(nodes: node.part(0), place: place)
            guard let url = URL(string: destination) else { return AnyView(label) }
            return AnyView(Link(destination: url) { label })
        }

        func row(_ node: ViewNode, key: UInt64) -> AnyView {
            AnyView(TreeNodes(nodes: node.part(0), place: place).id(key))
        }

        /// Rows; those of a long list that the tree does not hold are asked for as they appear.
        func forEach(_ node: ViewNode, token: EventToken, count: UInt32) -> AnyView {
            let rows = node.part(0)
            let place = place
            let all = ForEach(0..<Int(count), id: \.self) { index in
                if index < rows.count {
                    TreeView(node: rows[index], place: place)
                } else {
                    TreeNodes(nodes: place.row(token, index), place: place)
                }
            }
            for modifier in node.modifiers {
                guard case .onDelete(let action) = modifier.modifier else { continue }
                return AnyView(
                    all.onDelete { places in
                        if let first = places.first { place.send(action, .integer(UInt64(first))) }
                    })
            }
            return AnyView(all)
        }

        func textField(
            _ node: ViewNode, prompt: Tree.TextContent, text: Bound<String>, isSecure: Bool,
            isLong: Bool
        ) -> AnyView {
            let binding = place.binding(text)
            if isSecure { return AnyView(SecureField(words(prompt), text: binding)) }
            if isLong { return AnyView(TextEditor(text: binding)) }
            return AnyView(TextField(words(prompt), text: binding))
        }

        func slider(
            _ node: ViewNode, value: Bound<Double>, lower: Double, upper: Double, step: Double?
        ) -> AnyView {
            let binding = place.binding(value)
            guard lower < upper else { return AnyView(EmptyView()) }
            if let step, step > 0 {
                return AnyView(Slider(value: binding, in: lower...upper, step: step))
            }
            return AnyView(Slider(value: binding, in: lower...upper))
        }

        func stepper(
            _ node: ViewNode, increment: EventToken?, decrement: EventToken?
        ) -> AnyView {
            let place = place
            return AnyView(
                Stepper(
                    onIncrement: increment.map { token in { place.send(token) } },
                    onDecrement: decrement.map { token in { place.send(token) } }
                ) { TreeNodes(nodes: node.part(0), place: place) })
        }

        func progressView(_ node: ViewNode, fraction: Double?) -> AnyView {
            let label = TreeNodes(nodes: node.part(0), place: place)
            guard let fraction else { return AnyView(ProgressView { label }) }
            return AnyView(
                VStack {
                    label
                    ProgressView(value: min(max(fraction, 0), 1))
                })
        }

        func gradient(_ node: ViewNode, style: Tree.Style) -> AnyView {
            AnyView(Rectangle().fill(apple(style)))
        }
    }

#endif
