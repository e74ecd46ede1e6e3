import PatchCrypto

/// Roles that a targets role trusts with some paths, in order of priority (specification §4.5).
public struct Delegations: Equatable, Sendable {
    /// The keys of the delegated roles by identifier.
    public var keys: [String: TUFKey]
    /// The delegated roles, first one first.
    public var roles: [DelegatedRole]
    /// Members that this library does not know.
    public var unrecognized: [String: JSONValue] = [:]

    /// Delegations to `roles`.
    public init(keys: [TUFKey] = [], roles: [DelegatedRole] = []) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { first, _ in first }
        self.roles = roles
    }

    init(json: JSONValue) throws {
        var fields = try FieldReader(json, "delegations")
        keys = try TUFKey.dictionary(try fields.object("keys"))
        // Absent in the hash-bin form of TAP 15, which is kept but not followed.
        roles =
            fields.has("roles")
            ? try fields.array("roles").map { try DelegatedRole(json: $0) } : []
        unrecognized = fields.rest
        guard Set(roles.map(\.name)).count == roles.count else {
            throw FieldReader.malformed("'roles' of delegations must not name a role twice")
        }
    }

    var json: JSONValue {
        var members = unrecognized
        members["keys"] = .object(keys.mapValues(\.json))
        if unrecognized["succinct_roles"] == nil || !roles.isEmpty {
            members["roles"] = .array(roles.map(\.json))
        }
        return .object(members)
    }

    /// The delegation to `name`.
    public func role(_ name: String) -> DelegatedRole? { roles.first { $0.name == name } }

    /// Checks that the keys of `role` signed a document.
    package func verify(_ document: SignedMetadata<Targets>, as role: String) throws {
        guard let delegation = self.role(role) else {
            throw TUFError(
                .roleNotDelegated, role: role, "Nothing delegates to a role '\(role)'.")
        }
        try delegation.keys.verify(
            document.signedBytes, document.signatures, keys: keys, role: role)
    }
}

/// One delegation (specification §4.5).
public struct DelegatedRole: Equatable, Sendable {
    /// Which target paths a delegation covers.
    public enum Scope: Equatable, Sendable {
        /// Patterns with `*`, `?` and `[…]` within one segment of the path.
        case paths([String])
        /// Beginnings of the hexadecimal SHA-256 of the path.
        case hashPrefixes([String])
    }

    /// The name of the role; its file is `<name>.json`.
    public var name: String
    /// Who may sign for it.
    public var keys: RoleKeys
    /// Whether later delegations are passed over when this one matches.
    public var terminating: Bool
    /// Which paths it covers.
    public var scope: Scope
    /// Members that this library does not know.
    public var unrecognized: [String: JSONValue] = [:]

    /// A delegation, terminating by default.
    public init(name: String, keys: RoleKeys, scope: Scope, terminating: Bool = true) {
        self.name = name
        self.keys = keys
        self.scope = scope
        self.terminating = terminating
    }

    init(json: JSONValue) throws {
        var fields = try FieldReader(json, "delegation")
        name = try fields.string("name")
        guard !name.isEmpty, name.utf8.count <= 200, TopLevelRole(rawValue: name) == nil else {
            throw FieldReader.malformed(
                "a delegated role must have a name of its own, of at most 200 bytes")
        }
        keys = try RoleKeys(taking: &fields, place: "delegation '\(name.prefix(40))'")
        // Absent in metadata written before the member existed; the specification's default.
        terminating = try fields.optionalBool("terminating") ?? false
        switch (fields.has("paths"), fields.has("path_hash_prefixes")) {
        case (true, false): scope = .paths(try fields.strings("paths"))
        case (false, true): scope = .hashPrefixes(try fields.strings("path_hash_prefixes"))
        default:
            throw FieldReader.malformed(
                "delegation '\(name.prefix(40))' must have paths or path_hash_prefixes, one of them"
            )
        }
        unrecognized = fields.rest
    }

    var json: JSONValue {
        var members = unrecognized
        members["name"] = .string(name)
        members["keyids"] = .array(keys.keyIDs.map { .string($0) })
        members["threshold"] = .integer(Int64(keys.threshold))
        members["terminating"] = .bool(terminating)
        switch scope {
        case .paths(let patterns): members["paths"] = .array(patterns.map { .string($0) })
        case .hashPrefixes(let prefixes):
            members["path_hash_prefixes"] = .array(prefixes.map { .string($0) })
        }
        return .object(members)
    }

    /// Whether the delegation covers the target `path`.
    public func covers(_ path: String) -> Bool {
        switch scope {
        case .paths(let patterns): patterns.contains { PathPattern.matches(path, $0) }
        case .hashPrefixes(let prefixes):
            prefixes.contains { SHA256.hash(path).hex.hasPrefix($0) }
        }
    }
}
