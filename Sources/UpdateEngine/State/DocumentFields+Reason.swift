import Rollout
import TUF

extension DocumentFields {
    /// A reason that a later version of the SDK gave counts as an ordinary failure: a code must
    /// never make a state unreadable.
    func reason(_ name: String) throws -> Reason {
        Reason(rawValue: try string(name)) ?? .callFailed
    }
}
