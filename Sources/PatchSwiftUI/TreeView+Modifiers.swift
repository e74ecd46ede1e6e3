#if canImport(SwiftUI) && !os(macOS) && !os(tvOS) && !os(watchOS)

    import SwiftUI
    import ViewTree

    extension TreeView {
        // MARK: - Shapes

        func shape(
            _ node: ViewNode, shape: Tree.Shape, fill: Tree.Style?, stroke: Tree.Stroke?
        ) -> AnyView {
            let filled = fill.map(apple) ?? AnyShapeStyle(Color.primary)
            switch shape {
            case .rectangle: return drawn(Rectangle(), filled, stroke)
            case .roundedRectangle(let radius, let isContinuous):
                return drawn(rounded(radius, isContinuous), filled, stroke)
            case .circle: return drawn(Circle(), filled, stroke)
            case .capsule: return drawn(Capsule(), filled, stroke)
            case .ellipse: return drawn(Ellipse(), filled, stroke)
            }
        }

        private func drawn<S: InsettableShape>(
            _ shape: S, _ fill: AnyShapeStyle, _ stroke: Tree.Stroke?
        ) -> AnyView {
            guard let stroke else { return AnyView(shape.fill(fill)) }
            let style = apple(stroke.style)
            if stroke.isInner {
                return AnyView(shape.strokeBorder(style, lineWidth: points(stroke.lineWidth)))
            }
            return AnyView(shape.stroke(style, lineWidth: points(stroke.lineWidth)))
        }

        private func rounded(_ radius: Double, _ isContinuous: Bool) -> RoundedRectangle {
            RoundedRectangle(
                cornerRadius: points(radius), style: isContinuous ? .continuous : .circular)
        }

        func clipShape(_ base: AnyView, shape: Tree.Shape) -> AnyView {
            switch shape {
            case .rectangle: return AnyView(base.clipShape(Rectangle()))
            case .roundedRectangle(let radius, let isContinuous):
                return AnyView(base.clipShape(rounded(radius, isContinuous)))
            case .circle: return AnyView(base.clipShape(Circle()))
            case .capsule: return AnyView(base.clipShape(Capsule()))
            case .ellipse: return AnyView(base.clipShape(Ellipse()))
            }
        }

        func contentShape(_ base: AnyView, shape: Tree.Shape) -> AnyView {
            switch shape {
            case .rectangle: return AnyView(base.contentShape(Rectangle()))
            case .roundedRectangle(let radius, let isContinuous):
                return AnyView(base.contentShape(rounded(radius, isContinuous)))
            case .circle: return AnyView(base.contentShape(Circle()))
            case .capsule: return AnyView(base.contentShape(Capsule()))
            case .ellipse: return AnyView(base.contentShape(Ellipse()))
            }
        }

        func backgroundShape(
            _ base: AnyView, style: Tree.Style, shape: Tree.Shape
        ) -> AnyView {
            let fill = apple(style)
            switch shape {
            case .rectangle: return AnyView(base.background(fill, in: Rectangle()))
            case .roundedRectangle(let radius, let isContinuous):
                return AnyView(base.background(fill, in: rounded(radius, isContinuous)))
            case .circle: return AnyView(base.background(fill, in: Circle()))
            case .capsule: return AnyView(base.background(fill, in: Capsule()))
            case .ellipse: return AnyView(base.background(fill, in: Ellipse()))
            }
        }

        // MARK: - Others

        func shadow(
            _ base: AnyView, color: Tree.Color?, radius: Double, x: Double, y: Double
        ) -> AnyView {
            let color = color.map(apple) ?? Color.black.opacity(0.33)
            return AnyView(
                base.shadow(color: color, radius: points(radius), x: points(x), y: points(y)))
        }

        func tint(_ base: AnyView, style: Tree.Style) -> AnyView {
            guard case .color(let color) = style else { return base }
            return AnyView(base.tint(apple(color)))
        }

        func toolbar(_ base: AnyView, _ modifier: ModifierNode) -> AnyView {
            // The placement of an item is a type of its own for each kind of toolbar: what a
            // module says is grouped by the sides of the bar.
            func items(_ isLeading: Bool) -> TreeNodes {
                TreeNodes(
                    nodes: modifier.part(0).filter { Self.isLeading($0) == isLeading },
                    place: place)
            }
            return AnyView(
                base.toolbar {
                    ToolbarItemGroup(placement: .navigationBarLeading) { items(true) }
                    ToolbarItemGroup(placement: .navigationBarTrailing) { items(false) }
                })
        }

        private static func isLeading(_ node: ViewNode) -> Bool {
            switch node.view {
            case .toolbarItem(let placement), .toolbarItemGroup(let placement):
                return [.navigation, .cancellationAction, .navigationBarLeading, .topBarLeading]
                    .contains(placement)
            default: return false
            }
        }

        func searchable(
            _ base: AnyView, text: Bound<String>, prompt: Tree.TextContent?
        ) -> AnyView {
            let words = prompt.map(words) ?? ""
            return AnyView(
                base.searchable(text: place.binding(text), prompt: LocalizedStringKey(words)))
        }

        func focused(_ base: AnyView, isFocused: Bound<Bool>) -> AnyView {
            AnyView(Focused(content: base, bound: isFocused, place: place))
        }

        func keyboardShortcut(
            _ base: AnyView, key: String, modifiers: Tree.EventModifiers
        ) -> AnyView {
            guard let character = key.first else { return base }
            return AnyView(
                base.keyboardShortcut(KeyEquivalent(character), modifiers: apple(modifiers)))
        }

        func animation(_ base: AnyView, animation: Tree.Animation?) -> AnyView {
            // A tree is another one in each pass, so whatever changed is animated.
            AnyView(base.animation(animation.map(apple), value: place.generation))
        }
    }

    /// A view whose focus the module reads and wishes for. The system has the last word: what it
    /// does is told by events.
    private struct Focused: View {
        let content: AnyView
        let bound: Bound<Bool>
        let place: PatchedPlace
        @FocusState private var isFocused: Bool

        var body: some View {
            content.focused($isFocused)
                .onAppear { if bound.value { isFocused = true } }
                .onChange(of: bound.value) { wish in
                    if wish != isFocused { isFocused = wish }
                }
                .onChange(of: isFocused) { now in
                    if now != bound.value { place.send(bound.token, .bool(now)) }
                }
        }
    }

#endif
