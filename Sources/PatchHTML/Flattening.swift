import ViewTree

/// A view as its container sees it: groups, scopes, branches and loops are gone.
struct Item {
    enum Kind {
        case view(ViewNode)
        /// Rows of a long list that were not drawn: their list's token, the first and the number.
        case rest(EventToken, Int, Int)
    }

    var kind: Kind
    /// What identifies the row, if it is one.
    var key: UInt64?
    /// How to delete it, if it is a row of a list that can.
    var delete: (EventToken, Int)?
}

extension HTMLRenderer {
    /// The views that a container lays out. What is done to a group is done to each of its views.
    func items(_ nodes: [ViewNode]) -> [Item] {
        var list: [Item] = []
        for node in nodes { flatten(node, [], nil, nil, &list) }
        return list
    }

    private func flatten(
        _ node: ViewNode, _ outer: [ModifierNode], _ key: UInt64?, _ delete: (EventToken, Int)?,
        _ list: inout [Item]
    ) {
        switch node.view {
        case .group, .scope, .branch:
            let all = node.modifiers + outer
            for child in node.children { flatten(child, all, key, delete, &list) }
        case .row(let own):
            let all = node.modifiers + outer
            for child in node.children { flatten(child, all, own, delete, &list) }
        case .forEach(let token, let count):
            var action: EventToken?
            let others = node.modifiers.filter {
                if case .onDelete(let token) = $0.modifier { action = token }
                return action == nil
            }
            for (index, child) in node.children.enumerated() {
                flatten(child, others + outer, key, action.map { ($0, index) }, &list)
            }
            let drawn = node.children.count
            if Int(count) > drawn {
                list.append(Item(kind: .rest(token, drawn, Int(count))))
            }
        default:
            var copy = node
            copy.modifiers += outer
            list.append(Item(kind: .view(copy), key: key, delete: delete))
        }
    }
}
