import Foundation
import PatchCompression
import PatchCrypto
import PatchDelta
import Rollout
import RolloutGates
import TUF

/// Web bundles in the role for all builds; the app is one of the fingerprint `_any`.
extension PublishedApp {
    /// Lists a release of a bundle; no device takes it before a head names it.
    @discardableResult
    public func addBundle(
        _ name: String, _ payload: [UInt8], version: String, sequence: Int,
        deltasFrom bases: [[UInt8]] = [], _ change: (inout Release) -> Void = { _ in }
    ) throws -> String {
        let digest = SHA256.hash(payload).hex
        var release = Release(
            appID: Self.appID, platform: "linux", kind: "bundle", version: version,
            sequence: sequence, fingerprint: "_any",
            raw: RawPayload(sha256: digest, size: payload.count), encoding: .identity)
        for base in bases {
            guard let delta = try Delta.make(from: base, to: payload) else { continue }
            let from = SHA256.hash(base).hex
            let path = "deltas/_any/\(from.prefix(8))-\(digest.prefix(8))"
            try list(TargetFile(path: path, contents: delta), delta)
            release.deltas.append(DeltaReference(from: from, path: path))
        }
        change(&release)
        let custom = try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release))).object
        try list(
            TargetFile(
                path: "bundles/\(name)/\(version).wvb", contents: payload, custom: custom ?? [:]),
            payload)
        return digest
    }

    /// Issues the next head of a bundle.
    public func setBundleHead(
        _ name: String, channel: String = "production", _ change: (inout Head) -> Void
    ) throws {
        let path = "heads/\(channel)/bundle/\(name)/any.json"
        var head = Head(
            appID: Self.appID, platform: "linux", channel: channel, fingerprint: "_any",
            headSequence: 0)
        if let known = editor.delegated[role]?.signed.targets[path] {
            let file = folder.appendingPathComponent(
                "targets/" + (try known.filePath(consistentSnapshot: true)))
            head = try JSONDecoder().decode(Head.self, from: Data(contentsOf: file))
        }
        head.headSequence += 1
        change(&head)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes = [UInt8](try encoder.encode(head))
        try list(TargetFile(path: path, contents: bytes), bytes)
    }

    /// Lists a release of a bundle and makes it stable.
    @discardableResult
    public func releaseBundle(
        _ name: String, _ payload: [UInt8], version: String, sequence: Int,
        deltasFrom bases: [[UInt8]] = []
    ) throws -> String {
        let digest = try addBundle(
            name, payload, version: version, sequence: sequence, deltasFrom: bases)
        try setBundleHead(name) {
            if let stable = $0.stable { $0.returnable.insert(stable, at: 0) }
            $0.stable = digest
            $0.candidate = nil
        }
        return digest
    }

    /// Where the archive of a bundle's version lies in the tree.
    public func bundleFile(_ name: String, version: String) throws -> URL {
        let path = "bundles/\(name)/\(version).wvb"
        guard let file = editor.delegated[role]?.signed.targets[path] else {
            throw TUFError(.targetNotFound, path)
        }
        return folder.appendingPathComponent(
            "targets/" + (try file.filePath(consistentSnapshot: true)))
    }
}
