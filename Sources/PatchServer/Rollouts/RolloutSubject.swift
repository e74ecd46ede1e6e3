import Rollout
import TUF

/// What is rolled out to the devices of a channel: modules for one build, or a web bundle, whose
/// releases are for every build (decision record 0083).
enum RolloutSubject: Hashable, Sendable {
    /// Modules for the build of this whole fingerprint.
    case build(String)
    /// The web bundle of this name.
    case bundle(String)

    private static let bundlePrefix = "bundle/"

    /// As tables and counts name it: a fingerprint, or `bundle/` and the name, which no fingerprint
    /// can be.
    var name: String {
        switch self {
        case .build(let fingerprint): return fingerprint
        case .bundle(let name): return Self.bundlePrefix + name
        }
    }

    /// What ``name`` gave.
    init(name: String) {
        self =
            name.hasPrefix(Self.bundlePrefix)
            ? .bundle(String(name.dropFirst(Self.bundlePrefix.count))) : .build(name)
    }

    /// The web bundle, if it is one.
    var bundle: String? {
        if case .bundle(let name) = self { return name }
        return nil
    }

    /// The fingerprint that its documents name.
    var fingerprint: String {
        switch self {
        case .build(let fingerprint): return fingerprint
        case .bundle: return ReleaseRules.anyBuild
        }
    }

    /// The delegated role that lists its releases and heads.
    var role: String { BuildRole.name(fingerprint: fingerprint) }

    /// The subject of a head at a path, whose document names `fingerprint`; nil when it is no path of
    /// a head that servers watch.
    init?(headPath path: String, fingerprint: @autoclosure () throws -> String) rethrows {
        let parts = path.split(separator: "/")
        guard parts.first == "heads" else { return nil }
        if parts.count == 4, parts[2] == "module" {
            self = .build(try fingerprint())
        } else if parts.count == 5, parts[2] == "bundle", parts[4] == "any.json" {
            self = .bundle(String(parts[3]))
        } else {
            return nil
        }
    }

    /// Whether it is what an address means: a bundle's name, or a fingerprint or its first 16 digits.
    func matches(_ wanted: RolloutSubject) -> Bool {
        switch (self, wanted) {
        case (.build(let one), .build(let other)):
            return BuildRole.fp16(one) == BuildRole.fp16(other)
        default: return self == wanted
        }
    }

    /// Where its brake on a channel is published. One brake serves all builds of a channel.
    func brakePath(channel: String) -> String {
        switch self {
        case .build: return BrakesRole.modulePath(channel: channel)
        case .bundle(let name): return BrakesRole.bundlePath(channel: channel, name: name)
        }
    }
}
