import Foundation
@_exported import Rollout
import UpdateEngine

/// Whatever goes wrong in the SDK: a stable reason, the context, and what to do about it.
///
/// A reason can be caught by itself: `catch PatchError.noActiveModule`, or, for any of the table,
/// `catch let error as PatchError where error.reason == .diskFull`.
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

    /// What any error of this package means to the app.
    init(of error: any Error) {
        switch error {
        case let error as PatchError: self = error
        case let error as UpdateError: self.init(error.reason, error.context)
        case is CancellationError: self.init(.cancelled)
        default: self.init(.callFailed, "\(error)")
        }
    }

    /// The stable snake_case code.
    public var code: String { reason.code }

    /// What to do about it.
    public var advice: String { reason.advice }

    /// What happened, why, and what to do.
    public var description: String {
        let detail = context.isEmpty ? "" : " (\(context))"
        return "\(reason.text)\(detail) \(reason.advice)"
    }

    /// ``Patch/configure(_:)`` has not been called.
    public static let notConfigured = PatchError(.notConfigured)
    /// No module runs, so nothing can be called in one.
    public static let noActiveModule = PatchError(.noActiveModule)
    /// Nothing was fetched, so nothing can be applied.
    public static let nothingStaged = PatchError(.notStaged)

    /// Whether an error has the reason of a pattern; its context does not matter.
    public static func ~= (pattern: PatchError, error: any Error) -> Bool {
        (error as? PatchError)?.reason == pattern.reason
    }
}

extension PatchError: LocalizedError {
    /// What happened and why, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What to do.
    public var recoverySuggestion: String? { reason.advice }
}
