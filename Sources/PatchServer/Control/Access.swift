/// What somebody may do with an app.
enum Action: String, CaseIterable, Codable, Sendable {
    /// See releases, numbers, decisions, the audit log.
    case read
    /// Publish releases and heads.
    case release
    /// Change rollouts and brakes.
    case rollout
    /// Manage tokens, members, webhooks; erase installs.
    case admin
}

/// What a person is to an app.
enum Role: String, CaseIterable, Codable, Sendable {
    case viewer, releaser, admin

    var actions: Set<Action> {
        switch self {
        case .viewer: return [.read]
        case .releaser: return [.read, .release, .rollout]
        case .admin: return Set(Action.allCases)
        }
    }
}

/// Who sent a request, by the token that came with it.
struct Principal: Equatable, Sendable {
    /// The name under which the audit log has them: `admin-token` or `token:<id>`.
    let actor: String
    /// What the token is called.
    let name: String
    /// The app that it is good for; nil for the server's own token, which is good for all.
    let appKey: String?
    /// The channel that it may change; nil for every channel.
    let channel: String?
    let actions: Set<Action>
    /// The person that the token belongs to.
    let login: String?
    /// Seconds since 1970.
    let expires: Int?

    /// Whoever holds the server's admin token. It manages apps and makes tokens, and publishes
    /// nothing itself: what was published always has a token of the app in the audit log.
    static let server = Principal(
        actor: "admin-token", name: "the server's admin token", appKey: nil, channel: nil,
        actions: [.read, .admin], login: nil, expires: nil)

    var isServer: Bool { appKey == nil }

    /// Throws unless this channel may be changed.
    func require(channel named: String) throws {
        guard channel == nil || channel == named else {
            throw APIError(
                status: 403, code: "wrong_channel",
                message: "This token is for the channel '\(channel ?? "")' only.")
        }
    }

    /// Throws unless this may be done.
    func require(_ action: Action) throws {
        guard actions.contains(action) else {
            throw APIError(
                status: 403, code: "not_allowed",
                message: "This token lacks the action '\(action.rawValue)'; make one that has it.")
        }
    }
}

/// A token as it is kept: its hash and what it is good for.
struct TokenRecord: Equatable, Sendable {
    let id: String
    let sha256: String
    let name: String
    let appKey: String
    let channel: String?
    let actions: Set<Action>
    let login: String?
    let created: Int
    let createdBy: String
    let expires: Int?
    let revoked: Int?

    func isLive(at now: Int) -> Bool { revoked == nil && (expires.map { now < $0 } ?? true) }
}
