import TestSupport
import Testing
import ViewSamples
import ViewTree

@Suite("Trees that cannot be read")
struct BadTreeTests {
    private func code(_ bytes: [UInt8], _ limits: TreeLimits = TreeLimits()) -> String? {
        do {
            _ = try Tree.decode(bytes, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    private func operation(_ number: UInt16, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(body.count)
        return [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
            + withUnsafeBytes(of: length.littleEndian) { Array($0) } + body
    }

    @Test("a tree cut off anywhere is refused")
    func truncated() {
        let whole = Tree.encode([ViewNode(.form, children: [ViewNode(.divider)])])
        #expect(code(whole) == nil)
        for count in 1..<whole.count {
            #expect(code(Array(whole[..<count])) != nil, "cut at \(count)")
        }
        #expect(code([10]) == "tree_truncated")
    }

    @Test("numbers that the vocabulary lacks are refused by place")
    func unknown() {
        #expect(code(operation(999, [])) == "tree_unknown_operation")
        #expect(code(operation(65_535, [])) == "tree_unknown_operation")
        // A modifier where views stand, and a view inside one that holds none.
        #expect(code(operation(1069, [])) == "tree_unknown_operation")
        #expect(code(operation(24, operation(24, []))) == "tree_unknown_operation")
    }

    @Test("lengths that lie are refused before anything is made of them")
    func lengths() {
        #expect(code([24, 0, 255, 255, 255, 255]) == "tree_truncated")
        // A length beyond the operation around.
        let inner: [UInt8] = [24, 0, 9, 0, 0, 0]
        #expect(code(operation(41, inner) + [0, 0]) == "tree_bad_length")
        // A text that claims four gigabytes.
        #expect(code(operation(10, [0, 255, 255, 255, 255])) == "tree_bad_length")
        // Arguments that claim more than their bytes could hold.
        let manyArguments: [UInt8] = [0, 0, 0, 0, 0, 255, 255, 255, 0]
        #expect(code(operation(10, manyArguments)) == "tree_bad_length")
    }

    @Test("values that their type does not have are refused")
    func values() {
        #expect(code(operation(20, [7, 0])) == "tree_bad_value")
        #expect(code(operation(20, [0, 2])) == "tree_bad_value")
        #expect(code(operation(9, [1])) == "tree_bad_value")
        #expect(code(operation(13, operation(9, [7]))) == "tree_bad_value")
        #expect(code(operation(13, operation(9, [0]))) == "tree_bad_value")
    }

    @Test("text that is not UTF-8 is refused")
    func text() {
        #expect(code(operation(10, [0, 1, 0, 0, 0, 0xff, 0, 0, 0, 0])) == "tree_bad_text")
        #expect(code(operation(10, [0, 2, 0, 0, 0, 0xc0, 0x80, 0, 0, 0, 0])) == "tree_bad_text")
    }

    @Test("views that nest too deep are refused, however deep the bytes go")
    func depth() {
        var bytes: [UInt8] = []
        for _ in 0..<2000 { bytes = operation(41, bytes) }
        #expect(code(bytes) == "tree_too_deep")
        var node = ViewNode(.divider)
        for _ in 0..<150 { node = ViewNode(.form, children: [node]) }
        #expect(code(Tree.encode([node])) == nil)
    }

    @Test("too many views and too many bytes are refused")
    func width() {
        let bytes = [UInt8](
            repeatElement(operation(24, []), count: 1001).joined())
        #expect(code(bytes, TreeLimits(nodes: 1001)) == nil)
        #expect(code(bytes, TreeLimits(nodes: 1000)) == "tree_too_many_nodes")
        #expect(code(bytes, TreeLimits(bytes: 1000)) == "tree_too_large")
    }

    @Test("trees with flipped bytes are read or refused, and never end the process")
    func flipped() throws {
        var random = SeededGenerator()
        let seed = random.description
        var nodes: [ViewNode] = []
        for view in Samples.views {
            var node = ViewNode(view)
            node.parts = view.partNames.map { _ in [ViewNode(.divider)] }
            nodes.append(node)
        }
        for modifier in Samples.modifiers {
            nodes.append(ViewNode(.divider, modifiers: [ModifierNode(modifier)]))
        }
        let whole = Tree.encode(nodes)
        var refused = 0
        for round in 0..<3000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            }
            do {
                let read = try Tree.decode(bytes)
                // What is read can be written and read again.
                #expect(try Tree.decode(Tree.encode(read)).count == read.count)
            } catch {
                refused += 1
                #expect(error.offset <= bytes.count, "\(seed), round \(round)")
            }
        }
        #expect(refused > 1000, "\(seed)")
    }

    @Test("every fault has a sentence that names its code and what to do")
    func sentences() {
        for kind in TreeError.Code.allCases {
            let text = TreeError(kind, at: 3).description
            #expect(text.contains(kind.rawValue) && text.contains("patchcli"))
        }
        for kind in ViewFault.Code.allCases {
            let text = ViewFault(kind, "x").description
            #expect(text.contains(kind.rawValue) && text.contains("patchcli"))
        }
    }
}
