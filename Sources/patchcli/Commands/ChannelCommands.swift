import CommandLineKit
import Rollout
import TUF
import TUFRepository

/// `patchcli channel …`: streams of releases that devices subscribe to.
enum ChannelCommands {
    private static let name = Parameter<String>.argument(
        "channel", help: "The channel.", check: Common.checkName)
    private static let from = Parameter<String?>.option(
        "from", placeholder: "channel", help: "Begin with the stable releases of this channel.",
        check: Common.checkName)

    static var group: Command {
        Command(
            "channel", abstract: "Channels: streams of releases that devices subscribe to.",
            discussion: """
                A channel is there once a head names it: a release, a promotion or 'create --from' \
                makes one. Devices are put on it by 'Patch.shared.setChannel' or by the app's \
                patch-config.json.
                """, subcommands: [list, create, pause, resume])
    }

    struct Listing: Encodable {
        struct Channel: Encodable {
            struct Build: Encodable {
                let fingerprint: String
                /// Absent for modules.
                let bundle: String?
                let kind: String
                let stable: String?
                let candidate: String?
                let grant_bps: Int?
                let reach_bps: Int?
                let head_seq: Int
            }
            let name: String
            let paused: Bool
            let builds: [Build]
        }
        let channels: [Channel]
    }

    private static var list: Command {
        Command(
            "list", abstract: "List the channels and what is live on each.",
            parameters: parameters(Common.project)
        ) { invocation in
            let publishing = try Publishing(Workspace(invocation), console: invocation.console)
            let (_, index) = try await publishing.current()
            let channels = channels(index.withBundles)
            try invocation.console.report(Listing(channels: channels)) { console in
                guard !channels.isEmpty else { return console.print("Nothing is released yet.") }
                var table = Table([
                    .init("CHANNEL"), .init("BUILD"), .init("STABLE"), .init("ROLLING OUT"),
                    .init(""),
                ])
                for channel in channels {
                    for build in channel.builds {
                        table.add([
                            console.style.bold(channel.name),
                            build.bundle.map { "bundle \($0)" }
                                ?? String(build.fingerprint.prefix(16)),
                            build.kind == "embedded" ? "as shipped" : build.stable ?? "as shipped",
                            build.candidate.map {
                                "\($0) to \(GateWords.share(build.reach_bps ?? 0))"
                            } ?? "-",
                            channel.paused ? console.style.yellow("paused") : "",
                        ])
                    }
                }
                console.print(table)
            }
        }
    }

    private static func channels(_ indexes: [ReleaseIndex]) -> [Listing.Channel] {
        let names = Set(indexes.flatMap { $0.heads.map(\.head.channel) })
        return names.sorted().map { name in
            var builds: [Listing.Channel.Build] = []
            var heads: [Head] = []
            var isBraked = true
            for index in indexes {
                let own = index.heads.map(\.head).filter { $0.channel == name }
                guard !own.isEmpty else { continue }
                heads += own
                builds += own.map { build($0, index) }
                if index.brakes[name]?.halted != true { isBraked = false }
            }
            return .init(name: name, paused: isBraked || isHalted(heads), builds: builds)
        }
    }

    private static func isHalted(_ heads: [Head]) -> Bool {
        let candidates = heads.compactMap(\.candidate)
        return !candidates.isEmpty && candidates.allSatisfy { $0.haltedGrant != nil }
    }

    private static func build(_ head: Head, _ index: ReleaseIndex) -> Listing.Channel.Build {
        let fp16 = BuildRole.fp16(head.fingerprint)
        return .init(
            fingerprint: head.fingerprint, bundle: index.bundle, kind: head.kind.rawValue,
            stable: index.release(digest: head.stable, fp16: fp16)?.version,
            candidate: index.release(digest: head.candidate?.digest, fp16: fp16)?.version,
            grant_bps: head.candidate?.grant,
            reach_bps: head.candidate.map { index.reach($0, channel: head.channel) },
            head_seq: head.headSequence)
    }

    // MARK: create

    private static var create: Command {
        Command(
            "create", abstract: "Begin a channel with what another one has.",
            discussion: """
                Signs a head of the new channel for every build and every web bundle that the \
                other one has a stable release for, with the same bytes.
                """,
            examples: [("patchcli channel create beta --from production", "A new channel.")],
            parameters: parameters(name, from, Common.project, Common.signCommand, Common.dryRun)
        ) { invocation in
            let workspace = try Workspace(invocation)
            let publishing = try Publishing(workspace, console: invocation.console)
            let new = try invocation[name]
            let old = try invocation[from] ?? workspace.configuration.channel
            let isDry = try invocation[Common.dryRun]
            let signCommand = try invocation[Common.signCommand]
            let heads = try await publishing.retrying { published, index in
                let signers = try workspace.releaseSigners(published, command: signCommand)
                let plans = try plans(new, from: old, index)
                var editor = published
                for plan in plans {
                    try editor.setTargets(
                        plan.listed, removing: plan.removed,
                        in: BuildRole.name(fingerprint: plan.head.fingerprint), signers: signers,
                        at: .now)
                }
                if !isDry {
                    _ = try await publishing.publish(
                        editor, targets: plans.flatMap(\.targets), as: "Sign and publish")
                }
                return plans.map(\.head)
            }
            try invocation.console.report(
                Created(channel: new, created: !isDry, dry_run: isDry, heads: heads)
            ) { console in
                console.print(
                    (isDry ? "Would create " : "Created ") + console.style.bold(new) + " with what "
                        + "\(old) has, for \(count(heads)).")
            }
        }
    }

