import Foundation
import TestSupport
import Testing

/// The shop that runs takes each change over the air and then answers as the changed shop does
/// when it is built natively.
@Suite("Edits of the shop, over the air")
struct EditTests {
    /// `make edits`: every edit and ten mutations; else a few.
    private static let isFull = ProcessInfo.processInfo.environment["OPENPATCH_EDITS"] == "all"

    @Test("edits and random mutations, one after the other, and a rollback")
    func all() throws {
        var generator = SeededGenerator()
        print("edits: \(generator)")
        let shop = try ShopLoop("edits", orders: try ShopOrders.make(400, &generator))
        try shop.waitFor("embedded")
        let built = try shop.answers()
        #expect(try shop.native() == built)
        #expect(Set(built).count > 50, "the orders differ")

        let edits = try Edit.all()
        #expect(edits.count >= 10)
        var shipped: [(version: String, answers: [String])] = []
        for edit in Self.isFull ? edits : [edits[3]] {
            let outcome = try ship(edit.title, to: shop) { try edit.apply(in: shop.app) }
            #expect(outcome.answers != built, "'\(edit.title)' is seen")
            shipped.append(outcome)
        }
        shipped += try mutate(shop, count: Self.isFull ? 10 : 1, &generator)

        // Back to an earlier one, of which the last few stay live, and to what the store has.
        let earlier = shipped[shipped.count - 2]
        _ = try shop.loop.json("rollback", "--to", earlier.version)
        try shop.waitFor(earlier.version)
        #expect(try shop.answers() == earlier.answers, "after the rollback")
        _ = try shop.loop.json("rollback", "--embedded")
        try shop.waitFor("embedded")
        #expect(try shop.answers() == built, "embedded again")
        #expect(shop.problems.isEmpty, "\(shop.problems)")
        try mistake(shop, built)
    }

    /// A change that traps: native code serves the calls, and the place is known.
    private func mistake(_ shop: ShopLoop, _ built: [String]) throws {
        try shop.reset()
        let file = shop.sources.appendingPathComponent("Pricing.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let parts = text.components(separatedBy: "+ 999) / 1_000")
        try #require(parts.count == 2)
        try parts.joined(separator: "+ 999) / (cart.lines.count - cart.lines.count)")
            .write(to: file, atomically: true, encoding: .utf8)
        let line = parts[0].components(separatedBy: "\n").count
        let version = try shop.release()
        try shop.waitFor(version)
        #expect(try shop.answers() == built, "native code serves what traps")
        let problems = shop.problems.joined(separator: "\n")
        let log = try shop.loop.folder.write(problems, to: "problems.log")
        let result = try ChildProcess.run(
            "sh", ["-c", "'\(Loop.patchcli)' symbolicate --release \(version) <'\(log.path)'"],
            in: shop.app)
        #expect(
            result.standardOutput.contains("at Sources/Storefront/Pricing.swift:\(line), byte "),
            "\(problems)\n\(result)")
        print("edits: trapped: \(result.standardOutput.prefix(300))")
    }

    private func ship(
        _ title: String, to shop: ShopLoop, _ change: () throws -> Void
    ) throws -> (version: String, answers: [String]) {
        try shop.reset()
        try change()
        // What is refused takes no native build.
        let version = try shop.release()
        let expected = try shop.native()
        try shop.waitFor(version)
        let found = try shop.answers()
        for (order, (one, other)) in zip(shop.orders, zip(found, expected)) where one != other {
            Issue.record("\(title): \(order)\nover the air:\n\(one)\nnative:\n\(other)")
            break
        }
        #expect(shop.problems.isEmpty, "\(title): \(shop.problems)")
        print("edits: shipped \(version): \(title)")
        return (version, found)
    }

    /// Ships `count` mutations, of every kind in turn. One that does not compile, or breaks the
    /// program natively, is no change that anybody would ship; one that is refused is drawn again.
    private func mutate(
        _ shop: ShopLoop, count: Int, _ generator: inout SeededGenerator
    ) throws -> [(version: String, answers: [String])] {
        let names = ["Money", "Cart", "Pricing", "Checkout", "Order"]
        let kinds = Mutation.Kind.allCases.shuffled(using: &generator)
        var done: [(version: String, answers: [String])] = []
        var tries = 0
        while done.count < count {
            tries += 1
            try #require(tries < 10 * count + 30, "too few mutations can ship")
            try shop.reset()
            let files = names.map { shop.sources.appendingPathComponent($0 + ".swift") }
            let all = try Mutation.candidates(kinds[done.count % kinds.count], in: files)
            let mutation = try #require(all.randomElement(using: &generator))
            do {
                done.append(try ship(mutation.description, to: shop) { try mutation.apply() })
            } catch is NativeProgram.Failed {
                continue
            } catch is ShopLoop.NativeFailure {
                continue
            } catch let refused as ShopLoop.Refused {
                #expect(refused.status == 6, "\(mutation): \(refused.message)")
                print("edits: refused: \(mutation): \(refused.message.prefix(300))")
            }
        }
        return done
    }
}
