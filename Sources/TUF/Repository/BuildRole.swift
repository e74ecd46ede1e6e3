/// Names and paths of OpenPatch's delegated roles (formats.md, "Tree and trust").
public enum BuildRole {
    /// The role for what is not bound to one build.
    public static let anyBuild = "build-any"

    /// The role of a build: `build-` and the first 16 digits of its fingerprint; ``anyBuild`` for the
    /// fingerprint `_any`.
    public static func name(fingerprint: String) -> String {
        fingerprint == "_any" ? anyBuild : "build-\(fp16(fingerprint))"
    }

    /// The first 16 hexadecimal digits of a fingerprint.
    public static func fp16(_ fingerprint: String) -> String { String(fingerprint.prefix(16)) }

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

/// The role that the server's ops key signs: it lists one brake per channel and kind of payload, and
/// nothing else, so that its holder can restrict and no more (formats.md, "Tree and trust").
public enum BrakesRole {
    /// The name of the role.
    public static let name = "brakes"

    /// The target path of the brake on modules of a channel.
    public static func modulePath(channel: String) -> String { "brakes/\(channel)/module.json" }

    /// The target path of the brake on a web bundle of a channel.
    public static func bundlePath(channel: String, name: String) -> String {
        "brakes/\(channel)/bundle/\(name).json"
    }

    /// The delegation to the ops keys: terminating, over brakes only.
    public static func delegation(keys: RoleKeys) -> DelegatedRole {
        DelegatedRole(
            name: name, keys: keys,
            scope: .paths(["brakes/*/module.json", "brakes/*/bundle/*.json"]))
    }
}
