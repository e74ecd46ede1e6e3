import CommandLineKit
import Rollout
import TUF
import TUFRepository

/// Issues new heads for the builds of a channel: what rollback, rollout, halt, resume and recall
/// share.
enum HeadChange {
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
        /// Devices of these builds that the server knows; nil where nobody counts.
        var reach: Reach?
        /// What remains to be done before devices see it: a static tree is on no host yet.
        var next: String?

        /// Whether a build stays where it should not: it is there already otherwise.
        var missesSome: Bool { left.contains { $0.code != "already_there" } }
    }

    static var parameters: [AnyParameter] {
        CommandLineKit.parameters(
            Common.project, Common.channel, Common.fingerprint, Common.bundleName,
            Common.signCommand, Common.yes, Common.dryRun)
    }

    /// Applies `change` to every head of the channel (or to one build's), signs and publishes.
    /// - Parameter question: what a person is asked first, before the number of devices; nil asks
    ///   nothing, as when every second counts.
    /// - Parameter leaving: the release that devices leave for the stable one; nil names what they
    ///   are offered, the candidate before the stable release.
    static func run(
        _ invocation: Invocation, asking question: String? = nil,
        leaving: String? = nil,
        _ change: @Sendable (ReleaseIndex, Head) throws -> ReleasePlan
    ) async throws -> Report {
        let workspace = try Workspace(invocation)
        let publishing = try Publishing(workspace, console: invocation.console)
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let isDry = try invocation[Common.dryRun]
        let only = try invocation[Common.fingerprint]?.lowercased()
        let bundle = try invocation[Common.bundleName]
        let signCommand = try invocation[Common.signCommand]
        let isAsked = try !isDry && !invocation[Common.yes]
        return try await publishing.retrying { published, index in
            let index = bundle.map(index.ofBundle) ?? index
            let signers = try workspace.releaseSigners(published, command: signCommand)
            let heads = index.heads.map(\.head).filter {
                $0.channel == channel && (only == nil || $0.fingerprint.hasPrefix(only ?? ""))
            }
            guard !heads.isEmpty else {
                throw CommandFailure(
                    "nothing_released",
                    "Nothing was released on \(channel)"
                        + (bundle.map { " of the bundle '\($0)'" } ?? "")
                        + (only.map { " for a build \($0)…" } ?? ""),
                    fix: "patchcli status", exit: .unreachable)
            }
            let reach = await Reach.of(
                heads.map(\.fingerprint), bundle: bundle, workspace, invocation.console)
            if let question, isAsked {
                let known = reach.map { ", for \($0.words)" } ?? ""
                try invocation.console.confirm("\(question) on \(channel)\(known)?")
            }
            var editor = published
            var targets: [NewTarget] = []
            var changes: [Report.Change] = []
            let found = try ReleasePlan.changes(of: heads) { try change(index, $0) }
            for (head, plan) in found.plans {
                try editor.setTargets(
                    plan.listed, removing: plan.removed,
                    in: BuildRole.name(fingerprint: head.fingerprint), signers: signers, at: .now)
                targets += plan.targets
                changes.append(described(head, plan.head, leaving, index))
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
                }, reach: reach, next: isDry ? nil : publishing.next)
        }
    }

    private static func described(
        _ before: Head, _ after: Head, _ leaving: String?, _ index: ReleaseIndex
    ) -> Report.Change {
        let fp16 = BuildRole.fp16(before.fingerprint)
        func name(_ digest: String?) -> String? {
            index.release(digest: digest, fp16: fp16)?.version
        }
        func offered(_ head: Head) -> String? { name(head.candidate?.digest ?? head.stable) }
        let left = leaving.flatMap { try? ReleasePlan.find($0, in: index, fp16: fp16).version }
        return Report.Change(
            fingerprint: before.fingerprint, from: left ?? offered(before),
            to: leaving == nil ? offered(after) : name(after.stable), kind: after.kind.rawValue,
            head: after)
    }

    /// Prints what was changed and what was left.
    /// - Parameter line: one change in words.
    /// - Throws: `SilentExit` with 3 when a build stays where it should not.
    static func show(
        _ report: Report, on console: Console, _ line: (Report.Change) -> String
    ) throws {
        try console.report(report) { console in
            let style = console.style
            for change in report.changes {
                console.print(
                    line(change)
                        + style.dim(
                            " (build \(change.fingerprint.prefix(16)), "
                                + "head \(change.head.headSequence))"))
                if report.dry_run, let text = try? Console.text(change.head) {
                    console.print(text)
                }
            }
            for build in report.left {
                console.print(
                    style.bold("Left as it is: ")
                        + "build \(build.fingerprint.prefix(16)). \(build.message).")
            }
            if let next = report.next {
                console.print("Not on your host yet: \(style.cyan(next))")
            } else if !report.dry_run {
                console.print(
                    (report.reach.map { "Those of \($0.words) that it concerns follow" }
                        ?? "Devices follow") + " on their next check.")
            }
        }
        if report.missesSome { throw SilentExit(.unreachable) }
    }
}
