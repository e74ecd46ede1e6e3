import Foundation
import Rollout

/// What remote updates are trusted by, as an app says it.
public enum UpdateTrust: Sendable, Equatable {
    /// The root of trust shipped with the app (`patch-root.json`).
    case bundledRoot
    /// A root of trust given by the program.
    case root([UInt8])
    /// Whatever a server on this machine says, signed or not. Refused for any other host.
    case insecureForLocalDevelopment

    /// What metadata is verified by.
    /// - Parameter refusal: why this build takes nothing remote, if it does not.
    package func resolved(
        baseURL: URL?, files: ShippedFiles, refusal: Reason?
    ) -> UpdateSettings.Trust {
        if let refusal { return .none(UpdateError(refusal)) }
        switch self {
        case .root(let bytes): return .root(bytes)
        case .bundledRoot:
            do {
                return try files.root().map { .root($0) } ?? .none(UpdateError(.rootMissing))
            } catch {
                return .none(error as? UpdateError ?? UpdateError(.rootMalformed, "\(error)"))
            }
        case .insecureForLocalDevelopment:
            guard let baseURL, Loopback.contains(baseURL) else {
                return .none(UpdateError(.insecureTrustRefused))
            }
            return .firstUse
        }
    }
}
