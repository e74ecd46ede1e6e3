import Rollout
import TUF

/// A sort of thing that is delivered: modules, web bundles. The engine itself knows nothing of
/// what is inside.
public protocol PayloadKind: Sendable {
    /// The name in a release's `kind`: `module` or `bundle`.
    var name: String { get }

    /// The target path of the head for a channel and build.
    /// - Parameter build: the first 16 digits of the fingerprint, or `_any`.
    func headPath(channel: String, build: String) -> String

    /// The target path of the brake on a channel.
    func brakePath(channel: String) -> String

    /// Whether a release of this kind that is listed under a path is one of those to choose from. A
    /// role may list several web bundles, and a device follows one.
    func lists(_ path: String) -> Bool

    /// Looks at a payload whose digest and size are right, before it becomes a slot. Nothing of it
    /// may be run here.
    /// - Throws: ``UpdateError``; the release is then remembered as failed on this device.
    func inspect(_ payload: [UInt8], of release: Release) throws
}

extension PayloadKind {
    /// That of modules.
    public func brakePath(channel: String) -> String { BrakesRole.modulePath(channel: channel) }

    /// All that the build's role lists.
    public func lists(_ path: String) -> Bool { true }
}
