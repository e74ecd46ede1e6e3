import CommandLineKit
import PatchCompiler
import Rollout
import TUF

/// `patchcli rollback`
enum RollbackCommand {
    private static let to = Parameter<String?>.option(
        "to", placeholder: "release",
        help: "A live release by version, sequence or digest; the one before when not given.")
    private static let embedded = Parameter<Bool>.flag(
        "embedded", help: "Send devices back to what the app shipped with.")

    static var command: Command {
        Command(
            "rollback", abstract: "Send devices back to an earlier release.",
            discussion: """
                Signs a new head whose stable release is an earlier one; devices follow on their \
                next check. Applies to every build that has a head on the channel, or to one build \
                with --fingerprint. A build that is there already, or has nothing to go back to, \
                is left as it is and named.
                """,
            examples: [
                ("patchcli rollback", "Back to the release before."),
                ("patchcli rollback --to 1.0.1", "Back to a certain release."),
                ("patchcli rollback --embedded", "Back to what the app shipped with."),
            ],
            parameters: parameters(
                Common.project, Common.channel, Common.fingerprint, to, embedded, Common.dryRun),
            body: run)
    }

    struct Report: Encodable {
        struct Change: Encodable {
            let fingerprint: String
            let from: String?
            let to: String?
            let kind: String
            let head: Head
        }
        struct Left: Encodable {
            let fingerprint: String
            let code: String
            let message: String
        }
        let created: Bool
        let dry_run: Bool
        let channel: String
        let changes: [Change]
        /// Builds that stay as they are.
        let left: [Left]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let console = invocation.console
        let publishing = try Publishing(workspace, console: console)
        let signers = try workspace.releaseSigners()
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let goal: ReleasePlan.Goal
        let named = try invocation[to]
        let isEmbedded = try invocation[embedded]
        switch (named, isEmbedded) {
        case (nil, false): goal = .previous
        case (let release?, false): goal = .release(release)
        case (nil, true): goal = .embedded
        case (.some, true):
            throw CommandFailure(
                "conflicting_options", "--to and --embedded exclude each other",
                fix: "patchcli rollback --embedded", exit: .usage)
        }
        let isDry = try invocation[Common.dryRun]
        let only = try invocation[Common.fingerprint]?.lowercased()
        let report = try await publishing.retrying { published, index in
            let heads = index.heads.map(\.head).filter {
                $0.channel == channel && (only == nil || $0.fingerprint.hasPrefix(only ?? ""))
            }
            guard !heads.isEmpty else {
                throw CommandFailure(
                    "nothing_released",
                    "Nothing was released on \(channel)"
                        + (only.map { " for a build \($0)…" } ?? ""),
                    fix: "patchcli status", exit: .unreachable)
            }
            var editor = published
            var targets: [NewTarget] = []
            var changes: [Report.Change] = []
            let found = try ReleasePlan.rollbacks(to: goal, index: index, before: heads)
            for (head, plan) in found.plans {
                try editor.setTargets(
                    plan.listed, removing: plan.removed,
                    in: BuildRole.name(fingerprint: head.fingerprint), signers: signers,
                    at: .now)
                targets += plan.targets
                changes.append(change(head, plan.head, index))
            }
            let created =
                isDry
                ? false
                : try await publishing.publish(editor, targets: targets, as: "Sign and publish")
            return Report(
                created: created, dry_run: isDry, channel: channel, changes: changes,
                left: found.left.map {
                    .init(
                        fingerprint: $0.head.fingerprint, code: $0.failure.code,
                        message: $0.failure.what)
                })
        }
        try console.report(report) { show(report, on: $0) }
    }

    private static func change(
        _ before: Head, _ after: Head, _ index: ReleaseIndex
    ) -> Report.Change {
        let fp16 = BuildRole.fp16(before.fingerprint)
        func name(_ head: Head) -> String? {
            index.release(digest: head.candidate?.digest ?? head.stable, fp16: fp16)?.version
        }
        return Report.Change(
            fingerprint: before.fingerprint, from: name(before), to: name(after),
            kind: after.kind.rawValue, head: after)
    }

    private static func show(_ report: Report, on console: Console) {
        let style = console.style
        for change in report.changes {
            let from = change.from ?? "what the app shipped with"
            let to = change.to ?? "what the app shipped with"
            let verb = report.dry_run ? "Would go back" : "Went back"
            console.print(
                "\(verb) from \(style.bold(from)) to \(style.bold(to)) on \(report.channel) "
                    + style.dim(
                        "(build \(change.fingerprint.prefix(16)), head \(change.head.headSequence))"
                    ))
            if report.dry_run, let text = try? Console.text(change.head) { console.print(text) }
        }
        for build in report.left {
            console.print(
                style.bold("Left as it is: ")
                    + "build \(build.fingerprint.prefix(16)). \(build.message).")
        }
        if !report.dry_run { console.print("Devices follow on their next check.") }
    }
}
