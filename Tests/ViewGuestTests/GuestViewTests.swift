import Foundation
import TestSupport
import Testing
import ViewTree
import WebAssembly

@testable import PatchCompiler

@Suite("Ordinary SwiftUI views in a module")
struct GuestViewTests {
    @Test("state changes by events, in the view and in its child")
    func counter() throws {
        let screen = try Screen.example("Counter")
        #expect(screen.words.contains("0"))
        try screen.tap("More")
        try screen.tap("More")
        #expect(screen.words.contains("2"))
        // The child writes through its binding and keeps a count of its own.
        try screen.tap("5")
        try screen.tap("More")
        #expect(screen.words.contains("7") && screen.words.contains("1 taps"))
        // Another branch has another identity; the way back finds a fresh one.
        try screen.tap("More")
        #expect(screen.words.contains("Many") && !screen.words.contains("Good morning"))
        try screen.tap("Less")
        #expect(screen.words.contains("Good morning"))
    }

    @Test("what surrounds the screen reaches the views")
    func surroundings() throws {
        var night = Surroundings()
        night.scheme = .dark
        let screen = try Screen.example("Counter", in: night)
        #expect(screen.words.contains("Good evening"))
        try screen.tap("More")
        try screen.view.update(in: Surroundings())
        try screen.refresh()
        // State survives a change of what surrounds the view.
        #expect(screen.words.contains("Good morning") && screen.words.contains("1"))
    }

    @Test("typing, filtering, deleting; a row's state lives as long as its row")
    func chores() throws {
        let screen = try Screen.example("ChoresScreen")
        #expect(screen.words.contains("2 of 3 open"))
        try screen.type("Höney 🍯", into: "New chore")
        try screen.tap("plus.circle.fill")
        #expect(screen.words.contains("3 of 4 open") && screen.words.contains("Höney 🍯"))

        func selectFirst() throws {
            try screen.send(.none) {
                if case .onTapGesture(let action) = $0 { return action }
                return nil
            }
        }
        try selectFirst()
        try screen.tap("Seen 0 times")
        try screen.tap("Seen 1 times")
        #expect(screen.words.contains("Seen 2 times"))
        #expect(screen.words.contains("Selected: Water the plants"))

        // The row leaves and comes back: a new row with state of its own.
        try screen.tap("circle")
        try screen.choose("Open")
        #expect(!screen.words.contains("Water the plants"))
        try screen.choose("All")
        #expect(screen.words.contains("Seen 0 times"))
        #expect(screen.words.contains("Done: 50.0 %"))

        try screen.send(.integer(1)) {
            if case .onDelete(let action) = $0 { return action }
            return nil
        }
        #expect(!screen.words.contains("Fix the bike"))
    }

    @Test("parts of a value behind bindings; changes noticed after the pass; an alert that resets")
    func settings() throws {
        let screen = try Screen.example("SettingsScreen")
        try screen.type("Grace", into: "Name")
        try screen.type("Bergen", into: "City")
        #expect(screen.words.contains("1"))
        try screen.set(true)
        #expect(screen.words.contains("Only friends see you"))
        try screen.choose("Dark")
        #expect(screen.words.contains("2"))
        try screen.tap("Reset")
        #expect(screen.words.contains("Grace will be forgotten."))
        try screen.tap("Reset", number: 1)
        let texts = screen.find { node -> String? in
            if case .textField(_, let text, _, _) = node.view { return text.value }
            return nil
        }
        #expect(texts == ["Ada", "Oslo"])
        #expect(!screen.words.contains("Only friends see you"))
    }

    @Test("navigation, a model in the environment, a sheet that dismisses itself")
    func shop() throws {
        let screen = try Screen.example("ShopScreen")
        try screen.tap("Sencha")
        #expect(screen.words.contains("Steep for three minutes."))
        // An app's own modifier on its own generic container, with its own state.
        try screen.send(.none) {
            if case .onTapGesture(let action) = $0 { return action }
            return nil
        }
        #expect(!screen.words.contains("Steep for three minutes."))
        try screen.tap("Add to basket")
        #expect(!screen.words.contains("About"), "the detail dismissed itself")
        #expect(screen.words.contains("× 1"))
        try screen.tap("cart")
        #expect(screen.words.contains("1 teas, 12 €"))
        try screen.tap("Empty it")
        #expect(screen.words.contains("Your basket is empty"))
        try screen.tap("Done")
        #expect(!screen.words.contains("Your basket is empty"))
    }

    @Test("ten thousand rows: the first ones come with the tree, the others when asked for")
    func longList() throws {
        let screen = try Screen.example("LongListScreen")
        let lists = screen.find { node -> (EventToken, Int, Int)? in
            guard case .forEach(let token, let count) = node.view, count > 1000 else { return nil }
            return (token, Int(count), node.children.count)
        }
        let (token, count, made) = try #require(lists.first)
        #expect(count == 10_000 && made < 100)
        let row = try #require(try screen.view.row(token, 9_999))
        guard case .row = row.first?.view else {
            Issue.record("no row")
            return
        }
        #expect(try screen.view.row(token, 10_000) == nil)

        // A row's button works, and the row keeps its state over passes.
        func mark(_ nodes: [ViewNode]) -> EventToken? {
            for node in nodes {
                if case .button(_, let action) = node.view { return action }
                if let inner = mark(node.children) { return inner }
            }
            return nil
        }
        let button = try #require(mark(row))
        #expect(try screen.view.send(button) == .changed)
        try screen.refresh()
        #expect(screen.words.contains("10,000 rows, 1 marked"))
        let again = try #require(try screen.view.row(token, 9_999))
        #expect(again != row)
        let other = try #require(try screen.view.row(token, 9_998))
        #expect(mark(other) != button)
    }

