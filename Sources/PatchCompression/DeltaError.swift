/// Why a delta gives no payload.
public enum DeltaError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes are not an `OPD1` delta, or break its rules.
    case damaged
    /// It starts from another payload than the one at hand.
    case otherBase
    /// It announces or produces more bytes than the caller allows.
    case tooLarge(maximum: Int)

    /// The stable code, for logs and programs.
    public var code: String {
        switch self {
        case .damaged: "delta_damaged"
        case .otherBase: "delta_base_mismatch"
        case .tooLarge: "delta_too_large"
        }
    }

    /// For people: the sentence and the code.
    public var description: String {
        switch self {
        case .damaged: "The delta is damaged; the whole payload has to be fetched. [\(code)]"
        case .otherBase:
            "The delta starts from another payload than the one here; the whole payload has to be "
                + "fetched. [\(code)]"
        case .tooLarge(let maximum):
            "The delta leads to more than the \(maximum) bytes allowed, so it was refused. [\(code)]"
        }
    }
}
