/// What the server knows of an app beside its published tree: `app.json`.
struct AppRecord: Codable, Equatable, Sendable {
    /// A token that may publish, as its hash.
    struct StoredToken: Codable, Equatable, Sendable {
        let sha256: String
        let created: String
    }

    var v = 1
    let appKey: String
    let appID: String
    let name: String
    let created: String
    var tokens: [StoredToken]

    enum CodingKeys: String, CodingKey {
        case v, name, created, tokens
        case appKey = "app_key"
        case appID = "app_id"
    }

    /// Whether the token may publish to this app.
    func accepts(_ token: String) -> Bool {
        // No early end: the time must not tell which token matched.
        tokens.reduce(false) { Token.matches(token, hash: $1.sha256) || $0 }
    }
}
