import Foundation
import PatchHTML
import TestSupport
import ViewTree

/// What a user can do on a screen, found in its tree: the same list for the same screen, whoever
/// drew it and whatever the tokens are.
struct ScreenScript {
    let events: [(name: String, token: EventToken, payload: EventPayload)]

    init(_ tree: [ViewNode]) {
        var finder = Finder()
        tree.forEach { finder.walk($0) }
        events = finder.events
    }

    /// The event on what holds a text.
    func event(_ name: String) -> (EventToken, EventPayload)? {
        events.first { $0.name == name }.map { ($0.token, $0.payload) }
    }

    private struct Finder {
        var events: [(name: String, token: EventToken, payload: EventPayload)] = []

        private mutating func add(_ name: String, _ token: EventToken, _ payload: EventPayload) {
            events.append((name, token, payload))
        }

        mutating func walk(_ node: ViewNode) {
            let words = Self.words(node.children)
            switch node.view {
            case .button(_, let action): add(words, action, .none)
            case .toggle(let bound): add(words, bound.token, .bool(!bound.value))
            case .navigationLink(let bound): add(words, bound.token, .bool(!bound.value))
            case .textField(let title, let bound, _, _):
                for text in ["", "tea", "Höney 🍯", "Main Street 1"] {
                    add("\(title.key)=\(text)", bound.token, .string(text))
                }
            case .slider(let bound, let lower, let upper, _):
                add("slider", bound.token, .double((lower + 3 * upper) / 4))
            case .stepper(let up, let down):
                if let up { add("\(words) up", up, .none) }
                if let down { add("\(words) down", down, .none) }
            case .picker(let bound):
                for (name, tag) in Self.tags(node.children) {
                    add(name, bound.token, .integer(tag))
                }
            default: break
            }
            for modifier in node.modifiers {
                switch modifier.modifier {
                case .onTapGesture(let action): add("tap \(Self.words([node]))", action, .none)
                case .onDelete(let action): add("delete", action, .integer(0))
                default: break
                }
                for part in modifier.parts { for inner in part { walk(inner) } }
            }
            for part in node.parts { for inner in part { walk(inner) } }
        }

        static func words(_ nodes: [ViewNode]) -> String {
            nodes.flatMap { node -> [String] in
                var words: [String] = []
                if case .text(let content) = node.view { words.append(content.key) }
                return words + node.parts.map { Self.words($0) }.filter { !$0.isEmpty }
            }.joined(separator: " ")
        }

        private static func tags(_ nodes: [ViewNode]) -> [(String, UInt64)] {
            nodes.flatMap { node -> [(String, UInt64)] in
                let own = node.modifiers.compactMap { modifier -> (String, UInt64)? in
                    if case .tag(let value) = modifier.modifier {
                        return (Self.words([node]), value)
                    }
                    return nil
                }
                return own + tags(node.children)
            }
        }
    }

    /// A page with its tokens numbered in the order in which they appear.
    static func normalized(_ tree: [ViewNode]) -> String {
        var numbers: [UInt64: UInt64] = [:]
        let bytes = Tree.encode(tree) { token in
            let number = numbers[token.rawValue] ?? UInt64(numbers.count + 1)
            numbers[token.rawValue] = number
            return EventToken(rawValue: number)
        }
        let same = (try? Tree.decode(bytes)) ?? []
        return HTMLRenderer.screen(same).body
    }
}
