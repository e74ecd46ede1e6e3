import PatchCompression
import PatchCrypto
import PatchDelta
import Rollout
import TUF

extension PublishedApp {
    /// Publishes a stable release with deltas from `bases`, as `patchcli release` does.
    /// - Parameter change: what to make of each delta before it is signed.
    @discardableResult
    public func release(
        _ payload: [UInt8], version: String, sequence: Int, deltasFrom bases: [[UInt8]],
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> String {
        let build = role.dropFirst("build-".count)
        let to = SHA256.hash(payload).hex
        var references: [DeltaReference] = []
        for base in bases {
            guard var delta = try Delta.make(from: base, to: payload) else { continue }
            change(&delta)
            let from = SHA256.hash(base).hex
            let path = "deltas/\(build)/\(from.prefix(8))-\(to.prefix(8))"
            try list(TargetFile(path: path, contents: delta), delta)
            references.append(DeltaReference(from: from, path: path))
        }
        let digest = try add(payload, version: version, sequence: sequence) {
            $0.deltas = references
        }
        try setHead { $0.stable = digest }
        return digest
    }
}
