import TUF

extension Root {
    /// Gives `role` the keys `newKeys`, and forgets keys that no role lists any more.
    public mutating func setKeys(_ newKeys: [TUFKey], threshold: Int = 1, of role: TopLevelRole) {
        for key in newKeys { keys[key.keyID] = key }
        var ids: [String] = []
        for key in newKeys where !ids.contains(key.keyID) { ids.append(key.keyID) }
        self[role].keyIDs = ids
        self[role].threshold = threshold
        let used = Set(roles.values.flatMap(\.keyIDs))
        keys = keys.filter { used.contains($0.key) }
    }
}

extension Delegations {
    /// Adds a delegation, or replaces the one of the same name in its place; forgets keys that no
    /// delegation lists any more.
    public mutating func set(_ role: DelegatedRole, keys newKeys: [TUFKey]) {
        for key in newKeys { keys[key.keyID] = key }
        if let index = roles.firstIndex(where: { $0.name == role.name }) {
            roles[index] = role
        } else {
            roles.append(role)
        }
        let used = Set(roles.flatMap(\.keys.keyIDs))
        keys = keys.filter { used.contains($0.key) }
    }
}
