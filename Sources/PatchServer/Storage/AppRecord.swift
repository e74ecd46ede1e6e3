/// What the server knows of an app beside its published tree.
struct AppRecord: Equatable, Sendable {
    /// Bytes that an app may publish unless an operator says otherwise.
    static let usualQuota = 10 << 30

    let appKey: String
    let appID: String
    var organisation = "default"
    let name: String
    /// ISO 8601, UTC.
    let created: String
    /// Bytes that its published tree and uploads may take.
    var quota = AppRecord.usualQuota
}

/// `app.json`, in which servers before the database kept an app and its tokens.
struct LegacyAppRecord: Decodable {
    struct StoredToken: Decodable {
        let sha256: String
        let created: String
    }

    let appKey: String
    let appID: String
    let name: String
    let created: String
    let tokens: [StoredToken]

    enum CodingKeys: String, CodingKey {
        case name, created, tokens
        case appKey = "app_key"
        case appID = "app_id"
    }
}
