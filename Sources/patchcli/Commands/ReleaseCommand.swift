import CommandLineKit
import Foundation
import ModuleABI
import PatchCompiler
import PatchCrypto
import Rollout
import TUF
import TUFRepository

/// `patchcli release`
enum ReleaseCommand {
    private static let version = Parameter<String?>.option(
        "version", help: "The release's name; the last one with its number raised when not given.",
        check: Common.checkName)
    private static let notes = Parameter<String?>.option(
        "notes", placeholder: "text", help: "Release notes, shown to users who are asked.")
    private static let fingerprints = Parameter<[String]>.options(
        "fingerprint", placeholder: "digits",
        help: "First digits of a registered build's fingerprint, instead of the latest build; "
            + "given again, the same module goes to that build too.")
    private static let strict = Parameter<Bool>.flag(
        "strict",
        help:
            "Release nothing when part of the change stays out of the module: functions that were "
            + "removed or that the installed app does not know.")

    private static let allowUnreachable = Parameter<Bool>.flag(
        "allow-unreachable",
        help: "Overrides the refusal to release for a build that no known device runs.")

    static var command: Command {
        Command(
            "release", abstract: "Compile, sign and publish what changed.",
            discussion: """
                Compares the sources with a registered store build, compiles the functions that \
                differ to a module, signs it with the release key and publishes it to the channel. \
                Running it again without a change releases nothing anew. Exits with 6 when a change \
                cannot ship over the air, and with 5 when the build is not registered; nothing is \
                uploaded then.
                """,
            examples: [
                ("patchcli release", "Everybody on the default channel gets it."),
                (
                    "patchcli release --rollout 5% --notes 'Fixes the price'",
                    "One in twenty gets it."
                ),
                (
                    "patchcli release --stages standard",
                    "1 % first, further while the gates see nothing wrong."
                ),
                (
                    "patchcli release --to-tag testers",
                    "Only devices that were invited to a test."
                ),
                (
                    "patchcli release --mandatory --apply-by 2d --min-os 17",
                    "Without asking, within two days, where it can run."
                ),
                ("patchcli release --dry-run --json", "What would be signed, as JSON."),
                ("patchcli release --bundle dist", "A web bundle, packed from a folder."),
            ],
            parameters: parameters(
                Common.project, Common.channel, fingerprints, version, notes)
                + ReleaseAudience.options
                + parameters(
                    BundleRelease.source, Common.bundleName, BundleRelease.requires,
                    BundleRelease.base, BundleRelease.allowsNoIndex, Common.signCommand,
                    Common.allowRemoved, strict,
                    allowUnreachable, Common.yes,
                    Common.dryRun),
            body: run)
    }

    struct Report: Encodable {
        let created: Bool
        let dry_run: Bool
        let release: Release?
        let head: Head
        let covered: [CoverageSummary.Function]
        let native: CoverageSummary.Native
        let size: Int
        let download_size: Int
        let delta_sizes: [Int]
        let role: String
        let role_version: Int
        let signed_by: [String]
        let url: String
        /// Devices of the build that the server knows; nil where nobody counts.
        var reach: Reach?
        /// The candidate that this release takes the place of.
        var superseded: Superseded?
    }

