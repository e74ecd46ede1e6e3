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
