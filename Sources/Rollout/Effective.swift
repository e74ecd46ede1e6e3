/// A head as a brake restricts it. No brake leaves the head as it is, and no brake can make a
/// device run what the head alone would not.
struct Effective {
    let kind: Head.Kind
    let stable: String?
    let candidate: Candidate?
    let grant: Int
    let isHalted: Bool
    let recalled: Set<String>
    let returnable: Set<String>

    init(_ head: Head, _ brake: Brake?) {
        kind = brake?.kind == .embedded ? .embedded : head.kind
        returnable = Set(head.returnable)
        if let target = brake?.returnTo, returnable.contains(target) {
            stable = target
        } else {
            stable = head.stable
        }
        candidate = head.candidate
        let cap = head.candidate.flatMap { brake?.caps[$0.digest] } ?? Bucket.count
        grant = min(head.candidate?.grant ?? 0, cap)
        isHalted = brake?.halted ?? false
        recalled = Set(head.recalled).union(brake?.recalled ?? [])
    }

    /// Whether a release is one that this head has anything to do with.
    func names(_ digest: String) -> Bool {
        digest == stable || digest == candidate?.digest || returnable.contains(digest)
    }
}
