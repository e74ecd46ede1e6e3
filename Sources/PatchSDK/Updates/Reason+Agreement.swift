import Rollout

extension Reason {
    /// Whether an unchanged device is worth an error rather than "up to date".
    var isFailureToAgree: Bool {
        switch self {
        case .headRejected, .appMismatch, .platformMismatch, .channelMismatch,
            .fingerprintMismatch:
            return true
        default: return false
        }
    }
}
