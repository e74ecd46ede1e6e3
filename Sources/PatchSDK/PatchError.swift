@_exported import Rollout

/// Whatever goes wrong in the SDK: a stable reason, the context, and what to do about it.
public struct PatchError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stable reason; its table is `Docs/reasons.csv`.
    public let reason: Reason
    /// What exactly was met, for a log; may be empty.
    public let context: String

    /// An error with a reason of the table.
    public init(_ reason: Reason, _ context: String = "") {
        self.reason = reason
        self.context = context
    }

    /// The stable snake_case code.
    public var code: String { reason.code }

    /// What happened, why, and what to do.
    public var description: String {
        let detail = context.isEmpty ? "" : " (\(context))"
        return "\(reason.text)\(detail) \(reason.advice)"
    }

    /// The same error for a case that has its own context and reason elsewhere.
    static func noActiveModule(_ context: String = "") -> PatchError {
        PatchError(.noActiveModule, context)
    }
}
