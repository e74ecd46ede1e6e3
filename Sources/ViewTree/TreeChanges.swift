/// Trees of which a module sent only what changed: an operation 8 that holds the scopes that take
/// the places of those with the same numbers.
extension Tree {
    static let changesNumber: UInt16 = 8

    /// Reads what a module sent after `last`: a whole tree, or what changed of it.
    /// - Throws: ``TreeError``, also for a scope that `last` does not have.
    public static func applying(
        _ bytes: [UInt8], to last: [ViewNode], limits: TreeLimits = TreeLimits()
    ) throws(TreeError) -> [ViewNode] {
        guard bytes.count >= 6, UInt16(bytes[0]) | UInt16(bytes[1]) << 8 == changesNumber else {
            return try decode(bytes, limits: limits)
        }
        let length = bytes[2..<6].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length == bytes.count - 6 else { throw TreeError(.badLength, at: 2) }
        var nodes = last
        for change in try decode(Array(bytes[6...]), limits: limits) {
            guard case .scope(let id) = change.view, change.modifiers.isEmpty,
                replace(id, with: change.parts, in: &nodes)
            else { throw TreeError(.badValue, at: 6) }
        }
        return nodes
    }

    private static func replace(
        _ id: UInt32, with parts: [[ViewNode]], in nodes: inout [ViewNode]
    ) -> Bool {
        for index in nodes.indices {
            if case .scope(id) = nodes[index].view {
                nodes[index].parts = parts
                return true
            }
            for part in nodes[index].parts.indices
            where replace(id, with: parts, in: &nodes[index].parts[part]) { return true }
            for modifier in nodes[index].modifiers.indices {
                for part in nodes[index].modifiers[modifier].parts.indices
                where replace(id, with: parts, in: &nodes[index].modifiers[modifier].parts[part]) {
                    return true
                }
            }
        }
        return false
    }
}
