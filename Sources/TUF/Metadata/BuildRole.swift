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
}
