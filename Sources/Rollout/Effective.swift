/// A head as a brake restricts it. No brake leaves the head as it is, and no brake can make a
/// device run what the head alone would not.
struct Effective {
    let kind: Head.Kind
    let stable: String?
    let candidate: Candidate?
    let grant: Int
    let isHalted: Bool
    private let returnable: [String]
    private let recalled: [String]
    private let alsoRecalled: [String]

    init(_ head: Head, _ brake: Brake?) {
        kind = brake?.kind == .embedded ? .embedded : head.kind
        returnable = head.returnable
        if let target = brake?.returnTo, head.returnable.contains(target) {
            stable = target
        } else {
            stable = head.stable
        }
        candidate = head.candidate
        let cap = head.candidate.flatMap { brake?.caps[$0.digest] } ?? Bucket.count
        grant = min(head.candidate?.grant ?? 0, cap)
        isHalted = brake?.halted ?? false
        recalled = head.recalled
        alsoRecalled = brake?.recalled ?? []
    }

    /// Whether a release is one that this head has anything to do with.
    func names(_ digest: String) -> Bool {
        digest == stable || digest == candidate?.digest || returnable.contains(digest)
    }

    /// Whether no device may run a release.
    func recalls(_ digest: String) -> Bool {
        recalled.contains(digest) || alsoRecalled.contains(digest)
    }
}
