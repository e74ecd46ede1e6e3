import Rollout
import TUF
import UpdateEngine

/// One web bundle as a payload of the update engine.
struct BundleKind: PayloadKind {
    /// The bundle's name.
    let bundle: String
    let limits: BundleLimits

    var name: String { "bundle" }

    func headPath(channel: String, build: String) -> String {
        let build = build == UpdateSettings.anyBuild ? "any" : build
        return "heads/\(channel)/bundle/\(bundle)/\(build).json"
    }

    func brakePath(channel: String) -> String {
        BrakesRole.bundlePath(channel: channel, name: bundle)
    }

    func lists(_ path: String) -> Bool { path.hasPrefix("bundles/\(bundle)/") }

    /// Reads the archive through, so that what is staged serves all that it lists.
    func inspect(_ payload: [UInt8], of release: Release) throws {
        guard BundleNaming.problem(with: release.version) == nil else {
            throw UpdateError(.releaseMalformed, "version '\(release.version.printable)'")
        }
        do {
            try BundleReader(bytes: payload, limits: limits).verify()
        } catch let error as BundleFormatError {
            throw UpdateError(.bundleMalformed, error.description)
        }
    }
}
