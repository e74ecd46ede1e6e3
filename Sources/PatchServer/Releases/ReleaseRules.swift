import Foundation
import Rollout
import RolloutGates
import TUF

/// What new targets must say to be worth publishing: everything that a device would refuse is
/// refused here already. Pure; reading files is the caller's.
struct ReleaseRules {
    static let largestHead = 64 << 10

    let appID: String
    /// Everything that was listed before the upload.
    let known: [TargetFile]
    /// Everything that is listed after it.
    let listed: [TargetFile]

    /// A release that an upload brought and that was not listed before.
    struct NewRelease: Equatable {
        let path: String
        let release: Release
    }

    /// Checks the targets that are new.
    /// - Parameter read: gives the bytes of a target, new or known.
    /// - Returns: The new releases, lowest sequence first.
    /// - Throws: ``APIError``.
    func check(
        _ new: [TargetFile], read: (TargetFile) throws -> [UInt8]
    ) throws -> [NewRelease] {
        var releases: [NewRelease] = []
        for target in new {
            let parts = target.path.split(separator: "/").map(String.init)
            switch parts.first {
            case "modules": try checkRelease(target, parts).map { releases.append($0) }
            case "heads": try checkHead(target, parts, read)
            case "bundles": try checkBundle(target, parts).map { releases.append($0) }
            case "deltas": try checkDelta(target, parts)
            case "brakes": break
            default:
                throw APIError.refused(
                    "unknown_target", "'\(target.path)' is none of the paths of a release.")
            }
        }
        return releases.sorted { $0.release.sequence < $1.release.sequence }
    }

    /// - Returns: nil for a release that only got new words.
    private func checkRelease(_ target: TargetFile, _ parts: [String]) throws -> NewRelease? {
        let path = target.path
        guard parts.count == 3, parts[2].hasSuffix(".wasm") else {
            throw APIError.refused(
                "bad_release_path", "'\(path)' is not 'modules/<fp16>/<version>.wasm'.")
        }
        guard let release: Release = Self.decode(target.custom) else {
            throw APIError.refused(
                "bad_release", "The custom data of '\(path)' does not describe a release.")
        }
        try checkApp(release.appID, path)
        guard String(release.fingerprint.prefix(16)) == parts[1] else {
            throw APIError.refused(
                "fingerprint_mismatch",
                "'\(path)' lies under another build than its release names.")
        }
        guard "\(release.version).wasm" == parts[2] else {
            throw APIError.refused(
                "version_mismatch", "'\(path)' names another version than its release.")
        }
        guard Self.isDigest(release.raw.sha256), release.raw.size > 0 else {
            throw APIError.refused("bad_release", "'\(path)' has no digest of its module.")
        }
        if release.encoding == .identity,
            release.raw.sha256 != target.sha256 || release.raw.size != target.length
        {
            throw APIError.refused(
                "bad_release", "'\(path)' is published as it is, but its digests differ.")
        }
        if isKnown(release, at: path) { return nil }
        try checkSequence(release)
        return NewRelease(path: path, release: release)
    }

    /// A delta is worth listing only when it is smaller than what it leads to.
    private func checkDelta(_ target: TargetFile, _ parts: [String]) throws {
        let path = target.path
        let ends = parts.count == 3 ? parts[2].split(separator: "-").map(String.init) : []
        let isNamed =
            ends.count == 2
            && ends.allSatisfy {
                $0.utf8.count == 8 && $0.utf8.allSatisfy(SafeName.isHexDigit)
            }
        guard isNamed, parts[2].utf8.count == 17 else {
            throw APIError.refused(
                "bad_delta_path", "'\(path)' is not 'deltas/<fp16>/<from8>-<to8>'.")
        }
        let leadsTo = listed.first { file in
            guard file.path.hasPrefix("modules/") || file.path.hasPrefix("bundles/"),
                let release: Release = Self.decode(file.custom)
            else { return false }
            return release.raw.sha256.hasPrefix(ends[1])
                && release.deltas.contains { $0.path == path }
        }
        guard let leadsTo else {
            throw APIError.refused(
                "delta_without_release", "No release of this build is reached by '\(path)'.")
        }
        guard target.length > 0, target.length < leadsTo.length else {
            throw APIError.refused(
                "bad_delta",
                "'\(path)' has \(target.length) bytes, the whole "
                    + "\(leadsTo.length): it saves nothing.")
        }
    }

    private func checkHead(
        _ target: TargetFile, _ parts: [String], _ read: (TargetFile) throws -> [UInt8]
    ) throws {
        let path = target.path
        guard parts.count == 4 && parts[2] == "module" || parts.count == 5 && parts[2] == "bundle"
        else { throw APIError.refused("bad_head_path", "'\(path)' is no path of a head.") }
        guard target.length <= Self.largestHead else {
            throw APIError.tooLarge("A head", limit: Self.largestHead)
        }
        let head: Head
        do {
            head = try Self.head(try read(target))
        } catch let error as APIError {
            throw error
        } catch {
            throw APIError.refused("bad_head", "'\(path)' does not contain a head.")
        }
        try checkApp(head.appID, path)
        guard head.channel == parts[1],
            parts.last == "\(head.fingerprint.prefix(16)).json"
                || parts[2] == "bundle" && parts.last == "any.json"
                    && head.fingerprint == Self.anyBuild
        else {
            throw APIError.refused(
                "head_mismatch", "'\(path)' contains a head of another channel or build.")
        }
        if let before = known.first(where: { $0.path == path }) {
            let earlier = (try? Self.head(read(before)))?.headSequence ?? 0
            guard head.headSequence > earlier else {
                throw APIError.conflict(
                    "head_conflict",
                    "Head \(head.headSequence) is not after \(earlier), which is published "
                        + "already; somebody else may have published. Start again.")
            }
        }
        let digests =
            parts[2] == "module"
            ? moduleDigests(fp16: String(head.fingerprint.prefix(16))) : bundleDigests(parts[3])
        for digest in [head.stable, head.candidate?.digest].compactMap({ $0 })
        where !digests.contains(digest) {
            throw APIError.refused(
                "head_without_release",
                "'\(path)' sends devices to \(digest.prefix(12))…, which no release of this build "
                    + "has.")
        }
    }

    private func moduleDigests(fp16: String) -> Set<String> {
        var digests: Set<String> = []
        for target in listed where target.path.hasPrefix("modules/\(fp16)/") {
            if let release: Release = Self.decode(target.custom) {
                digests.insert(release.raw.sha256)
            }
        }
        return digests
    }

    func checkApp(_ named: String, _ path: String) throws {
        guard named == appID else {
            throw APIError.refused("wrong_app", "'\(path)' was signed for another app.")
        }
    }

    private static func head(_ bytes: [UInt8]) throws -> Head {
        try JSONDecoder().decode(Head.self, from: Data(bytes))
    }

    static func decode<Document: Decodable>(_ custom: [String: JSONValue]?) -> Document? {
        guard let custom else { return nil }
        return try? JSONDecoder().decode(
            Document.self, from: Data(JSONValue.object(custom).encoded()))
    }

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy(SafeName.isHexDigit)
    }
}
