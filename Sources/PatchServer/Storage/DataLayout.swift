/// Where everything lies below the server's folder.
///
/// ```
/// admin-token                  mode 0600
/// server.sqlite                apps, people, hashed tokens, audit log, webhooks, rollouts
/// telemetry.sqlite             what devices told
/// apps/<appKey>/freshness.pem  signs snapshot and timestamp, mode 0600
/// apps/<appKey>/ops.pem        signs brakes, mode 0600
/// apps/<appKey>/lock           held while publishing
/// apps/<appKey>/incoming/      uploads on their way
/// apps/<appKey>/uploads/       targets that come in pieces
/// apps/<appKey>/pending/       a publication that is committed but not yet in place
/// apps/<appKey>/tree/          what is served
/// apps/<appKey>/tree-br/       the same, precompressed
/// ```
public struct DataLayout: Sendable {
    /// The server's folder.
    public let root: String

    /// Names the folder.
    public init(root: String) { self.root = root }

    /// The file with the token that creates apps.
    public var adminToken: String { root + "/admin-token" }
    /// The database of apps, tokens and what was done with them.
    var controlDatabase: String { root + "/server.sqlite" }
    /// The database of what devices told.
    var telemetryDatabase: String { root + "/telemetry.sqlite" }
    var apps: String { root + "/apps" }

    func app(_ key: String) -> String { "\(apps)/\(key)" }

    func file(_ path: TreePath) -> String {
        "\(app(path.appKey))/tree/\(path.area.rawValue)/\(path.relative)"
    }

    func brotliFile(_ path: TreePath) -> String {
        "\(app(path.appKey))/tree-br/\(path.area.rawValue)/\(path.relative)"
    }
}
