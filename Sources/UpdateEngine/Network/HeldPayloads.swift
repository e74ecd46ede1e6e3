import PatchCrypto
import PatchPlatform
import Rollout
import TUF

/// What a delta can start from on this device.
struct HeldPayloads: Sendable {
    let slots: SlotStore
    let baseModule: (@Sendable () -> [UInt8]?)?
    /// The largest payload to start from, in bytes.
    let maximumSize: Int

    /// A delta that starts from something that is here.
    struct Offer: Sendable {
        let target: TargetFile
        /// The payload that it starts from, hashed when it was loaded.
        let base: [UInt8]
        /// The digest of that payload.
        let digest: String
    }

    /// The smallest delta that can be used and is smaller than the whole payload.
    func offer(
        for release: Release, whole: TargetFile, published: (String) -> TargetFile?
    ) -> Offer? {
        let candidates = release.deltas
            .compactMap { reference in published(reference.path).map { (reference.from, $0) } }
            .filter { $0.1.length < whole.length }
            .sorted { $0.1.length < $1.1.length }
        guard !candidates.isEmpty else { return nil }
        let held = Set((try? slots.files.list(SlotStore.folder)) ?? [])
        // The module in the app's bundle is read and hashed once, and only when no slot serves.
        var shipped: (bytes: [UInt8], digest: String)?
        var didLook = false
        for (from, target) in candidates {
            if held.contains(from), let bytes = slots.load(digest: from, maximumSize: maximumSize) {
                return Offer(target: target, base: bytes, digest: from)
            }
            if !didLook {
                didLook = true
                if let bytes = baseModule?(), bytes.count <= maximumSize {
                    shipped = (bytes, SHA256.hash(bytes).hex)
                }
            }
            if let shipped, shipped.digest == from {
                return Offer(target: target, base: shipped.bytes, digest: from)
            }
        }
        return nil
    }
}
