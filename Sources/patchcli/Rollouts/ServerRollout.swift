import CommandLineKit
import Rollout
import RolloutGates
import TUF

/// A rollout as the server tells of it.
struct ServerRollout: Codable, Sendable {
    let channel: String
    let fingerprint: String
    let stable: String?
    let release: String?
    let grant_bps: Int
    let reach_bps: Int
    let halted: Bool
    let paused: Bool
    let plan: StagePlan?
    /// `server`, `head` or nothing.
    let plan_from: String?
    let rules: GateRules
    let stage_since: Int
    let head_seq: Int
    let brake_seq: Int
    let revision: Int
    let last_decision: GateRecord?

    /// Its place in the API.
    var path: String { "rollouts/\(channel)/\(fingerprint)" }

    /// Whoever changes it builds on this revision, or is told that somebody was faster.
    var ifMatch: [String: String] { ["If-Match": "\"\(revision)\""] }
}

extension ServerAccess {
    /// The rollout of a channel and build; nil when nothing is published there.
    func rollout(channel: String, fingerprint: String) async throws -> ServerRollout? {
        do {
            return try await call("GET", "rollouts/\(channel)/\(fingerprint)")
        } catch let refusal as ServerRefusal where refusal.status == 404 {
            return nil
        }
    }

    /// Every rollout of the app.
    func rollouts() async throws -> [ServerRollout] {
        struct Listing: Decodable { let rollouts: [ServerRollout] }
        let listing: Listing = try await call("GET", "rollouts")
        return listing.rollouts
    }
}

/// What a brake changed, or a plan: the server's part of a rollout, without any release key.
enum ServerRolloutChange {
    struct Report: Encodable {
        struct Left: Encodable {
            let fingerprint: String
            let code: String
            let message: String
        }
        let created: Bool
        let dry_run: Bool
        let channel: String
        /// Who signs it: the server's ops key, or nobody.
        let by: String
        let rollouts: [ServerRollout]
        let left: [Left]
    }

    /// Calls `change` for each build of the channel that rolls the release out.
    /// - Throws: ``CommandFailure`` `not_rolling_out`, or the refusal when no build could be changed.
    static func run(
        _ name: String, _ workspace: Workspace, _ invocation: Invocation, by: String = "brake",
        _ change: @Sendable (ServerAccess, ServerRollout) async throws -> ServerRollout
    ) async throws -> Report {
        let access = try ServerAccess(workspace)
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let isDry = try invocation[Common.dryRun]
        let found = try await rollouts(of: name, access, workspace, invocation)
        guard !found.isEmpty else {
            throw CommandFailure(
                "not_rolling_out", "Release '\(name)' is not being rolled out on \(channel)",
                fix: "patchcli status", exit: .unreachable)
        }
        var changed: [ServerRollout] = []
        var left: [Report.Left] = []
        var first: (any Error)?
        for rollout in found {
            do {
                changed.append(isDry ? rollout : try await change(access, rollout))
            } catch let refusal as ServerRefusal {
                first = first ?? failure(refusal)
                left.append(
                    .init(
                        fingerprint: rollout.fingerprint, code: refusal.code,
                        message: refusal.message))
            }
        }
        if changed.isEmpty, let first { throw first }
        return Report(
            created: !isDry, dry_run: isDry, channel: channel, by: by, rollouts: changed,
            left: left)
    }

    /// The rollouts of a release on the channel that the command names.
    static func rollouts(
        of name: String, _ access: ServerAccess, _ workspace: Workspace, _ invocation: Invocation
    ) async throws -> [ServerRollout] {
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
        let publishing = try Publishing(workspace, console: invocation.console)
        let (_, index) = try await publishing.current()
        let releases = try ListCommands.find(name, in: index)
            .filter { $0.fingerprint.hasPrefix(build) }
        guard !releases.isEmpty else { throw ListCommands.unknown(name, index) }
        var found: [ServerRollout] = []
        for release in releases {
            guard
                let rollout = try await access.rollout(
                    channel: channel, fingerprint: release.fingerprint),
                rollout.release == release.digest
            else { continue }
            found.append(rollout)
        }
        return found
    }

    private static func failure(_ refusal: ServerRefusal) -> any Error {
        guard refusal.code == "brakes_not_delegated" else { return refusal }
        return CommandFailure(
            refusal.code, "The server may not sign brakes for this app",
            why: "Its ops key is not delegated to in the published targets: the app is older than "
                + "that. The release key can sign a head instead.",
            fix: "patchcli doctor --fix", exit: .configuration)
    }
}