    struct Superseded: Encodable, Sendable {
        let version: String
        let reach_bps: Int
        /// Where its devices go that the new release does not reach.
        let others_go_to: String?
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let console = invocation.console
        if let source = try invocation[BundleRelease.source] {
            return try await BundleRelease.run(
                invocation, workspace, source: source, wishes: try wishes(invocation, workspace),
                version: try invocation[version])
        }
        let named = try invocation[fingerprints]
        let manifest = try workspace.project.manifest(fingerprint: named.first)
        let others = try named.dropFirst().map { try workspace.project.manifest(fingerprint: $0) }
            .filter { $0.fingerprint != manifest.fingerprint }
        let publishing = try Publishing(workspace, console: console)
        let signCommand = try invocation[Common.signCommand]
        // Before anything is built: a key that is missing is found out now.
        if signCommand == nil { _ = try workspace.releaseSigners() }
        let isDry = try invocation[Common.dryRun]
        let wanted = try invocation[version]
        let allowingRemoval = try invocation[Common.allowRemoved]
        let isStrict = try invocation[strict]
        let final = try wishes(invocation, workspace)
        let reach = await Reach.of(
            ([manifest] + others).map(\.fingerprint), workspace, console)
        try reach?.check(allowing: try invocation[allowUnreachable])
        if let reach, !isDry, !(try invocation[Common.yes]) {
            try console.confirm(
                "Release to \(final.audience.words) of \(reach.words) on \(final.channel)?")
        }
        var outcome = try await publishing.retrying { editor, index in
            try await release(
                Request(
                    manifest: manifest, others: others, wishes: final, version: wanted,
                    isDry: isDry,
                    allowingRemoval: allowingRemoval, isStrict: isStrict,
                    signers: try workspace.releaseSigners(editor, command: signCommand)),
                publishing, editor, index)
        }
        outcome.report.reach = reach
        try console.report(outcome.report) { show(outcome, manifest, final, on: $0) }
    }

    private static func wishes(
        _ invocation: Invocation, _ workspace: Workspace
    ) throws -> ReleasePlan.Wishes {
        var wishes = ReleasePlan.Wishes(
            channel: try invocation[Common.channel] ?? workspace.configuration.channel)
        wishes.notes = try invocation[notes]
        wishes.audience = try ReleaseAudience(invocation, isStatic: workspace.isStatic)
        wishes.commit = workspace.commit
        return wishes
    }

    private struct Request: Sendable {
        let manifest: BuildManifest
        /// Further builds that get the same module.
        let others: [BuildManifest]
        let wishes: ReleasePlan.Wishes
        let version: String?
        let isDry: Bool
        let allowingRemoval: Bool
        let isStrict: Bool
        let signers: [TUFSigner]
    }

    private struct Outcome: Sendable {
        var report: Report
        let payload: ModulePayload
    }

    private static func release(
        _ request: Request, _ publishing: Publishing, _ published: RepositoryEditor,
        _ index: ReleaseIndex
    ) async throws -> Outcome {
        let workspace = publishing.workspace
        let fp16 = request.manifest.short
        let role = BuildRole.name(fingerprint: request.manifest.fingerprint)
        guard published.delegated[role] != nil else {
            throw CommandFailure(
                "build_not_published", "Build \(fp16) may not be released for yet",
                why: "Its role was never signed: it was registered with --no-publish.",
                fix: "patchcli fingerprint register", exit: .fingerprintMismatch)
        }
        let latest = index.releases(fp16: fp16).last?.release
        let version =
            request.version
            ?? VersionName.next(
                after: index.releases.last?.release.version, sequence: index.nextSequence)
        let payload = try await ModulePayload.build(
            workspace.project, request.manifest,
            ReleaseIdentity(version: version, sequence: index.nextSequence),
            allowingRemoval: request.allowingRemoval, publishing.console)
        if let module = payload.module {
            for other in request.others {
                try workspace.project.refuse(module, unlessServing: other)
            }
        }
        if request.isStrict { try refuseWhatStaysOut(payload.summary.native) }
        // A module carries its own version and sequence, so whether anything is new is told by
        // what it would be under the earlier name.
        let earlier =
            request.version == nil
            ? latest
            : index.releases(fp16: fp16).last { $0.release.version == version }?.release
        if request.others.isEmpty, let earlier,
            let head = index.head(channel: request.wishes.channel, fp16: fp16),
            isSame(earlier, head, request.wishes, floor: index.floor)
        {
            let again = try payload.restamped(
                version: earlier.version, sequence: earlier.sequence)
            if again.digest == earlier.raw.sha256 {
                return Outcome(
                    report: report(
                        created: false, request, earlier, head, again, published, role,
                        publishing.repository),
                    payload: again)
            }
        }
        let deltas = try await publishing.deltas(
            to: payload, shipped: { try workspace.project.baseModule(of: request.manifest) },
            index, fp16: fp16)
        let plan = try ReleasePlan.release(
            .init(
                raw: payload.raw, packed: payload.packed, encoding: payload.encoding,
                section: payload.section, deltas: deltas),
            index: index, appID: workspace.configuration.appID,
            platform: workspace.configuration.platform,
            fingerprint: request.manifest.fingerprint, wishes: request.wishes,
            salt: SecureRandom.bytes(16).hex)
        var editor = published
        try editor.setTargets(
            plan.listed, removing: plan.removed, in: role, signers: request.signers, at: .now)
        var targets = plan.targets
        for other in request.others {
            targets += try offer(payload, to: other, request, publishing, &editor, index)
        }
        var created = false
        if !request.isDry {
            if let debug = payload.debug {
                try DebugFile.keep(debug, digest: payload.digest, in: workspace.folder)
            }
            created = try await publishing.publish(
                editor, targets: targets, as: "Sign and publish")
        }
        var report = report(
            created: created, request, plan.release, plan.head, payload, editor, role,
            publishing.repository, deltas)
        report.superseded = superseded(
            by: payload.digest, index.head(channel: request.wishes.channel, fp16: fp16), plan.head,
            index)
        return Outcome(report: report, payload: payload)
    }

