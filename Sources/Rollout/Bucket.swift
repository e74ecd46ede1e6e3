import PatchCrypto

/// The draw of a device in a rollout (updates.md §3).
public enum Bucket {
    /// The number of buckets; a grant of as many basis points reaches everybody.
    public static let count = 10_000

    /// The bucket of a device: `BE64(SHA256("patch-rollout-v1" ‖ 0 ‖ salt ‖ 0 ‖ id)[0..<8])`
    /// modulo 10,000.
    public static func of(device: String, salt: String) -> Int {
        var input: [UInt8] = []
        input.reserveCapacity(128)
        input.append(contentsOf: "patch-rollout-v1".utf8)
        input.append(0)
        input.append(contentsOf: salt.utf8)
        input.append(0)
        input.append(contentsOf: device.utf8)
        let number = HashAlgorithm.sha256.hash(input).prefix(8)
            .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(number % UInt64(count))
    }

    /// Whether a device takes part in a rollout to `grant` basis points. Nobody does at 0,
    /// everybody at 10,000; a device without an id only then.
    public static func contains(device: String?, salt: String, grant: Int) -> Bool {
        if grant >= count { return true }
        guard grant > 0, let device else { return false }
        return of(device: device, salt: salt) < grant
    }
}
