import Testing
import ViewTree

@testable import PatchCompiler

/// State that goes from a view to the view of another module.
@Suite("State outlives the module")
struct StateTests {
    private static func view(_ properties: String, _ text: String) -> String {
        """
        enum Kind: String { case small, large }
        struct Note: Hashable {
            var words: [String] = ["a"]
            var size: Int? = nil
            var kind: Kind = .small
        }
        struct Row: View {
            let name: String
            @State private var taps = 0
            var body: some View { Button("\\(name) \\(taps)") { taps += 1 } }
        }
        struct Screen: View {
            \(properties)
            var body: some View {
                VStack {
                    Text("\(text)")
                    Button("change") { change() }
                    ForEach([1, 2], id: \\.self) { Row(name: "row \\($0)") }
                }
            }
        }
        """
    }

    /// Changes the first module's screen and mounts the second one's with its state.
    private func words(_ first: String, _ second: String) throws -> [String] {
        let one = try ExampleViews.build(first)
        let old = try Screen(one.module, one.views.views, "Screen")
        try old.tap("change")
        try old.tap("row 2")
        let two = try ExampleViews.build(second)
        let guest = try GuestViews(two.module, limits: .seconds(60), define: GuestHost.define)
        let id = try #require(two.views.views.first { $0.name == "Screen" }).id
        let view = try guest.mount(id, state: try old.view.state())
        return Screen.words(of: try view.render())
    }

    private let before = view(
        """
        @State private var count = 1
        @State private var note = Note()
        @State private var kind: Kind = .small
        func change() {
            count += 4
            note = Note(words: ["b", "c"], size: 7, kind: .large)
            kind = .large
        }
        """, "\\(count) \\(note.words.joined()) \\(note.size ?? 0) \\(kind.rawValue)")

    @Test("values of the same names and types go along, an added one begins, a removed one is gone")
    func kept() throws {
        let after = Self.view(
            """
            @State private var added = 9
            @State private var kind: Kind = .small
            @State private var count = 1
            func change() { count = 0 }
            """, "\\(count) \\(kind.rawValue) \\(added)")
        let words = try words(before, after)
        #expect(words.first == "5 large 9")
        #expect(words.contains("row 1 0") && words.contains("row 2 1"), "\(words)")
    }

    @Test("a value of another type, or of a type with another shape, begins anew")
    func retyped() throws {
        let after = Self.view(
            """
            @State private var count = "none"
            @State private var note = Note()
            @State private var kind: Kind = .small
            func change() { count = "" }
            """, "\\(count) \\(note.words.joined()) \\(kind.rawValue)"
        ).replacingOccurrences(of: "var size: Int? = nil", with: "var size: Int? = nil; var x = 0")
        let words = try words(before, after)
        #expect(words.first == "none a large")
    }

    @Test("the same module takes all of it")
    func same() throws {
        let words = try words(before, before)
        #expect(words.first == "5 bc 7 large", "\(words)")
    }

    @Test("no event of six hundred is lost")
    func everyEvent() throws {
        let screen = try Screen.example("Counter")
        let more = try #require(
            screen.find { node -> EventToken? in
                guard case .button(_, let action) = node.view,
                    Screen.words(of: node.children).contains("More")
                else { return nil }
                return action
            }.first)
        for number in 0..<600 {
            #expect(try screen.view.send(more) == .changed)
            // Drawn now and then, as a screen does that falls behind.
            if number % 3 == 0 { try screen.refresh() }
        }
        try screen.refresh()
        #expect(screen.words.contains("600"))
    }
}
