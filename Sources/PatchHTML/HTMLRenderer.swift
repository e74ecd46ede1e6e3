import ViewTree

/// What a renderer is told of the screen that it draws for.
public struct HTMLOptions: Sendable {
    /// Translations of text keys.
    public var strings: [String: String] = [:]
    /// Pictures of the app: name to address.
    public var images: [String: String] = [:]
    /// The language and region whose numbers are written; nil for English.
    public var locale: String?

    /// No translations, no pictures.
    public init() {}
}

/// A screen as HTML.
public struct HTMLScreen: Equatable, Sendable {
    /// The screen's content, to stand in an element with the class `screen` beside
    /// ``HTMLStyle/sheet``.
    public var body: String
    /// Actions of views that say what to do when they appear, in order.
    public var appearing: [EventToken]
    /// Actions of views that say what to do when they disappear, in order.
    public var disappearing: [EventToken]
    /// The scheme that the screen asks for, if it does.
    public var scheme: Tree.ColorScheme?
}

/// Draws view trees as HTML that looks and behaves like an iOS app.
///
/// Events leave as attributes that the page's script acts on: `data-tap`, `data-toggle`,
/// `data-input`, `data-slide`, `data-select` with the token, and `data-rows` for rows of a long
/// list that were not drawn.
public final class HTMLRenderer {
    let options: HTMLOptions
    let formatter: TextFormatter

    /// What lies over the screen: sheets, alerts, dialogs.
    var overlays: [String] = []
    /// The bars of the navigation that is being drawn, innermost last.
    var bars: [NavigationBar] = []
    /// The pages of the navigation that is being drawn, innermost navigation last.
    var pages: [[String]] = []
    /// Whether rows of a list are being drawn.
    var isInList = false
    private var appearing: [EventToken] = []
    private var disappearing: [EventToken] = []
    private var scheme: Tree.ColorScheme?

    /// A renderer.
    public init(_ options: HTMLOptions = HTMLOptions()) {
        self.options = options
        formatter = TextFormatter(table: options.strings, locale: options.locale)
    }

    /// Draws a tree.
    public static func screen(
        _ nodes: [ViewNode], _ options: HTMLOptions = HTMLOptions()
    ) -> HTMLScreen {
        let renderer = HTMLRenderer(options)
        let root = Element("div", "root").holding(renderer.elements(nodes))
        let overlays = renderer.overlays.joined()
        return HTMLScreen(
            body: root.html + overlays,
            appearing: renderer.appearing, disappearing: renderer.disappearing,
            scheme: renderer.scheme)
    }

    /// Draws rows of a list that were asked for by themselves.
    public static func rows(
        _ nodes: [ViewNode], _ options: HTMLOptions = HTMLOptions()
    ) -> HTMLScreen {
        let renderer = HTMLRenderer(options)
        renderer.isInList = true
        let body = renderer.items(nodes).map { renderer.row($0) }.joined()
        return HTMLScreen(
            body: body, appearing: renderer.appearing, disappearing: renderer.disappearing,
            scheme: renderer.scheme)
    }

    // MARK: - Walking

    /// Views one after another.
    func html(_ nodes: [ViewNode]) -> String { elements(nodes).map(\.html).joined() }

    /// Views one after another, with those that only group taken apart.
    func elements(_ nodes: [ViewNode]) -> [Element] { items(nodes).map { draw($0) } }

    func draw(_ item: Item) -> Element {
        switch item.kind {
        case .rest(let token, let from, let count):
            return Element("div", "rest").with("data-rows", String(token.rawValue))
                .with("data-from", String(from)).with("data-count", String(count))
        case .view(let node):
            var element = draw(node)
            if let key = item.key { element = element.with("data-key", String(key, radix: 36)) }
            return element
        }
    }

    /// A view with its modifiers.
    func draw(_ node: ViewNode) -> Element {
        var element = element(node)
        for modifier in node.modifiers { element = apply(modifier, to: element) }
        return element
    }

    /// One element for any number of views, laid over each other as SwiftUI does with the content of
    /// a modifier.
    func stacked(_ nodes: [ViewNode]) -> String {
        let all = elements(nodes)
        if all.count == 1 { return all[0].html }
        var stack = Element("div", "z")
        stack.inner = all.map(\.html).joined()
        return stack.html
    }

    // MARK: - Events

    func appears(_ token: EventToken) { appearing.append(token) }
    func disappears(_ token: EventToken) { disappearing.append(token) }
    func prefers(_ scheme: Tree.ColorScheme?) { self.scheme = scheme ?? self.scheme }
}
