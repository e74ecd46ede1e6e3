import Foundation
import TestSupport
import Testing
import ViewTree

/// Screens of a running program change over the air, keep what was typed into them, and go back.
@Suite("Views, over the air", .serialized)
struct ViewLoopTests {
    /// `make edits-views`: every edit, ten mutations and both forms of the program; else a few.
    private static let isFull =
        ProcessInfo.processInfo.environment["OPENPATCH_EDITS"] == "all"

    @Test(
        "an update changes a screen that is shown, state stays, and a rollback takes it back",
        arguments: isFull ? ["-Onone", "-O"] : ["-O"])
    func wholeLife(flag: String) throws {
        let loop = try ViewLoop("views\(flag)")
        let program = try loop.store([flag])
        var page = try program.show("cart")
        #expect(page.running == "embedded" || page.running == "native")
        #expect(page.html.contains("Put one in") == false)
        page = try program.use("More", on: page)
        page = try program.use("Put one in", on: page)
        page = try program.use("I have a voucher", on: page)
        let built = page
        #expect(page.html.contains("× 4"))

        // The first update: another text, a row more.
        try Edit.screens()[0].apply(in: loop.loop.app)
        let first = try loop.release()
        page = try program.ask("look")
        #expect(page.running == first)
        #expect(page.html.contains("Basket"), "the module draws the screen")
        #expect(page.html.contains("× 4"), "native state went along")
        #expect(page.html.contains("Voucher"))
        page = try program.use("More", on: page)
        #expect(page.html.contains("Put one in"))
        page = try program.use("Put one in", on: page)
        #expect(page.html.contains("× 5"))

        // The second one has a new state, and what was opened in a row stays open.
        try Edit.screens()[1].apply(in: loop.loop.app)
        let second = try loop.release()
        page = try program.ask("look")
        #expect(page.running == second)
        #expect(page.html.contains("Changed 0 times"))
        #expect(page.html.contains("Put one in"), "state of a row went to the next module")
        page = try program.use("Put one in", on: page)
        #expect(page.html.contains("Changed 1 times"))
        #expect(page.html.contains("× 6"))

        // Back to the first module, then to what the store has.
        _ = try loop.loop.json("rollback", "--to", first)
        page = try program.ask("look")
        #expect(page.running == first)
        #expect(page.html.contains("× 6"))
        #expect(page.html.contains("Put one in"))
        #expect(!page.html.contains("Changed"))
        _ = try loop.loop.json("rollback", "--embedded")
        page = try program.ask("look")
        #expect(!page.html.contains("Basket"))
        #expect(page.html.contains("× 6"), "the module's state is the app's again")
        #expect(built.html.contains("Cart"))
        #expect(program.problems == "", "\(program.problems)")
    }

    @Test("edits and random mutations draw what the changed app draws when it is built natively")
    func edits() throws {
        var generator = SeededGenerator()
        print("edits of views: \(generator)")
        let loop = try ViewLoop("view-edits")
        let store = try loop.store(["-Onone"])
        let edits = try Edit.screens()
        #expect(edits.count >= 10)
        var seen = 0
        for edit in Self.isFull ? edits : [edits[2]] {
            let outcome = try ship(edit.title, to: loop, store, &generator) {
                try edit.apply(in: loop.loop.app)
            }
            if outcome { seen += 1 }
        }
        // The others show only after events.
        #expect(seen >= (Self.isFull ? 5 : 1))
        try mutate(loop, store, count: Self.isFull ? 10 : 1, &generator)
        #expect(store.problems == "")
    }

    /// Releases a change and compares every screen after random events.
    /// - Returns: whether some screen is another one than before the change.
    private func ship(
        _ title: String, to loop: ViewLoop, _ store: ScreenProgram,
        _ generator: inout SeededGenerator, _ change: () throws -> Void
    ) throws -> Bool {
        try loop.reset()
        try change()
        let native = try loop.native()
        let before = try ViewLoop.screens.map { try store.show($0).page }
        let version = try loop.release()
        #expect(try store.ask("look").running == version)
        var isSeen = false
        for (number, screen) in ViewLoop.screens.enumerated() {
            var patched = try store.show(screen)
            var built = try native.show(screen)
            if patched.page != before[number] { isSeen = true }
            for step in 0..<20 {
                guard patched.page == built.page else {
                    Issue.record(
                        """
                        \(title): \(screen), step \(step), \(generator)
                        over the air: \(patched.page)
                        native: \(built.page)
                        """)
                    break
                }
                let events = ScreenScript(patched.tree).events
                let others = ScreenScript(built.tree).events
                #expect(events.map(\.name) == others.map(\.name), "\(title): \(screen)")
                guard events.count == others.count, !events.isEmpty else { break }
                let choice = Int.random(in: events.indices, using: &generator)
                patched = try store.send(events[choice].token, events[choice].payload)
                built = try native.send(others[choice].token, others[choice].payload)
            }
        }
        print("edits of views: shipped \(version): \(title)")
        return isSeen
    }

    /// Ships `count` mutations of the screens, of every kind in turn. One that does not compile is
    /// no change that anybody would ship; one that is refused is drawn again.
    private func mutate(
        _ loop: ViewLoop, _ store: ScreenProgram, count: Int,
        _ generator: inout SeededGenerator
    ) throws {
        let names = [
            "CatalogScreen", "ProductScreen", "CartScreen", "OrderScreen", "OptionsScreen",
        ]
        let kinds = Mutation.Kind.allCases.shuffled(using: &generator)
        var done = 0
        var tries = 0
        while done < count {
            tries += 1
            try #require(tries < 10 * count + 30, "too few mutations can ship")
            try loop.reset()
            let files = names.map { loop.sources.appendingPathComponent($0 + ".swift") }
            let all = try Mutation.candidates(kinds[tries % kinds.count], in: files)
            guard let mutation = all.randomElement(using: &generator) else { continue }
            do {
                _ = try ship(mutation.description, to: loop, store, &generator) {
                    try mutation.apply()
                }
                done += 1
            } catch is NativeProgram.Failed {
                continue
            } catch let refused as ShopLoop.Refused {
                #expect(refused.status == 6, "\(mutation): \(refused.message)")
                print("edits of views: refused: \(mutation): \(refused.message.prefix(300))")
            }
        }
    }
}
