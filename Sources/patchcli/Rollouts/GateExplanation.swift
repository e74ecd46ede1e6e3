import CommandLineKit
import PatchCompiler
import Rollout
import RolloutGates
import TUF

/// `patchcli explain --gate`: decisions of gates, taken again from what was kept of them.
enum GateExplanation {
    private struct Document: Decodable {
        struct Kept: Decodable {
            let id: Int
            let record: GateRecord
        }
        let decisions: [Kept]
    }

    /// How many decisions are told of at most, the newest ones.
    private static let most = 500

    struct Report: Encodable {
        struct Rollout: Encodable {
            let fingerprint: String
            /// Absent for modules.
            let bundle: String?
            let channel: String
            let release: String
            let decisions: [Decision]
        }
        struct Decision: Encodable {
            let record: GateRecord
            /// Whether deciding again from the same inputs gives the same.
            let reproduced: Bool
        }
        let reproduced: Bool
        let rollouts: [Rollout]
    }

    static func run(
        _ name: String, _ workspace: Workspace, _ invocation: Invocation
    ) async throws {
        let access = try ServerAccess(workspace)
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
        let publishing = try Publishing(workspace, console: invocation.console)
        let index = try await publishing.index(invocation)
        let releases = try ListCommands.find(name, in: index)
            .filter { $0.fingerprint.hasPrefix(build) }
        guard !releases.isEmpty else { throw ListCommands.unknown(name, index) }
        var rollouts: [Report.Rollout] = []
        for release in releases {
            let document: Document
            do {
                document = try await access.call(
                    "GET",
                    RolloutStatus.path(
                        channel: channel, fingerprint: release.fingerprint, bundle: index.bundle)
                        + "/decisions",
                    query: [("limit", "\(most)")])
            } catch let refusal as ServerRefusal where refusal.status == 404 {
                continue
            }
            let own = document.decisions.map(\.record).filter {
                $0.decision.inputs.release == release.digest
            }
            guard !own.isEmpty else { continue }
            rollouts.append(
                .init(
                    fingerprint: release.fingerprint, bundle: index.bundle, channel: channel,
                    release: release.version,
                    decisions: own.sorted { $0.at < $1.at }.map {
                        .init(record: $0, reproduced: $0.again() == $0.decision)
                    }))
        }
        guard !rollouts.isEmpty else {
            throw CommandFailure(
                "no_decisions", "No gate has decided anything about '\(name)' on \(channel)",
                why: "Gates look once a minute at candidates that were released with stages.",
                fix: "patchcli rollout \(name)", exit: .unreachable)
        }
        let report = Report(
            reproduced: rollouts.allSatisfy { $0.decisions.allSatisfy(\.reproduced) },
            rollouts: rollouts)
        try invocation.console.report(report) { show(report, on: $0) }
        if !report.reproduced { throw SilentExit(.gateFailed) }
    }

    private static func show(_ report: Report, on console: Console) {
        let style = console.style
        for rollout in report.rollouts {
            console.print(
                style.bold(rollout.release)
                    + style.dim(
                        " on \(rollout.channel), "
                            + (rollout.bundle.map { "bundle \($0)" }
                                ?? "build \(rollout.fingerprint.prefix(16))")))
            GateWords.show(rollout.decisions.map(\.record), from: nil, on: console)
            if let last = rollout.decisions.last?.record { GateWords.evidence(last, on: console) }
            for decision in rollout.decisions where !decision.reproduced {
                let again = decision.record.again()
                console.print(
                    style.red("Not reproduced: ") + Moment.text(decision.record.at)
                        + " would be \(again.action.name) (\(again.rule.rawValue)) here.")
            }
        }
        let count = report.rollouts.reduce(0) { $0 + $1.decisions.count }
        if report.reproduced {
            console.print(
                style.green("✓")
                    + " \(Quantity.count(count, "decision")) taken again from what was "
                    + "kept, with the same outcome.")
        }
    }
}
