import Foundation
import PatchHTML
import TestSupport
import Testing
import ViewTree

@testable import PatchCompiler

/// The same view sources, compiled natively and to a module, must draw the same: the trees are
/// compared byte by byte, and the HTML that is made of them.
@Suite("Native views and their patches draw the same", .serialized)
struct DifferentialTests {
    static let names = [
        "Counter", "ChoresScreen", "SettingsScreen", "ShopScreen", "LongListScreen",
        "GalleryScreen", "DeskScreen",
    ]

    /// `make fuzz-views` sets more.
    private static let rounds =
        ProcessInfo.processInfo.environment["OPENPATCH_VIEW_ROUNDS"].flatMap { Int($0) } ?? 1

    /// Everything that a user can do on a screen.
    private func possibleEvents(
        _ tree: [ViewNode], _ random: inout SeededGenerator
    ) -> [(EventToken, EventPayload)] {
        let texts = ["", "a", "Höney 🍯", "x<y>&\"", String(repeating: "long ", count: 50)]
        var events: [(EventToken, EventPayload)] = []
        func modifier(_ modifier: Tree.Modifier) {
            switch modifier {
            case .onTapGesture(let action): events.append((action, .none))
            case .onSubmit(let action): events.append((action, .none))
            case .onDelete(let action): events.append((action, .integer(0)))
            case .focused(let bound): events.append((bound.token, .bool(!bound.value)))
            case .onAppear(let action): events.append((action, .none))
            case .sheet(let bound), .alert(_, let bound), .confirmationDialog(_, let bound, _):
                if bound.value { events.append((bound.token, .bool(false))) }
            default: break
            }
        }
        func walk(_ node: ViewNode) {
            switch node.view {
            case .button(_, let action): events.append((action, .none))
            case .toggle(let bound): events.append((bound.token, .bool(!bound.value)))
            case .navigationLink(let bound):
                events.append((bound.token, .bool(!bound.value)))
            case .textField(_, let bound, _, _):
                let text = texts.randomElement(using: &random) ?? ""
                events.append((bound.token, .string(text)))
            case .slider(let bound, let lower, let upper, _):
                events.append((bound.token, .double((lower + upper) / 2)))
            case .stepper(let up, let down):
                for token in [up, down].compactMap({ $0 }) { events.append((token, .none)) }
            case .picker(let bound), .tabView(let bound):
                for tag in tags(node.children) { events.append((bound.token, .integer(tag))) }
            default: break
            }
            for one in node.modifiers {
                modifier(one.modifier)
                for part in one.parts { part.forEach(walk) }
            }
            for part in node.parts { part.forEach(walk) }
        }
        tree.forEach(walk)
        return events
    }

    private func tags(_ nodes: [ViewNode]) -> [UInt64] {
        nodes.flatMap { node -> [UInt64] in
            let own = node.modifiers.compactMap { modifier -> UInt64? in
                if case .tag(let value) = modifier.modifier { return value }
                return nil
            }
            return own + tags(node.children)
        }
    }

    private func compare(
        _ native: [UInt8]?, _ guest: [UInt8]?, _ place: @autoclosure () -> String
    ) throws -> [ViewNode] {
        let bytes = try #require(native, "\(place()): the native view is gone")
        let patched = try #require(guest, "\(place()): the patched view is gone")
        let one = try Tree.decode(bytes)
        let other = try Tree.decode(patched)
        if bytes != patched {
            #expect(one == other, "\(place())")
            #expect(
                HTMLRenderer.screen(one) == HTMLRenderer.screen(other), "\(place())")
            Issue.record("\(place()): the bytes differ")
        }
        return other
    }

    @Test("after any script of events", arguments: names)
    func scripts(name: String) throws {
        let built = try ExampleViews.built.get()
        let host = try HostViews()
        var random = SeededGenerator()
        let seed = random.description
        let id = try #require(built.views.views.first { $0.name == name }).id
        for round in 0..<Self.rounds {
            let guest = try GuestViews(
                built.module, limits: .seconds(60), define: GuestHost.define)
            var surroundings = Surroundings()
            let view = try guest.mount(id, in: surroundings)
            var tree = try compare(
                host.mount(name, in: surroundings), view.renderedBytes(),
                "\(name), mounted, \(seed)")
            for step in 0..<25 {
                let place = "\(name), round \(round), step \(step), \(seed)"
                let events = possibleEvents(tree, &random)
                guard let (token, payload) = events.randomElement(using: &random) else { break }
                if Int.random(in: 0..<12, using: &random) == 0 {
                    surroundings.scheme = surroundings.scheme == .dark ? .light : .dark
                    try view.update(in: surroundings)
                    tree = try compare(
                        host.update(surroundings), view.renderedBytes(), place)
                    continue
                }
                _ = try view.send(token, payload)
                // Some passes send only what changed; applied, it is the native tree as well.
                if step % 5 == 4 {
                    tree = try compare(
                        host.send(token, payload), view.renderedBytes(),
                        "\(place): \(token.rawValue) \(payload)")
                } else {
                    let native = try #require(try host.send(token, payload))
                    tree = try view.renderChanges()
                    #expect(
                        try tree == Tree.decode(native),
                        "\(place), changes: \(token.rawValue) \(payload)")
                }
            }
        }
    }

    @Test("and rows of long lists that are asked for by themselves")
    func rows() throws {
        let built = try ExampleViews.built.get()
        let host = try HostViews()
        let guest = try GuestViews(built.module, limits: .seconds(60), define: GuestHost.define)
        let name = "LongListScreen"
        let id = try #require(built.views.views.first { $0.name == name }).id
        let view = try guest.mount(id)
        let tree = try compare(
            host.mount(name, in: Surroundings()), view.renderedBytes(), name)
        func list(_ nodes: [ViewNode]) -> EventToken? {
            for node in nodes {
                if case .forEach(let token, let count) = node.view, count > 100 { return token }
                if let inner = list(node.children) { return inner }
            }
            return nil
        }
        let token = try #require(list(tree))
        for index in [64, 9_999, 5_000, 64] {
            let native = try #require(try host.row(token, index))
            #expect(try view.row(token, index) == Tree.decode(native), "row \(index)")
        }
    }

    @Test("the comparison notices a modifier, a text and a token that differ")
    func notices() throws {
        let built = try ExampleViews.built.get()
        let files = try ExampleViews.files()
        let host = try HostViews()
        let native = try #require(try host.mount("Counter", in: Surroundings()))
        func drawn(_ change: (String) -> String) throws -> [UInt8] {
            let changed = files.map { GuestSource(name: $0.name, text: change($0.text)) }
            let module = changed == files ? built : try ExampleViews.build(changed)
            return try Screen(module.module, module.views.views, "Counter").view.renderedBytes()
        }
        #expect(try drawn { $0 } == native)
        let other = try drawn {
            $0.replacingOccurrences(of: ".foregroundStyle(.secondary)", with: "")
                .replacingOccurrences(of: "\"Less\"", with: "\"Fewer\"")
        }
        #expect(other != native)
        #expect(
            try HTMLRenderer.screen(Tree.decode(other))
                != HTMLRenderer.screen(Tree.decode(native)))
    }
}
