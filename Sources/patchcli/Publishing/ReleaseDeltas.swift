import CommandLineKit
import PatchCompression
import PatchCrypto
import PatchDelta
import Rollout
import TUF

/// A delta as it is published.
struct ReleaseDelta: Sendable {
    let reference: DeltaReference
    let target: NewTarget
}

/// The deltas of a new release: from what the devices of its build are likely to hold.
enum ReleaseDeltas {
    /// A payload that devices hold.
    struct Base: Sendable {
        let digest: String
        let bytes: [UInt8]
    }

    /// The most deltas of one release. Each costs every device of the build about 400 bytes of
    /// metadata, so the likeliest bases come first and the list is short.
    static let most = 4
    /// What listing a delta costs in metadata, in bytes; one that saves less is not worth it.
    static let listingCost = 400

    static func path(fp16: String, from: String, to: String) -> String {
        "deltas/\(fp16)/\(from.prefix(8))-\(to.prefix(8))"
    }

    /// The live releases to start from, likeliest first: what the heads make devices run, then what
    /// they ran before.
    static func candidates(_ index: ReleaseIndex, fp16: String) -> [ReleaseIndex.Published] {
        let heads = index.heads.map(\.head).filter { BuildRole.fp16($0.fingerprint) == fp16 }
        let digests =
            heads.compactMap(\.stable) + heads.compactMap { $0.candidate?.digest }
            + heads.flatMap(\.returnable)
        var seen: Set<String> = []
        return digests.filter { seen.insert($0).inserted }.compactMap { digest in
            index.releases(fp16: fp16).last { $0.release.raw.sha256 == digest }
        }
    }

    /// The deltas that are smaller than the download that they stand in for.
    /// - Parameter size: bytes of that download.
    static func make(
        to payload: [UInt8], insteadOf size: Int, from bases: [Base], fp16: String
    ) throws -> [ReleaseDelta] {
        let digest = SHA256.hash(payload).hex
        var deltas: [ReleaseDelta] = []
        for base in bases where base.digest != digest && deltas.count < most {
            let made = try Delta.make(
                from: base.bytes, to: payload, smallerThan: size - listingCost)
            guard let made else { continue }
            let path = path(fp16: fp16, from: base.digest, to: digest)
            // Two bases of one name would need two files of one path.
            guard !deltas.contains(where: { $0.reference.path == path }) else { continue }
            deltas.append(
                ReleaseDelta(
                    reference: DeltaReference(from: base.digest, path: path),
                    target: NewTarget(path: path, bytes: made)))
        }
        return deltas
    }

    /// The payload of a published release.
    static func payload(of published: ReleaseIndex.Published, _ file: [UInt8]) throws -> [UInt8] {
        switch published.release.encoding {
        case .brotli:
            return try Brotli.decompress(file, maximumSize: published.release.raw.size)
        default: return file
        }
    }
}

extension Publishing {
    /// Reads what is published and makes the deltas of a new release. A base that cannot be had only
    /// means that one delta fewer is published.
    func deltas(
        to payload: ModulePayload, shipped: @escaping () throws -> [UInt8], _ index: ReleaseIndex,
        fp16: String
    ) async throws -> [ReleaseDelta] {
        try await deltas(
            to: payload.raw, insteadOf: payload.packed.count, shipped: shipped, index, fp16: fp16)
    }

    /// The same for any payload.
    /// - Parameters:
    ///   - size: bytes of the download that a delta stands in for.
    ///   - shipped: what the app shipped with; nil when that is not known here.
    func deltas(
        to payload: [UInt8], insteadOf size: Int, shipped: (() throws -> [UInt8])?,
        _ index: ReleaseIndex, fp16: String
    ) async throws -> [ReleaseDelta] {
        try await console.step("Make deltas") { progress in
            var bases: [ReleaseDeltas.Base] = []
            if let shipped {
                do {
                    let bytes = try shipped()
                    bases.append(.init(digest: SHA256.hash(bytes).hex, bytes: bytes))
                } catch {
                    console.note("No delta from what the app shipped with: \(error)")
                }
            }
            for published in ReleaseDeltas.candidates(index, fp16: fp16).prefix(ReleaseDeltas.most)
            {
                do {
                    let file = try await repository.read(published.target)
                    let bytes = try ReleaseDeltas.payload(of: published, file)
                    guard SHA256.hash(bytes).hex == published.release.raw.sha256 else { continue }
                    bases.append(.init(digest: published.release.raw.sha256, bytes: bytes))
                } catch {
                    console.note("No delta from \(published.release.version): \(error)")
                }
            }
            let deltas = try ReleaseDeltas.make(
                to: payload, insteadOf: size, from: bases, fp16: fp16)
            progress.update(
                nil, deltas.map { Quantity.bytes($0.target.bytes.count) }.joined(separator: ", "))
            return deltas
        }
    }
}