    /// The candidate before, when another one takes its place.
    private static func superseded(
        by digest: String, _ before: Head?, _ after: Head, _ index: ReleaseIndex
    ) -> Superseded? {
        guard let before, let candidate = before.candidate, candidate.digest != digest else {
            return nil
        }
        let fp16 = BuildRole.fp16(before.fingerprint)
        return Superseded(
            version: index.release(digest: candidate.digest, fp16: fp16)?.version
                ?? String(candidate.digest.prefix(12)),
            reach_bps: index.reach(candidate, channel: before.channel),
            others_go_to: index.release(digest: after.stable, fp16: fp16)?.version)
    }

    /// Lists the same bytes in the role of another build.
    private static func offer(
        _ payload: ModulePayload, to manifest: BuildManifest, _ request: Request,
        _ publishing: Publishing, _ editor: inout RepositoryEditor, _ index: ReleaseIndex
    ) throws -> [NewTarget] {
        let role = BuildRole.name(fingerprint: manifest.fingerprint)
        guard editor.delegated[role] != nil else {
            throw CommandFailure(
                "build_not_published", "Build \(manifest.short) may not be released for yet",
                why: "Its role was never signed: it was registered with --no-publish.",
                fix: "patchcli fingerprint register", exit: .fingerprintMismatch)
        }
        let configuration = publishing.workspace.configuration
        let plan = try ReleasePlan.release(
            .init(
                raw: payload.raw, packed: payload.packed, encoding: payload.encoding,
                section: payload.section),
            index: index, appID: configuration.appID, platform: configuration.platform,
            fingerprint: manifest.fingerprint, wishes: request.wishes,
            salt: SecureRandom.bytes(16).hex)
        try editor.setTargets(
            plan.listed, removing: plan.removed, in: role, signers: request.signers, at: .now)
        return plan.targets
    }

    private static func refuseWhatStaysOut(_ native: CoverageSummary.Native) throws {
        let removed = native.removed.map { "'\($0)' was removed and stays in the installed app" }
        let unknown = native.unknown_to_build.map {
            "'\($0)' is new and reached through covered functions only"
        }
        guard let first = (removed + unknown).first else { return }
        let more = removed.count + unknown.count - 1
        throw CommandFailure(
            "strict_native", "Part of the change stays out of the module; nothing was uploaded",
            why: first + (more == 0 ? "." : ", and \(more) more."),
            fix: "patchcli build", exit: .cannotShip)
    }

    /// Whether publishing again would say nothing new.
    static func isSame(
        _ release: Release, _ head: Head, _ wishes: ReleasePlan.Wishes, floor: Int
    ) -> Bool {
        release.sequence >= floor && release.mandatory == wishes.audience.isMandatory
            && (wishes.notes == nil || wishes.notes == release.notes)
            && head.offers(release.raw.sha256, to: wishes.audience)
    }