    @Test("an event for a view that is gone does nothing, and says so")
    func lateEvent() throws {
        let screen = try Screen.example("SettingsScreen")
        try screen.tap("Delete account")
        let tokens = screen.find { node -> EventToken? in
            guard case .button(let role, let action) = node.view, role == .destructive else {
                return nil
            }
            return action
        }
        let delete = try #require(tokens.last)
        try screen.send(.bool(false)) {
            if case .confirmationDialog(_, let isPresented, _) = $0 { return isPresented.token }
            return nil
        }
        // One pass later it is still known; two passes later it is not.
        try screen.refresh()
        #expect(try screen.view.send(delete) == .unknownToken)
        #expect(try screen.view.send(EventToken(rawValue: .max)) == .unknownToken)
        try screen.refresh()
        #expect(screen.words.contains("Account"))
    }

    @Test("unmounting ends a view; others of the same module live on")
    func unmount() throws {
        let built = try ExampleViews.built.get()
        let guest = try GuestViews(
            built.module, limits: .seconds(60), define: GuestHost.define)
        let id = try #require(built.views.views.first { $0.name == "ChoresScreen" }).id
        let first = try guest.mount(id)
        let second = try guest.mount(id)
        _ = try first.render()
        let before = try second.renderedBytes()
        try first.unmount()
        #expect(try second.renderedBytes() == before)
        #expect(throws: ViewFault.self) { _ = try first.render() }
        #expect(!guest.isSound)
        let fault = #expect(throws: ViewFault.self) { _ = try second.render() }
        #expect(fault?.code == "view_not_sound")
    }

    @Test("a view that the module does not have is refused by name")
    func unknown() throws {
        let built = try ExampleViews.built.get()
        let guest = try GuestViews(
            built.module, limits: .seconds(60), define: GuestHost.define)
        let fault = #expect(throws: ViewFault.self) { _ = try guest.mount(1) }
        #expect(fault?.code == "view_unknown")
        #expect(guest.isSound)
    }

    @Test("memory stays flat over thousands of passes and events")
    func memory() throws {
        let screen = try Screen.example("ChoresScreen")
        for _ in 0..<50 {
            try screen.type("a", into: "New chore")
            try screen.refresh()
        }
        let before = screen.guest.memoryBytes
        for round in 0..<2000 {
            if round % 10 == 0 { try screen.type("text \(round)", into: "New chore") }
            _ = try screen.view.renderedBytes()
        }
        #expect(screen.guest.memoryBytes == before)
    }
}

@Suite("Views that go wrong")
struct BadViewTests {
    private static let built = Result {
        try ExampleViews.build(
            """
            struct Trap: View {
                var numbers = [1, 2]
                var body: some View { Text("\\(numbers[numbers.count])") }
            }
            struct Endless: View { var body: some View { Inner(depth: 0) } }
            struct Inner: View {
                let depth: Int
                var body: some View { VStack { AnyView(Inner(depth: depth + 1)) } }
            }
            struct Greedy: View {
                var body: some View { Text("\\(fill())") }
                func fill() -> Int {
                    var all = [1]
                    while true { all += all }
                }
            }
            struct Hanging: View {
                var body: some View { Text("\\(wait())") }
                func wait() -> Int {
                    var n = 0
                    while n >= 0 { n = (n + 1) % 1000 }
                    return n
                }
            }
            struct Restless: View {
                @State private var n = 0
                var body: some View { Text("\\(n)").onChange(of: n, initial: true) { n += 1 } }
            }
            """)
    }

    @Test(
        "a trap, recursion, memory or a loop without end: the view ends, the process does not",
        arguments: [
            ("Trap", "view_trapped", 60), ("Endless", "view_trapped", 60),
            ("Greedy", "view_trapped", 60), ("Hanging", "view_time_limit", 0.3),
        ])
    func faults(view: String, code: String, seconds: Double) throws {
        let built = try Self.built.get()
        let fault = #expect(throws: ViewFault.self) {
            _ = try Screen(built.module, built.views.views, view, seconds: seconds)
        }
        #expect(fault?.code == code)
    }

    @Test("a view that never comes to rest is shown as it is")
    func restless() throws {
        let built = try Self.built.get()
        let screen = try Screen(built.module, built.views.views, "Restless")
        #expect(screen.words.count == 1)
    }

    @Test("asynchronous code is refused by place before the compiler sees it")
    func async() throws {
        let text = """
            struct Screen: View {
                var body: some View {
                    Text("a").task { await load() }
                }
                func load() async {}
            }
            """
        let error = #expect(throws: PatchProjectError.self) {
            _ = try ExampleViews.build(text)
        }
        #expect(error?.kind == .cannotShip)
        #expect(error?.places.map(\.line) == [4, 6])
    }

    @Test("a value that would be shown as a placeholder is refused")
    func placeholder() throws {
        let text = """
            struct Pair { var a = 1 }
            struct Screen: View {
                var body: some View { Text(verbatim: "\\(Pair())") }
            }
            """
        let error = #expect(throws: PatchProjectError.self) {
            _ = try ExampleViews.build(text)
        }
        #expect(error?.kind == .cannotShip)
    }
}
