/// A channel of updates that an app subscribes to.
public enum PatchChannel: Hashable, Sendable {
    /// What users run.
    case production
    /// What testers run.
    case staging
    /// What developers run.
    case development
    /// The channel of the bundled configuration; `production` without one.
    case bundled
    /// Any other channel, by name.
    case custom(String)

    /// The channel of that name.
    public init(name: String) {
        switch name {
        case "production": self = .production
        case "staging": self = .staging
        case "development": self = .development
        default: self = .custom(name)
        }
    }

    /// The name that is published under; nil stands for the bundled configuration's.
    public var name: String? {
        switch self {
        case .production: return "production"
        case .staging: return "staging"
        case .development: return "development"
        case .bundled: return nil
        case .custom(let name): return name
        }
    }
}
