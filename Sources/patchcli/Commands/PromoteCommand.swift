import CommandLineKit
import PatchCrypto
import Rollout
import TUF
import TUFRepository

/// `patchcli promote`: the very bytes that one channel has, for another.
enum PromoteCommand {
    private static let release = Parameter<String>.argument(
        "release", help: "A live release by version, sequence or first digits of its digest.")
    private static let channel = Parameter<String>.required(
        "to-channel", placeholder: "name", help: "The channel that gets it.",
        check: Common.checkName)

    struct Report: Encodable {
        struct Change: Encodable {
            let fingerprint: String
            let version: String
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
        let left: [Left]
    }

    static var command: Command {
        Command(
            "promote", abstract: "Give a release that was tried on one channel to another.",
            discussion: """
                Signs a head of the other channel that names the same bytes: nothing is compiled, \
                and devices that hold them download nothing. Versions of app and system that it \
                asks for elsewhere are asked for there too, unless you name others. Applies to \
                every build that has the release, or to one with --fingerprint.
                """,
            examples: [
                ("patchcli promote 1.2.0 --to-channel production", "Everybody there gets it."),
                (
                    "patchcli promote 1.2.0 --to-channel production --stages standard",
                    "Step by step, under the gates' eyes."
                ),
            ],
            parameters: parameters(
                release, channel, Common.project, Common.fingerprint, Common.bundleName)
                + ReleaseAudience.options
                + parameters(Common.signCommand, Common.yes, Common.dryRun),
            body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let publishing = try Publishing(workspace, console: invocation.console)
        let name = try invocation[release]
        let channel = try invocation[channel]
        let audience = try ReleaseAudience(invocation, isStatic: workspace.isStatic)
        let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
        let bundle = try invocation[Common.bundleName]
        let isDry = try invocation[Common.dryRun]
        let signCommand = try invocation[Common.signCommand]
        if !isDry, !(try invocation[Common.yes]) {
            try invocation.console.confirm(
                "Promote \(name) to \(audience.words) on \(channel)?")
        }
        let report = try await publishing.retrying { published, all in
            let index = bundle.map(all.ofBundle) ?? all
            let signers = try workspace.releaseSigners(published, command: signCommand)
            let found = try ListCommands.find(name, in: index)
                .filter { $0.fingerprint.hasPrefix(build) }
            let releases = found.compactMap {
                index.release(digest: $0.digest, fp16: BuildRole.fp16($0.fingerprint))
            }
            guard !releases.isEmpty else { throw ListCommands.unknown(name, index) }
            guard Set(releases.map(\.fingerprint)).count == releases.count else {
                throw CommandFailure(
                    "release_ambiguous", "'\(name)' names several releases of one build",
                    fix: "patchcli list", exit: .usage)
            }
            return try await promote(
                releases, to: audience, on: channel, publishing, published, index, signers, isDry)
        }
        try show(report, audience, on: invocation.console)
    }

    private static func promote(
        _ releases: [Release], to audience: ReleaseAudience, on channel: String,
        _ publishing: Publishing, _ published: RepositoryEditor, _ index: ReleaseIndex,
        _ signers: [TUFSigner], _ isDry: Bool
    ) async throws -> Report {
        var editor = published
        var targets: [NewTarget] = []
        var changes: [Report.Change] = []
        var left: [Report.Left] = []
        var first: CommandFailure?
        for release in releases {
            do {
                let plan = try ReleasePlan.promote(
                    release, to: audience.inheriting(from: index, release), on: channel,
                    index: index,
                    salt: SecureRandom.bytes(16).hex)
                try editor.setTargets(
                    plan.listed, removing: plan.removed,
                    in: BuildRole.name(fingerprint: release.fingerprint), signers: signers,
                    at: .now)
                targets += plan.targets
                changes.append(
                    .init(
                        fingerprint: release.fingerprint, version: release.version,
                        head: plan.head))
            } catch let failure as CommandFailure {
                first = first ?? failure
                left.append(
                    .init(
                        fingerprint: release.fingerprint, code: failure.code,
                        message: failure.what))
            }
        }
        if changes.isEmpty, let first { throw first }
        let created =
            isDry
            ? false
            : try await publishing.publish(editor, targets: targets, as: "Sign and publish")
        return Report(
            created: created, dry_run: isDry, channel: channel, changes: changes, left: left)
    }

    private static func show(
        _ report: Report, _ audience: ReleaseAudience, on console: Console
    ) throws {
        try console.report(report) { console in
            let style = console.style
            for change in report.changes {
                console.print(
                    (report.dry_run ? "Would promote " : "Promoted ") + style.bold(change.version)
                        + " to \(report.channel), \(words(change.head, audience))"
                        + style.dim(
                            " (build \(change.fingerprint.prefix(16)), head "
                                + "\(change.head.headSequence))"))
                if report.dry_run, let text = try? Console.text(change.head) {
                    console.print(text)
                }
            }
            for build in report.left {
                console.print(
                    style.bold("Left as it is: ")
                        + "build \(build.fingerprint.prefix(16)). \(build.message).")
            }
        }
        if report.left.contains(where: { $0.code != "already_there" }) {
            throw SilentExit(.unreachable)
        }
    }

    private static func words(_ head: Head, _ audience: ReleaseAudience) -> String {
        var audience = audience
        audience.require = head.candidate?.require ?? Requirement()
        return audience.words
    }
}