    private struct Created: Encodable {
        let channel: String
        let created: Bool
        let dry_run: Bool
        let heads: [Head]
    }

    private static func count(_ heads: [Head]) -> String {
        let bundles = heads.filter { $0.fingerprint == BundleRelease.anyBuild }.count
        let counts = [
            bundles == heads.count ? nil : Quantity.count(heads.count - bundles, "build"),
            bundles == 0 ? nil : Quantity.count(bundles, "web bundle"),
        ]
        return counts.compactMap { $0 }.joined(separator: " and ")
    }

    private static func plans(
        _ new: String, from old: String, _ index: ReleaseIndex
    ) throws -> [ReleasePlan] {
        let indexes = index.withBundles
        guard !indexes.contains(where: { $0.heads.contains { $0.head.channel == new } }) else {
            throw CommandFailure(
                "channel_exists", "There is a channel '\(new)' already",
                fix: "patchcli channel list", exit: .unreachable)
        }
        let plans = try indexes.flatMap { index in
            try index.heads.map(\.head).filter { $0.channel == old && $0.kind == .run }
                .compactMap { head -> ReleasePlan? in
                    let fp16 = BuildRole.fp16(head.fingerprint)
                    return try index.release(digest: head.stable, fp16: fp16).map {
                        try ReleasePlan.promote(
                            $0, to: .everybody, on: new, index: index, salt: "")
                    }
                }
        }
        guard !plans.isEmpty else {
            throw CommandFailure(
                "nothing_released", "'\(old)' has no stable release to begin with",
                fix: "patchcli release --channel \(new)", exit: .unreachable)
        }
        return plans
    }

    // MARK: pause, resume

    private static var pause: Command {
        Command(
            "pause", abstract: "No device takes a candidate of the channel, whichever it is.",
            discussion: """
                On a server its ops key signs a brake, and a token is enough; in a static tree the \
                release key signs heads that grant candidates to nobody else. Devices keep what \
                they run.
                """,
            parameters: parameters(name, Common.project, Common.signCommand)
        ) { try await set(paused: true, $0) }
    }

    private static var resume: Command {
        Command(
            "resume", abstract: "Candidates of the channel go on.",
            parameters: parameters(name, Common.project, Common.signCommand)
        ) { try await set(paused: false, $0) }
    }

    private struct BrakeChange: Encodable, Sendable {
        let channel: String
        let bundle: String?
        let halted: Bool
    }

    private struct Changed: Encodable {
        let channel: String
        let paused: Bool
        let brake_seq: Int?
    }

    private static func set(paused: Bool, _ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let channel = try invocation[name]
        var sequence: Int?
        if workspace.isStatic {
            try await setHeads(paused: paused, channel, workspace, invocation)
        } else {
            let access = try ServerAccess(workspace)
            for bundle in try await braked(channel, workspace, invocation) {
                let brake: Brake = try await access.call(
                    "POST", "brakes",
                    body: BrakeChange(channel: channel, bundle: bundle, halted: paused))
                sequence = max(sequence ?? 0, brake.brakeSequence)
            }
        }
        try invocation.console.report(
            Changed(channel: channel, paused: paused, brake_seq: sequence)
        ) { console in
            console.print(
                console.style.bold(channel) + (paused ? " is paused" : " goes on")
                    + (sequence.map { console.style.dim(" (brake \($0))") } ?? "")
                    + (workspace.isStatic
                        ? ". Not on your host yet: \(Publishing.copying)"
                        : ". Devices follow on their next check."))
        }
    }

    /// What needs a brake to pause a channel: modules (nil), and each web bundle.
    private static func braked(
        _ channel: String, _ workspace: Workspace, _ invocation: Invocation
    ) async throws -> [String?] {
        let publishing = try Publishing(workspace, console: invocation.console)
        let bundles = try await publishing.current().index.withBundles.filter {
            $0.heads.contains { $0.head.channel == channel }
        }.map(\.bundle)
        // The server says what is wrong where nothing is published.
        return bundles.isEmpty ? [nil] : bundles
    }

    private static func setHeads(
        paused: Bool, _ channel: String, _ workspace: Workspace, _ invocation: Invocation
    ) async throws {
        let publishing = try Publishing(workspace, console: invocation.console)
        let signCommand = try invocation[Common.signCommand]
        try await publishing.retrying { published, index in
            let signers = try workspace.releaseSigners(published, command: signCommand)
            var plans: [ReleasePlan] = []
            var isThere: CommandFailure?
            for index in index.withBundles {
                let heads = index.heads.map(\.head).filter {
                    $0.channel == channel && $0.candidate != nil
                }
                guard !heads.isEmpty else { continue }
                do {
                    plans += try ReleasePlan.changes(of: heads) { head in
                        try ReleasePlan.rollout(
                            head.candidate?.digest ?? "", to: paused ? .halt : .resume,
                            index: index, before: head)
                    }.plans.map(\.plan)
                } catch let failure as CommandFailure where failure.code == "already_there" {
                    isThere = failure
                }
            }
            guard !plans.isEmpty else {
                throw isThere
                    ?? CommandFailure(
                        "not_rolling_out", "Nothing is being rolled out on \(channel)",
                        fix: "patchcli channel list", exit: .unreachable)
            }
            var editor = published
            for plan in plans {
                try editor.setTargets(
                    plan.listed, removing: plan.removed,
                    in: BuildRole.name(fingerprint: plan.head.fingerprint), signers: signers,
                    at: .now)
            }
            _ = try await publishing.publish(
                editor, targets: plans.flatMap(\.targets), as: "Sign and publish")
        }
    }
}
