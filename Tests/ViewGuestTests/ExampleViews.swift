import Foundation
import PatchHTML
import TestSupport
import ViewTree
import WebAssembly

@testable import PatchCompiler

/// The views of `Examples/Views` as a module, built once for all tests.
enum ExampleViews {
    static let folder = SharedData.checkout.appendingPathComponent("Examples/Views")

    static func builder() throws -> ViewModuleBuilder {
        var options = GuestBuildOptions()
        options.cacheFolder = Tools.builtProducts.appendingPathComponent("guest-test-cache")
        options.timeout = 600
        return ViewModuleBuilder(
            GuestBuilder(toolchain: try Toolchain.discover(), options: options))
    }

    static func files() throws -> [GuestSource] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }.sorted()
            .map { name in
                let url = folder.appendingPathComponent(name)
                return GuestSource(
                    name: "Examples/Views/\(name)",
                    text: try String(contentsOf: url, encoding: .utf8))
            }
    }

    /// The module, its views and the decoded form that every test instantiates.
    struct Built: Sendable {
        let views: ViewModule
        let module: Module
    }

    static let built = Result { try build(files(), module: "Examples") }

    static func build(_ files: [GuestSource], module: String = "Examples") throws -> Built {
        let views = try builder().build(files, module: module)
        let module = try parseWasm(bytes: views.module.wasm)
        try module.validate()
        return Built(views: views, module: module)
    }

    /// A module of one file, for tests with views of their own.
    static func build(_ text: String) throws -> Built {
        let file = GuestSource(name: "Test.swift", text: "import SwiftUI\n" + text)
        return try build([file], module: "Test")
    }
}

/// A mounted view as a test uses it: by what can be read on the screen.
final class Screen {
    let guest: GuestViews
    let view: MountedView
    private(set) var tree: [ViewNode] = []

    struct NotThere: Error, CustomStringConvertible {
        var description: String
    }

    init(
        _ module: Module, _ views: [PatchedView], _ name: String, properties: [UInt8] = [0x90],
        in surroundings: Surroundings = Surroundings(), seconds: Double = 60
    ) throws {
        guest = try GuestViews(module, limits: .seconds(seconds), define: GuestHost.define)
        guard let found = views.first(where: { $0.name == name }) else {
            throw NotThere(description: "no view \(name) among \(views.map(\.name))")
        }
        view = try guest.mount(found.id, properties: properties, in: surroundings)
        try refresh()
    }

    /// A view of the examples.
    static func example(
        _ name: String, in surroundings: Surroundings = Surroundings()
    ) throws -> Screen {
        let built = try ExampleViews.built.get()
        return try Screen(built.module, built.views.views, name, in: surroundings)
    }

    func refresh() throws { tree = try view.render() }

    /// All that can be read, in order.
    var words: [String] { Self.words(of: tree) }

    static func words(of views: [ViewNode]) -> [String] { views.flatMap(words) }

    var html: String { HTMLRenderer.screen(tree).body }

    private static func words(_ node: ViewNode) -> [String] {
        var list: [String] = []
        if case .text(let content) = node.view {
            list.append(Screen.formatted(content))
        }
        for part in node.parts { list += part.flatMap(words) }
        for modifier in node.modifiers {
            for part in modifier.parts { list += part.flatMap(words) }
        }
        return list
    }

    /// Text as the HTML renderer shows it.
    private static func formatted(_ content: Tree.TextContent) -> String {
        let html = HTMLRenderer.screen([ViewNode(.text(content: content))]).body
        let open = html.range(of: "<span class=\"t\">")
        let close = html.range(of: "</span>", options: .backwards)
        guard let open, let close else { return html }
        return String(html[open.upperBound..<close.lowerBound])
    }

    /// Every view of the tree that has a property, outermost first.
    func find<T>(_ match: (ViewNode) -> T?) -> [T] {
        var found: [T] = []
        func walk(_ node: ViewNode) {
            if let value = match(node) { found.append(value) }
            for part in node.parts { part.forEach(walk) }
            for modifier in node.modifiers { modifier.parts.forEach { $0.forEach(walk) } }
        }
        tree.forEach(walk)
        return found
    }

    private func send(_ token: EventToken, _ payload: EventPayload) throws {
        _ = try view.send(token, payload)
        try refresh()
    }

    /// Taps the button or link whose label holds `text`.
    func tap(_ text: String, number: Int = 0) throws {
        let buttons = find { node -> (EventToken, EventPayload)? in
            guard
                Self.words(ViewNode(.group, children: node.children))
                    .contains(where: { $0.contains(text) }) || Self.symbols(node).contains(text)
            else { return nil }
            switch node.view {
            case .button(_, let action): return (action, .none)
            case .navigationLink(let isActive): return (isActive.token, .bool(true))
            default: return nil
            }
        }
        guard number < buttons.count else { throw NotThere(description: "no button \(text)") }
        try send(buttons[number].0, buttons[number].1)
    }

    private static func symbols(_ node: ViewNode) -> [String] {
        var list: [String] = []
        if case .image(let content) = node.view, case .symbol(let name) = content.source {
            list.append(name)
        }
        return list + node.parts.flatMap { $0.flatMap(symbols) }
    }

    func type(_ text: String, into prompt: String) throws {
        let fields = find { node -> EventToken? in
            guard case .textField(let content, let bound, _, _) = node.view,
                content.key == prompt
            else { return nil }
            return bound.token
        }
        guard let token = fields.first else { throw NotThere(description: "no field \(prompt)") }
        try send(token, .string(text))
    }

    func set(_ isOn: Bool, toggle number: Int = 0) throws {
        let tokens = find { node -> EventToken? in
            if case .toggle(let bound) = node.view { return bound.token }
            return nil
        }
        guard number < tokens.count else { throw NotThere(description: "no toggle \(number)") }
        try send(tokens[number], .bool(isOn))
    }

    func choose(_ text: String, picker number: Int = 0) throws {
        let pickers = find { node -> (EventToken, [ViewNode])? in
            if case .picker(let selection) = node.view { return (selection.token, node.children) }
            return nil
        }
        guard number < pickers.count else { throw NotThere(description: "no picker \(number)") }
        func tag(_ nodes: [ViewNode]) -> UInt64? {
            for node in nodes {
                for case .tag(let value) in node.modifiers.map(\.modifier)
                where Self.words(node).contains(text) { return value }
                if let inner = tag(node.children) { return inner }
            }
            return nil
        }
        guard let value = tag(pickers[number].1) else {
            throw NotThere(description: "no choice \(text)")
        }
        try send(pickers[number].0, .integer(value))
    }

    /// Sends to the first modifier that `match` finds.
    func send(
        _ payload: EventPayload, to match: (Tree.Modifier) -> EventToken?
    ) throws {
        let tokens = find { node in node.modifiers.compactMap { match($0.modifier) }.first }
        guard let token = tokens.first else { throw NotThere(description: "no such modifier") }
        try send(token, payload)
    }
}

extension ViewLimits {
    /// The usual limits with other times, which do not depend on how busy the machine is.
    static func seconds(_ seconds: Double) -> ViewLimits {
        var limits = ViewLimits()
        limits.callNanoseconds = UInt64(seconds * 1e9)
        limits.startNanoseconds = 60_000_000_000
        return limits
    }
}

/// What the examples' module may import.
enum GuestHost {
    static func define(in imports: inout Imports, store: Store) {
        imports.define(
            module: "openpatch", name: "log.write",
            Function(store: store, type: FunctionType(parameters: [.i32, .i32, .i32])) { _, _ in })
        GuestSettings().define(in: &imports, store: store)
    }
}
