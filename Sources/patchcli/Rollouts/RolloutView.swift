import CommandLineKit
import Rollout
import RolloutGates
import TUF

/// `patchcli rollout R` without a change: where it stands, and on a server why.
enum RolloutView {
    struct Report: Encodable {
        struct Rollout: Encodable {
            let release: String
            let fingerprint: String
            /// Absent for modules.
            let bundle: String?
            let channel: String
            let grant_bps: Int
            let reach_bps: Int
            let halted: Bool
            let require: Requirement?
            /// Nil in a static tree.
            let server: RolloutStatus?
        }
        let rollouts: [Rollout]
    }

    static func run(
        _ name: String, _ workspace: Workspace, _ invocation: Invocation
    ) async throws {
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
        let publishing = try Publishing(workspace, console: invocation.console)
        let index = try await publishing.index(invocation)
        let releases = try ListCommands.find(name, in: index)
            .filter { $0.fingerprint.hasPrefix(build) }
        guard !releases.isEmpty else { throw ListCommands.unknown(name, index) }
        var rollouts: [Report.Rollout] = []
        for release in releases {
            let fp16 = BuildRole.fp16(release.fingerprint)
            guard let head = index.head(channel: channel, fp16: fp16),
                let candidate = head.candidate, candidate.digest == release.digest
            else { continue }
            let server =
                workspace.isStatic
                ? nil
                : try await ServerAccess(workspace).rollout(
                    channel: channel, fingerprint: release.fingerprint, bundle: index.bundle)
            rollouts.append(
                .init(
                    release: release.version, fingerprint: release.fingerprint,
                    bundle: index.bundle, channel: channel, grant_bps: candidate.grant,
                    reach_bps: server?.reach ?? candidate.grant,
                    halted: server?.isHalted ?? index.isHalted(head),
                    require: candidate.require, server: server))
        }
        guard !rollouts.isEmpty else {
            throw CommandFailure(
                "not_rolling_out", "Release '\(name)' is not being rolled out on \(channel)",
                fix: "patchcli list", exit: .unreachable)
        }
        try invocation.console.report(Report(rollouts: rollouts)) { console in
            for rollout in rollouts { show(rollout, on: console) }
        }
    }

    private static func show(_ rollout: Report.Rollout, on console: Console) {
        let style = console.style
        let state =
            rollout.halted
            ? style.red("halted")
            : rollout.server?.isPaused == true ? style.yellow("advanced by hand") : ""
        console.print(
            style.bold(rollout.release) + " on \(rollout.channel) reaches "
                + style.bold(GateWords.share(rollout.reach_bps)) + " of devices"
                + (state.isEmpty ? "" : ", " + state)
                + style.dim(
                    rollout.bundle.map { "  bundle \($0)" }
                        ?? "  build \(rollout.fingerprint.prefix(16))"))
        console.print(bar(rollout, style))
        var fields: [(name: String, value: String)] = [
            ("granted", GateWords.share(rollout.grant_bps) + " by the release key")
        ]
        let bounds = rollout.require.map(ReleaseAudience.words) ?? []
        if !bounds.isEmpty { fields.append(("only for", bounds.joined(separator: ", "))) }
        if let server = rollout.server {
            fields.append(
                (
                    "plan",
                    server.plan.map {
                        StageList($0).argumentText
                            + (server.planOrigin == .server ? "" : style.dim(" (signed)"))
                    } ?? "none: nobody watches it"
                ))
            if server.plan != nil {
                fields.append(("stage since", Moment.text(server.stageSince)))
            }
        }
        console.print(fields: fields)
        if let last = rollout.server?.lastDecision {
            console.print()
            GateWords.show([last], from: nil, on: console)
            GateWords.evidence(last, on: console)
            let bundle = rollout.bundle.map { " --bundle-name \($0)" } ?? ""
            console.print(
                style.dim("All decisions: patchcli explain --gate \(rollout.release)\(bundle)"))
        }
    }

    /// How far it reaches, with the grant's end marked.
    private static func bar(_ rollout: Report.Rollout, _ style: Style) -> String {
        let width = 40
        let reached = min(width, (rollout.reach_bps * width + 9_999) / 10_000)
        let granted = max(reached, min(width, rollout.grant_bps * width / 10_000))
        return "  " + style.green(String(repeating: "█", count: reached))
            + style.dim(String(repeating: "░", count: granted - reached))
            + style.dim(String(repeating: "·", count: width - granted))
    }
}
