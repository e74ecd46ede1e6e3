import CommandLineKit
import Rollout
import RolloutGates
import TUF

extension RolloutStatus {
    /// Its place in the API.
    var path: String { Self.path(channel: channel, fingerprint: fingerprint, bundle: bundle) }

    static func path(channel: String, fingerprint: String, bundle: String?) -> String {
        bundle.map { "bundle-rollouts/\(channel)/\($0)" } ?? "rollouts/\(channel)/\(fingerprint)"
    }

    /// Whoever changes it builds on this revision, or is told that somebody was faster.
    var ifMatch: [String: String] { ["If-Match": "\"\(revision)\""] }

    /// `build 0123456789abcdef`, `bundle app`.
    var words: String {
        bundle.map { "bundle \($0)" } ?? "build \(fingerprint.prefix(16))"
    }
}

extension ServerAccess {
    /// The rollout of a channel and build, or of a channel and web bundle; nil when nothing is
    /// published there.
    func rollout(
        channel: String, fingerprint: String, bundle: String?
    ) async throws -> RolloutStatus? {
        do {
            return try await call(
                "GET",
                RolloutStatus.path(channel: channel, fingerprint: fingerprint, bundle: bundle))
        } catch let refusal as ServerRefusal where refusal.status == 404 {
            return nil
        }
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
        let rollouts: [RolloutStatus]
        let left: [Left]
    }

    /// Calls `change` for each build of the channel that rolls the release out.
    /// - Throws: ``CommandFailure`` `not_rolling_out`, or the refusal when no build could be changed.
    static func run(
        _ name: String, _ workspace: Workspace, _ invocation: Invocation, by: String = "brake",
        _ change: @Sendable (ServerAccess, RolloutStatus) async throws -> RolloutStatus
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
        var changed: [RolloutStatus] = []
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
    ) async throws -> [RolloutStatus] {
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
        let publishing = try Publishing(workspace, console: invocation.console)
        let index = try await publishing.index(invocation)
        let releases = try ListCommands.find(name, in: index)
            .filter { $0.fingerprint.hasPrefix(build) }
        guard !releases.isEmpty else { throw ListCommands.unknown(name, index) }
        var found: [RolloutStatus] = []
        for release in releases {
            guard
                let rollout = try await access.rollout(
                    channel: channel, fingerprint: release.fingerprint, bundle: index.bundle),
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
