import Foundation
import Rollout
import TUF
import WebViewBundle

/// What a release of a web bundle must say to be worth publishing.
extension ReleaseRules {
    /// Checks a new target `bundles/<name>/<version>.wvb`.
    /// - Returns: nil for a release that only got new words.
    /// - Throws: ``APIError``.
    func checkBundle(_ target: TargetFile, _ parts: [String]) throws -> NewRelease? {
        let path = target.path
        guard parts.count == 3, parts[2].hasSuffix(".wvb"), BundleName.isValid(parts[1]) else {
            throw APIError.refused(
                "bad_release_path", "'\(path)' is not 'bundles/<name>/<version>.wvb'.")
        }
        guard let release: Release = Self.decode(target.custom), release.kind == "bundle" else {
            throw APIError.refused(
                "bad_release", "The custom data of '\(path)' does not describe a web bundle.")
        }
        try checkApp(release.appID, path)
        guard release.fingerprint == Self.anyBuild else {
            throw APIError.refused(
                "fingerprint_mismatch", "'\(path)' is for one build; web bundles are for all.")
        }
        guard "\(release.version).wvb" == parts[2], BundleName.isValid(release.version) else {
            throw APIError.refused(
                "version_mismatch", "'\(path)' names another version than its release.")
        }
        // Served to other clients as it lies, so it must be the archive itself.
        guard release.encoding == .identity, release.raw.sha256 == target.sha256,
            release.raw.size == target.length, release.raw.size > 0
        else {
            throw APIError.refused(
                "bad_release", "'\(path)' is not published as the archive that it describes.")
        }
        if isKnown(release, at: path) { return nil }
        try checkSequence(release)
        return NewRelease(path: path, release: release)
    }

    static var anyBuild: String { "_any" }

    /// The digests of a bundle's listed releases.
    func bundleDigests(_ name: String) -> Set<String> {
        var digests: Set<String> = []
        for target in listed where target.path.hasPrefix("bundles/\(name)/") {
            if let release: Release = Self.decode(target.custom) {
                digests.insert(release.raw.sha256)
            }
        }
        return digests
    }

    /// Whether the same bytes are listed already under the same path and sequence: a release that
    /// gets new words (one that loses its deltas, say), not a new one.
    func isKnown(_ release: Release, at path: String) -> Bool {
        guard let target = known.first(where: { $0.path == path }),
            let earlier: Release = Self.decode(target.custom)
        else { return false }
        return earlier.raw == release.raw && earlier.sequence == release.sequence
    }

    /// Sequences count all releases of the app, modules and bundles alike.
    func checkSequence(_ release: Release) throws {
        for other in known
        where other.path.hasPrefix("modules/") || other.path.hasPrefix("bundles/") {
            guard let earlier: Release = Self.decode(other.custom) else { continue }
            if earlier.sequence >= release.sequence {
                throw APIError.conflict(
                    "sequence_taken",
                    "Sequence \(release.sequence) is not after \(earlier.sequence), which is "
                        + "published already; somebody else may have released. Start again.")
            }
        }
    }
}
