import Testing
import ViewTree

@Suite("Changes of a tree")
struct TreeChangesTests {
    private func text(_ words: String) -> ViewNode {
        ViewNode(.text(content: Tree.TextContent(key: words, isVerbatim: true)))
    }

    private func scope(_ id: UInt32, _ children: ViewNode...) -> ViewNode {
        ViewNode(.scope(id: id), children: children)
    }

    private func changes(_ nodes: [ViewNode]) -> [UInt8] {
        let body = Tree.encode(nodes)
        return [8, 0] + withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + body
    }

    private func code(_ bytes: [UInt8], _ last: [ViewNode]) -> String? {
        do {
            _ = try Tree.applying(bytes, to: last)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("scopes take the places of those with their numbers, in children and in modifiers")
    func applied() throws {
        var sheet = ModifierNode(
            .background(alignment: Tree.Alignment(horizontal: .center, vertical: .center)))
        sheet.parts = [[scope(3, text("behind"))]]
        let before = [
            ViewNode(.form, children: [scope(1, text("a"), scope(2, text("b"))), text("c")]),
            ViewNode(.divider, modifiers: [sheet]),
        ]
        let after = try Tree.applying(
            changes([scope(2, text("B"), text("more")), scope(3)]), to: before)
        sheet.parts = [[]]
        #expect(
            after[0]
                == ViewNode(
                    .form,
                    children: [
                        scope(1, text("a"), scope(2, text("B"), text("more"))), text("c"),
                    ]))
        #expect(after[1].modifiers[0].parts.flatMap { $0 }.first?.children.isEmpty == true)
        #expect(try Tree.applying(changes([]), to: before) == before)
        #expect(try Tree.applying(Tree.encode(before), to: []) == before)
    }

    @Test("a scope that is not there, other views and lengths that lie are refused")
    func refused() {
        let last = [scope(1, text("a"))]
        #expect(code(changes([scope(9)]), last) == "tree_bad_value")
        #expect(code(changes([text("a")]), last) == "tree_bad_value")
        #expect(code(changes([scope(1)]) + [0], last) == "tree_bad_length")
        #expect(code([8, 0, 255, 255, 255, 255], last) == "tree_bad_length")
        #expect(code([8, 0, 1], last) != nil)
        // Where a whole tree is expected it is no operation at all.
        #expect((try? Tree.decode(changes([scope(1)]))) == nil)
    }
}
