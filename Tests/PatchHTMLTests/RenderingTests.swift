import Testing
import ViewSamples
import ViewTree

@testable import PatchHTML

@Suite("View trees as HTML")
struct RenderingTests {
    private func body(_ nodes: ViewNode...) -> String { HTMLRenderer.screen(nodes).body }
    private func text(_ words: String) -> ViewNode {
        ViewNode(.text(content: Tree.TextContent(key: words, isVerbatim: true)))
    }
    private func token(_ number: UInt64) -> EventToken { EventToken(rawValue: number) }

    @Test("what the guest writes cannot become markup")
    func escaping() {
        let evil = "<script>alert(\"1\")</script>&"
        let html = body(
            text(evil),
            ViewNode(
                .textField(
                    prompt: Tree.TextContent(key: evil),
                    text: Bound(value: evil, token: token(1)), isSecure: false, isLong: false)),
            ViewNode(.link(destination: "javascript:alert(1)"), children: [text("x")]),
            ViewNode(
                .color(color: Tree.Color(base: .asset("a;}</style><script>"))),
                modifiers: [ModifierNode(.accessibilityIdentifier(identifier: evil))]),
            ViewNode(.image(content: Tree.ImageContent(source: .symbol(evil)))))
        #expect(!html.contains("<script"))
        #expect(!html.contains("javascript:"))
        #expect(html.contains("&lt;script&gt;"))
        #expect(!html.contains("</style"))
    }

    @Test("groups, scopes, branches and loops leave no trace in the layout")
    func transparent() {
        let plain = body(ViewNode(.form, children: [text("a"), text("b")]))
        let nested = body(
            ViewNode(
                .form,
                children: [
                    ViewNode(
                        .scope(id: 4),
                        children: [
                            ViewNode(.branch(index: 1), children: [text("a")]),
                            ViewNode(.group, children: [text("b")]),
                        ])
                ]))
        #expect(plain == nested)
    }

    @Test("a modifier of a group is one of each view in it")
    func groupModifiers() {
        let once = ModifierNode(.opacity(value: 0.5))
        let each = body(
            ViewNode(
                .vStack(alignment: .center, spacing: nil),
                children: [
                    ViewNode(text("a").view, modifiers: [once]),
                    ViewNode(text("b").view, modifiers: [once]),
                ]))
        let group = body(
            ViewNode(
                .vStack(alignment: .center, spacing: nil),
                children: [
                    ViewNode(.group, children: [text("a"), text("b")], modifiers: [once])
                ]))
        #expect(each == group)
    }

    @Test("modifiers apply in their order")
    func order() {
        let back = ModifierNode(
            .backgroundStyle(style: .color(Tree.Color(base: .named(.red)))))
        let pad = ModifierNode(
            .padding(edges: [.top, .leading, .bottom, .trailing], length: 4))
        let inside = body(ViewNode(text("a").view, modifiers: [back, pad]))
        let outside = body(ViewNode(text("a").view, modifiers: [pad, back]))
        #expect(inside != outside)
        #expect(inside.contains("padding: 4px\"><div class=\"m filled\""))
    }

    @Test("rows that were not made are asked for")
    func rest() {
        let row = ViewNode(.row(key: 35), children: [text("a")])
        let html = body(
            ViewNode(
                .list(selection: nil),
                children: [ViewNode(.forEach(token: token(7), count: 90), children: [row])]))
        #expect(html.contains("data-key=\"z\""))
        #expect(html.contains("data-rows=\"7\" data-from=\"1\" data-count=\"90\""))
    }

    @Test("a presented sheet, alert and page lie over the screen, others do not")
    func presentation() {
        func screen(_ isShown: Bool) -> String {
            let bound = Bound(value: isShown, token: token(9))
            let sheet = ModifierNode(
                .sheet(isPresented: bound), content: isShown ? [text("inside")] : [])
            return body(ViewNode(text("a").view, modifiers: [sheet]))
        }
        #expect(screen(true).contains("class=\"sheet\"") && screen(true).contains("inside"))
        #expect(!screen(false).contains("sheet"))
    }

    @Test("every view and modifier of the vocabulary is drawn without fault")
    func everything() {
        for view in Samples.views {
            var node = ViewNode(view)
            node.parts = view.partNames.map { _ in [text("in")] }
            for modifier in Samples.modifiers {
                var one = ModifierNode(modifier)
                one.parts = modifier.partNames.map { _ in [text("in")] }
                node.modifiers = [one]
                #expect(body(node).hasPrefix("<div class=\"root"))
            }
        }
    }
}

@Suite("Text with arguments")
struct TextFormatterTests {
    private func text(
        _ key: String, _ arguments: Tree.TextContent.Argument..., table: [String: String] = [:]
    ) -> String {
        TextFormatter(table: table).text(Tree.TextContent(key: key, arguments: arguments))
    }

    @Test("formats are filled in as the app's are")
    func formats() {
        #expect(text("%lld of %@", .int(1_234_567), .string("x")) == "1,234,567 of x")
        #expect(text("%.2f", .double(2.5)) == "2.50")
        #expect(text("%lf", .double(2.5)) == "2.500000")
        #expect(text("%05.1f|%-4d|%+d", .double(2.5), .int(3), .int(4)) == "002.5|3   |+4")
        #expect(text("100%% of %llu", .uint(.max)).hasPrefix("100% of 18,446"))
        #expect(text("%x %X", .int(255), .int(255)) == "ff FF")
    }

    @Test("translations may change the order of arguments")
    func translations() {
        let table = ["%@ in %@": "%2$@: %1$@", "Red": "Rot"]
        #expect(text("%@ in %@", .key("Red"), .string("b"), table: table) == "b: Rot")
    }

    @Test("formats without arguments, cut off or absurd, end quietly")
    func hostile() {
        #expect(text("%@ %lld") == " ")
        #expect(text("%") == "")
        #expect(text("%999999999d", .int(1)).count < 1200)
        #expect(text("%.999f", .double(1)).count < 60)
        #expect(text("%n%s%p", .int(1), .string("a"), .int(2)) == "1a2")
    }
}