    private static func report(
        created: Bool, _ request: Request, _ release: Release?, _ head: Head,
        _ payload: ModulePayload, _ editor: RepositoryEditor, _ role: String,
        _ repository: any Repository, _ deltas: [ReleaseDelta] = []
    ) -> Report {
        let path = release.map {
            ReleaseIndex.modulePath(fp16: request.manifest.short, version: $0.version)
        }
        let target = path.flatMap { path in editor.listedTargets.first { $0.path == path } }
        let place = target.flatMap { try? $0.filePath(consistentSnapshot: true) } ?? ""
        return Report(
            created: created, dry_run: request.isDry, release: release, head: head,
            covered: payload.summary.covered, native: payload.summary.native,
            size: payload.raw.count, download_size: payload.packed.count,
            delta_sizes: deltas.map(\.target.bytes.count), role: role,
            role_version: editor.delegated[role]?.signed.version ?? 0,
            signed_by: editor.delegated[role]?.signatures.map(\.keyID) ?? [],
            url: "\(repository.address)/targets/\(place)")
    }

    /// `, as delta 390 B to 2.1 KB`
    private static func deltaSizes(_ report: Report) -> String {
        guard let least = report.delta_sizes.min(), let most = report.delta_sizes.max() else {
            return ""
        }
        return ", as delta \(Quantity.bytes(least))"
            + (least == most ? "" : " to \(Quantity.bytes(most))")
    }

    private static func show(
        _ outcome: Outcome, _ manifest: BuildManifest, _ wishes: ReleasePlan.Wishes,
        on console: Console
    ) {
        let report = outcome.report
        let style = console.style
        let version = report.release?.version ?? ""
        if report.dry_run {
            console.print(style.bold("Would release \(version)") + "; nothing was published.")
        } else if report.created {
            console.print(style.green("Released ") + style.bold(version))
        } else {
            console.print(style.bold(version) + " is live already; nothing was published.")
        }
        outcome.payload.summary.show(on: console)
        console.print(fields: [
            ("release", "\(version), sequence \(report.release?.sequence ?? 0)"),
            (
                "channel",
                "\(wishes.channel), \(wishes.audience.words)"
            ),
            (
                "build",
                manifest.short + (report.reach.map { ", \($0.words)" } ?? "")
            ), ("size", outcome.payload.sizes + deltaSizes(report)),
            ("digest", outcome.payload.digest),
            (
                "signed by",
                report.signed_by.map { String($0.prefix(12)) }.joined(separator: ", ")
                    + " (\(report.role), version \(report.role_version))"
            ),
            (report.dry_run ? "would be at" : "address", report.url),
        ])
        if let before = report.superseded {
            console.print(
                style.yellow("Supersedes \(before.version)")
                    + ", which reached \(GateWords.share(before.reach_bps)): who runs it takes "
                    + "\(version)"
                    + (report.head.candidate == nil
                        ? "."
                        : ", or goes back to \(before.others_go_to ?? "what the app shipped with") "
                            + "when not among those that \(version) reaches."))
        }
        if report.dry_run {
            console.print()
            console.print(style.dim("What would be signed:"))
            if let release = report.release, let text = try? Console.text(release) {
                console.print(text)
            }
            if let text = try? Console.text(report.head) { console.print(text) }
        }
    }
}

/// A share of devices: `5%`, `12.5%` or `5`.
struct Percent: ArgumentValue, Equatable {
    let basisPoints: Int

    init(basisPoints: Int) { self.basisPoints = basisPoints }

    init?(argument: String) {
        let text = argument.hasSuffix("%") ? argument.dropLast() : Substring(argument)
        guard let value = Double(text), value > 0, value <= 100 else { return nil }
        let points = (value * 100).rounded()
        guard points >= 1, abs(points - value * 100) < 1e-6 else { return nil }
        basisPoints = Int(points)
    }

    var argumentText: String {
        let whole = basisPoints / 100
        let rest = basisPoints % 100
        if rest == 0 { return "\(whole)%" }
        let digits = rest < 10 ? "0\(rest)" : String(rest)
        return "\(whole).\(digits.hasSuffix("0") ? String(digits.dropLast()) : digits)%"
    }

    static var expectation: String { "a share from 0.01% to 100%" }
}
