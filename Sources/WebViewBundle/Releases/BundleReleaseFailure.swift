import PatchPlatform
import Rollout
import UpdateEngine

/// The update core's errors in the words of this library, and back.
enum BundleReleaseFailure {
    /// One sentence and the core's stable code in brackets.
    static func error(_ error: any Swift.Error) -> Error {
        if let error = error as? Error { return error }
        if let error = error as? BundleFormatError { return .Core(message: error.description) }
        let error = updateError(error)
        let text = "\(error.description) [\(error.code)]"
        switch error.reason.band {
        case .network, .download: return .Http(message: text)
        case .trust: return .Signature(message: text)
        default: return .Core(message: text)
        }
    }

    static func updateError(_ error: any Swift.Error) -> UpdateError {
        switch error {
        case let error as UpdateError: return error
        case is CancellationError: return UpdateError(.cancelled)
        case let error as BundleFormatError:
            return UpdateError(.bundleMalformed, error.description)
        default: return UpdateError(.stateUnwritable, "\(error)")
        }
    }
}
