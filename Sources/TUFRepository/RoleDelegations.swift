import TUF

extension BuildRole {
    /// The delegation to a build's role: terminating, over the paths of the build. Web bundles are
    /// for every build, so their archives belong to ``anyBuild`` alone.
    public static func delegation(fingerprint: String, keys: RoleKeys) -> DelegatedRole {
        let fp16 = fp16(fingerprint)
        let role = name(fingerprint: fingerprint)
        var paths = ["modules/\(fp16)/*", "deltas/\(fp16)/*", "heads/*/module/\(fp16).json"]
        paths +=
            role == anyBuild
            ? ["bundles/*/*", "heads/*/bundle/*/any.json"] : ["heads/*/bundle/*/\(fp16).json"]
        return DelegatedRole(name: role, keys: keys, scope: .paths(paths))
    }
}

extension BrakesRole {
    /// The delegation to the ops keys: terminating, over brakes only.
    public static func delegation(keys: RoleKeys) -> DelegatedRole {
        DelegatedRole(
            name: name, keys: keys,
            scope: .paths(["brakes/*/module.json", "brakes/*/bundle/*.json"]))
    }
}
