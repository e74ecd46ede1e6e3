import Foundation
import PatchPlatform
import Rollout
import TUF

/// Why an update could not be had: a stable reason and what exactly was met. What runs keeps
/// running.
public struct UpdateError: Error, Equatable, Sendable, CustomStringConvertible {
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
}

extension UpdateError {
    /// The error that a state or slot operation stands for.
    static func state(_ error: any Error) -> UpdateError {
        guard let error = error as? FileError else {
            return error as? UpdateError ?? UpdateError(.stateUnreadable, "\(error)")
        }
        switch error.reason {
        case .readOnly, .failed, .badName: return UpdateError(.stateUnwritable, "\(error)")
        case .diskFull: return UpdateError(.diskFull, "\(error)")
        case .unreadable, .tooLarge: return UpdateError(.stateUnreadable, "\(error)")
        }
    }

    /// The error that a request ended with.
    static func network(_ error: any Error) -> UpdateError {
        if let error = error as? UpdateError { return error }
        if error is CancellationError { return UpdateError(.cancelled) }
        guard let error = error as? HTTPError else {
            return error is FileError
                ? .state(error) : UpdateError(.serverUnreachable, "\(error)")
        }
        let reason: Reason
        switch error.reason {
        case .unreachable: reason = .serverUnreachable
        case .timedOut: reason = .serverTimedOut
        case .cutOff: reason = .answerCutOff
        case .tooLarge: reason = .answerTooLarge
        case .badStatus: reason = .serverRefused
        case .insecureRedirect: reason = .insecureRedirect
        case .noAnswer: reason = .serverNoAnswer
        case .cancelled: reason = .cancelled
        }
        let status = error.status.map { ", status \($0)" } ?? ""
        return UpdateError(reason, error.url.absoluteString + status)
    }

    /// The error that the metadata workflow ended with.
    /// - Parameter transport: what the last request failed with, since the workflow passes on
    ///   only its text.
    static func trust(_ error: any Error, transport: (any Error)?) -> UpdateError {
        guard let error = error as? TUFError else { return .network(error) }
        let reason: Reason
        switch error.kind {
        case .downloadFailed:
            if let transport { return .network(transport) }
            reason = .serverUnreachable
        case .metadataUnavailable:
            if let transport { return .network(transport) }
            reason = .serverRefused
        case .signaturesInsufficient, .roleNotDelegated: reason = .metadataInvalid
        case .metadataExpired: reason = .metadataExpired
        case .metadataRollback, .belowFloor: reason = .metadataRolledBack
        case .metadataTooLarge: reason = .answerTooLarge
        case .noTrustedRoot: reason = .rootMissing
        case .cacheFailed: reason = .stateUnwritable
        case .targetTooLarge, .targetLengthMismatch: reason = .sizeMismatch
        case .targetHashMismatch: reason = .digestMismatch
        case .metadataVersionMismatch, .metadataLengthMismatch, .metadataHashMismatch,
            .roleNotInSnapshot:
            reason = .metadataMismatch
        case .metadataMalformed, .metadataWrongType, .jsonDamaged, .jsonTooDeep, .jsonTooLarge,
            .jsonDuplicateKey, .jsonNumberRefused, .jsonInvalidUTF8, .specVersionUnsupported:
            reason = .metadataMalformed
        default: reason = .metadataInvalid
        }
        return UpdateError(reason, "\(error)")
    }
}
