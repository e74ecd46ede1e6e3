import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

/// Which views are routed, how their bodies are wrapped, and what a change of them covers.
@Suite("Routing views")
struct ViewRoutingTests {
    private static let app = """
        import SwiftUI

        struct Item: Hashable { var id: Int; var name: String }

        struct ShopScreen: View {
            let items: [Item]
            @Binding var chosen: Int
            @State private var query = ""
            @State private var item = Item(id: 1, name: "Tea")
            @State private var strange: AnyObject? = nil
            @Environment(\\.colorScheme) private var scheme

            var body: some View {
                VStack { Text(title); ItemRow(item: item) { choose() } }
            }

            private var title: String { shown(query) }
            private func choose() { chosen = 2 }
        }

        struct ItemRow: View {
            let item: Item
            let choose: () -> Void
            var body: some View { Button(item.name) { choose() } }
        }

        struct OneLine: View { var body: some View { Text("one") } /* } */ }

        func shown(_ query: String) -> String { query.isEmpty ? "All" : query }

        struct Made: View {
            var count: Int
            init(_ count: Int) { self.count = count }
            var body: some View { Text("made") }
        }

        struct Given: View { @State var count: Int; var body: some View { Text("given") } }
        struct Seen: View { @ObservedObject var model: Model; var body: some View { Text("") } }
        struct Box<Content: View>: View { let content: Content; var body: some View { content } }
        @available(iOS 99, *) struct Later: View { var body: some View { Text("later") } }
        enum Home { private struct Hidden: View { var body: some View { Text("hidden") } } }

        @main struct Program {
            static func main() { _ = ShopScreen(items: [], chosen: .constant(1)) }
        }

        """

    private static func scan(_ text: String = app) throws -> (SourceFile, [RoutableView]) {
        let file = try SourceFile(
            module: "App", path: "Sources/App.swift", url: URL(fileURLWithPath: "/App.swift"),
            stored: Array(text.utf8))
        return (file, FunctionScanner.scan(SourceTree(files: [file])).views)
    }

    @Test("a view is routed when all that it is made with crosses")
    func routed() throws {
        let (_, views) = try Self.scan()
        #expect(views.map(\.path) == ["ShopScreen", "OneLine"])
        let shop = try #require(views.first)
        #expect(shop.properties.map(\.name) == ["items", "chosen"])
        #expect(shop.properties.map(\.isBinding) == [false, true])
        #expect(shop.states.map(\.name) == ["query", "item"])
    }

    @Test("bodies are wrapped on lines that exist, and restored byte for byte")
    func wrapped() throws {
        let (file, views) = try Self.scan()
        let marked = Preparer.marked(file, [], views: views)
        let text = String(decoding: marked, as: UTF8.self)
        #expect(
            text.contains(
                "PatchedBody(op_gate_\(views[0].hexID) ? op_view_\(views[0].hexID)() : nil) {"))
        #expect(marked.filter { $0 == 0x0a } == file.bytes.filter { $0 == 0x0a })
        #expect(try Marks.strip(marked, file: "App.swift") == file.bytes)
        let (_, again) = try Self.scan(text)
        #expect(again.map(\.bodyHash) == views.map(\.bodyHash))
    }

    @Test("what a view is made with is its signature; its state and its body are not")
    func signature() throws {
        func signature(_ old: String = "", _ new: String = "") throws -> UInt64? {
            let text = old.isEmpty ? Self.app : Self.app.replacingOccurrences(of: old, with: new)
            return try Self.scan(text).1.first { $0.path == "ShopScreen" }?.signature
        }
        let before = try signature()
        #expect(try signature("Text(title)", "Text(\"x\")") == before)
        #expect(
            try signature(
                "    @State private var query",
                "    @State private var n = 0\n    @State private var query") == before)
        #expect(try signature("let items: [Item]", "let items: [Item]?") != before)
        #expect(try signature("var name: String }", "var name: String; var price = 0 }") != before)
        #expect(try signature("@Binding var chosen", "let chosen") != before)
    }

    private static func change(_ old: String, _ new: String) throws -> CoverageReport {
        let fixture = try ProjectFixture(files: ["App.swift": app])
        let code = try AppCode(
            folder: fixture.folder, configuration: fixture.project().configuration)
        let manifest = try CoverageTests.manifest(code)
        try fixture.edit("Sources/App.swift", old, new)
        return try fixture.project().coverage(of: manifest)
    }

    @Test(
        "a change covers the views that draw it",
        arguments: [
            ("Text(title);", "Text(title).bold();", ["ShopScreen.body"]),
            (
                "private func choose() { chosen = 2 }", "private func choose() { chosen = 3 }",
                ["ShopScreen.body"]
            ),
            ("Button(item.name)", "Button(item.name + \"!\")", ["ShopScreen.body"]),
            ("Text(\"one\")", "Text(\"two\")", ["OneLine.body"]),
            ("? \"All\" :", "? \"Everything\" :", ["shown(_:)"]),
            (
                "    @State private var query",
                "    @State private var n = 0\n    @State private var query", []
            ),
        ])
    func covered(old: String, new: String, names: [String]) throws {
        #expect(try Self.change(old, new).covered.map(\.name).sorted() == names)
    }

    @Test("what a view begins with is native code's, and a change of it is refused by name")
    func refused() throws {
        let error = #expect(throws: PatchProjectError.self) {
            try Self.change(
                "@State private var query = \"\"", "@State private var query = \"tea\"")
        }
        #expect(error?.kind == .nativeChange)
        #expect(error?.message.contains("Program.main") == true, "\(String(describing: error))")
    }
}
