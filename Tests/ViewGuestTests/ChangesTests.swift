import TestSupport
import Testing
import ViewTree

@testable import PatchCompiler

/// After an event a module draws and sends only the places that changed.
@Suite("Only what changed is drawn and sent")
struct ChangesTests {
    private func tap(_ words: String, in tree: [ViewNode]) throws -> EventToken {
        func find(_ nodes: [ViewNode]) -> EventToken? {
            for node in nodes {
                if case .button(_, let action) = node.view,
                    Screen.words(of: node.children).contains(words)
                {
                    return action
                }
                if let inner = find(node.children) { return inner }
            }
            return nil
        }
        return try #require(find(tree), "no button \(words)")
    }

    private static let source = """
        struct Row: View {
            let name: String
            @State private var taps = 0
            var body: some View { Button("\\(name) \\(taps)") { taps += 1 } }
        }
        final class Model: ObservableObject { @Published var count = 0 }
        struct Screen: View {
            @State private var title = 0
            @StateObject private var model = Model()
            var body: some View {
                VStack {
                    Text("title \\(title), model \\(model.count)")
                    Button("name it") { title += 1 }
                    Button("count") { model.count += 1 }
                    Button("nothing") {}
                    ForEach(0..<20) { Row(name: "row \\($0)") }
                    Row(name: "last").onChange(of: title) { title = min(title, 2) }
                }
            }
        }
        """

    @Test("state of a child sends the child; state of the screen, or of a model, all of it")
    func reach() throws {
        let built = try ExampleViews.build(Self.source)
        let guest = try GuestViews(built.module, limits: .seconds(60), define: GuestHost.define)
        let id = try #require(built.views.views.first { $0.name == "Screen" }).id
        let view = try guest.mount(id)
        var tree = try view.renderChanges()
        let whole = view.sentBytes
        #expect(whole > 1500)

        #expect(try view.send(tap("row 7 0", in: tree)) == .changed)
        tree = try view.renderChanges()
        #expect(Screen.words(of: tree).contains("row 7 1"))
        #expect(view.sentBytes < 150, "\(view.sentBytes) of \(whole) bytes")

        // Two at once, in one pass.
        _ = try view.send(tap("row 3 0", in: tree))
        _ = try view.send(tap("last 0", in: tree))
        tree = try view.renderChanges()
        #expect(
            Screen.words(of: tree).filter { $0.hasSuffix(" 1") } == [
                "row 3 1", "row 7 1", "last 1",
            ])
        #expect(view.sentBytes < 300)

        // Nothing at all.
        #expect(try view.send(tap("nothing", in: tree)) == [])
        #expect(try view.renderChanges() == tree)
        #expect(view.sentBytes == 6)

        _ = try view.send(tap("name it", in: tree))
        tree = try view.renderChanges()
        #expect(Screen.words(of: tree).contains("title 1, model 0"))
        _ = try view.send(tap("count", in: tree))
        tree = try view.renderChanges()
        #expect(Screen.words(of: tree).contains("title 1, model 1"))
        #expect(Screen.words(of: tree).contains("row 7 1"), "state of the rows stays")
        #expect(view.sentBytes > 1500)
        #expect(try Tree.decode(view.renderedBytes()) == tree)
    }

    @Test("a change that runs after a pass, and a place that is gone, are drawn as a whole")
    func afterPass() throws {
        let built = try ExampleViews.build(Self.source)
        let guest = try GuestViews(built.module, limits: .seconds(60), define: GuestHost.define)
        let id = try #require(built.views.views.first { $0.name == "Screen" }).id
        let view = try guest.mount(id)
        var tree = try view.renderChanges()
        for _ in 0..<4 {
            _ = try view.send(tap("name it", in: tree))
            tree = try view.renderChanges()
        }
        #expect(Screen.words(of: tree).contains("title 2, model 0"))
        // New surroundings are a change that any view may show.
        var night = Surroundings()
        night.scheme = .dark
        try view.update(in: night)
        #expect(try view.renderChanges() == tree)
        #expect(view.sentBytes > 1500)
    }
}
