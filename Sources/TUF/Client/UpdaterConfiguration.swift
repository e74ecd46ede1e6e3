/// Bounds and rules of a client (specification §5 leaves the numbers to the application).
public struct UpdaterConfiguration: Sendable {
    /// The longest root file, in bytes.
    public var rootMaximumLength = 512_000
    /// The longest timestamp, in bytes.
    public var timestampMaximumLength = 16_384
    /// The longest snapshot, in bytes, when the timestamp states no length.
    public var snapshotMaximumLength = 2_000_000
    /// The longest targets file, in bytes, when the snapshot states no length.
    public var targetsMaximumLength = 5_000_000
    /// How many new roots one check follows.
    public var maximumRootRotations = 256
    /// How many roles one search for a target visits.
    public var maximumDelegations = 32
    /// Whether a check may end with "not modified" on the timestamp (updates.md §2).
    public var asksConditionally = true
    /// What is done about expired metadata; anything but `refuse` is for restrictions only.
    public var expiryPolicy = TrustedMetadataSet.ExpiryPolicy.refuse
    /// Lower versions of the top-level targets are refused (embedded in the app at build time).
    public var minimumTargetsVersion = 0
    /// Whether the floors in root's `x_openpatch` are obeyed. Off in a strictly conforming client.
    public var obeysRootFloors = true

    /// The defaults: those of the reference client, and OpenPatch's floors obeyed.
    public init() {}
}
