import CommandLineKit
import Foundation
import PatchCompiler
import Rollout
import TUF
import UpdateEngine

/// `patchcli explain`: the rule that decides, by the code that decides on devices.
enum ExplainCommand {
    private static let gate = Parameter<String?>.option(
        "gate", placeholder: "release",
        help: "Explain what the gates decided of this release instead, and decide it again.")
    private static let device = Parameter<String?>.option(
        "device", placeholder: "install",
        help: "An install that the server knows, by its install id.")
    private static let state = Parameter<String?>.option(
        "state", placeholder: "file",
        help: "A device's own state.json, or the folder it lies in: nothing is guessed then.",
        completion: .file(["json"]))
    private static let id = Parameter<String?>.option(
        "device-id", placeholder: "uuid",
        help: "The id that the device draws rollouts by; without it the device is in none.")
    private static let running = Parameter<String?>.option(
        "running", placeholder: "release",
        help:
            "What it runs, by version, sequence or digest; what the app shipped with when not given."
    )
    private static let system = Parameter<String?>.option(
        "os", placeholder: "version", help: "Version of its operating system.")
    private static let app = Parameter<String?>.option(
        "app-version", placeholder: "version", help: "Version of its app.")
    private static let tags = Parameter<[String]>.options(
        "tag", placeholder: "tag", help: "A tag that it carries.")
    private static let cohort = Parameter<String?>.option(
        "cohort", placeholder: "name", help: "Its cohort.")

    static var command: Command {
        Command(
            "explain", abstract: "Say what a device should run, and which rule decided.",
            discussion: """
                Reads and verifies what is published and decides by the code that devices decide by. \
                Give --state, the device's own file, and the answer is exactly that of its next \
                check; or describe a device. With --gate it shows what the gates decided of a \
                release on a server, from which numbers, and decides each again: exits with 4 when \
                one comes out otherwise.
                """,
            examples: [
                ("patchcli explain", "A new install of the latest build."),
                (
                    "patchcli explain --state ~/.local/state/openpatch/pak_1/state.json",
                    "This very device."
                ),
                (
                    "patchcli explain --device-id 6f1c0c52-… --running 1.1.0 --os 17.5",
                    "A device as it was described."
                ),
                ("patchcli explain --gate 1.2.0", "Why the rollout stands where it stands."),
            ],
            parameters: parameters(
                gate, device, state, id, running, system, app, tags, cohort, Common.project,
                Common.channel, Common.fingerprint, Common.bundleName),
            body: run)
    }

    struct Report: Encodable {
        struct Excluded: Encodable {
            let digest: String
            let version: String?
            let reason: String
            let text: String
        }
        struct Draw: Encodable {
            let bucket: Int?
            let reach_bps: Int
            let taken: Bool
        }
        let channel: String
        let fingerprint: String
        /// Absent for modules.
        let bundle: String?
        /// `current`, `embedded` or a digest.
        let target: String
        let version: String?
        let running: String?
        let mandatory: Bool
        let reason: String
        let text: String
        let advice: String
        let context: String
        let head_seq: Int?
        let brake_seq: Int?
        let excluded: [Excluded]
        /// How the device's draw in the present rollout came out; nil without one.
        let draw: Draw?
        /// What the device said itself at its last check, where that is known.
        let device_said: String?
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        if let release = try invocation[gate] {
            return try await GateExplanation.run(release, workspace, invocation)
        }
        let publishing = try Publishing(workspace, console: invocation.console)
        let known = try await subject(invocation, workspace)
        let (editor, all) = try await publishing.current()
        let index = known.bundle.map(all.ofBundle) ?? all
        let published = PublishedState(
            editor, index, channel: known.channel, fingerprint: known.fingerprint)
        let device = try device(known, published, workspace, index)
        let decision = decide(
            device, head: published.head, brake: published.brake, releases: published.releases,
            restriction: published.restriction)
        let report = report(decision, device, published, known)
        try invocation.console.report(report) { show(report, on: $0) }
    }

    // MARK: Who is meant

    /// What is known of the device that is asked about.
    struct Subject {
        var channel: String
        var fingerprint: String
        /// The web bundle that is asked about; nil for modules.
        var bundle: String?
        var deviceID: String?
        var system: String?
        var app: String?
        var tags: Set<String> = []
        var cohort: String?
        /// A release that it runs, by name or digest.
        var running: String?
        /// Its own file's part for this build.
        var state: BuildState?
        /// The reason of its last check, in its own words.
        var said: String?
    }

    private static func subject(
        _ invocation: Invocation, _ workspace: Workspace
    ) async throws -> Subject {
        let configured = workspace.resources?.configuration
        let digits = try invocation[Common.fingerprint]?.lowercased()
        var subject = Subject(
            channel: try invocation[Common.channel] ?? workspace.configuration.channel,
            fingerprint: "", deviceID: try invocation[id]?.lowercased(),
            system: try invocation[system], app: try invocation[app],
            tags: Set(try invocation[tags]), cohort: try invocation[cohort],
            running: try invocation[running])
        subject.bundle = try invocation[Common.bundleName]
        if subject.bundle != nil { subject.fingerprint = BundleRelease.anyBuild }
        if let path = try invocation[state] {
            let state = try readState(path)
            subject.deviceID = subject.deviceID ?? state.deviceID
            let fitting = state.builds.filter { digits == nil || $0.key.hasPrefix(digits ?? "") }
            // Several builds: the one that the app's resources name, else the last that checked.
            let chosen =
                fitting.first { $0.key == configured?.fingerprint }
                ?? fitting.max {
                    ($0.value.lastCheck?.time ?? 0) < ($1.value.lastCheck?.time ?? 0)
                }
            subject.fingerprint = chosen?.key ?? ""
            subject.state = chosen?.value
            subject.said = chosen?.value.lastCheck?.reason.code
        } else if let install = try invocation[device] {
            try await KnownInstall.describe(install, workspace, &subject)
        }
        if subject.fingerprint.isEmpty {
            subject.fingerprint = try workspace.project.manifest(fingerprint: digits).fingerprint
        }
        return subject
    }

    /// A device's own file.
    /// - Throws: ``CommandFailure`` `state_unreadable`.
    private static func readState(_ path: String) throws -> UpdateState {
        var file = URL(fileURLWithPath: path)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
            isFolder.boolValue
        {
            file = file.appendingPathComponent("state.json")
        }
        guard let data = FileManager.default.contents(atPath: file.path), data.count <= 4 << 20,
            let state = try? UpdateState(parsing: [UInt8](data))
        else {
            throw CommandFailure(
                "state_unreadable", "'\(file.path)' is no state of a device",
                why: "It is 'state.json' in the app's OpenPatch folder.",
                fix: "patchcli explain --device-id <uuid>", exit: .noInput)
        }
        return state
    }

    /// The device as `decide` takes it: what the app says of itself is taken from its build.
    private static func device(
        _ subject: Subject, _ published: PublishedState, _ workspace: Workspace,
        _ index: ReleaseIndex
    ) throws -> Device {
        var device = Device(
            deviceID: subject.deviceID, appID: workspace.configuration.appID,
            platform: workspace.configuration.platform, channel: subject.channel,
            fingerprint: subject.fingerprint, now: Date().timeIntervalSince1970)
        // What an app grants is known to the app alone: it is taken to grant what is asked for.
        device.capabilities = Set(published.releases.values.flatMap(\.capabilities))
        device.systemVersion = subject.system
        device.appVersion = subject.app
        device.tags = subject.tags
        device.cohort = subject.cohort
        let configured = workspace.resources?.configuration
        device.floor = published.floor
        if let configured,
            subject.bundle != nil || configured.fingerprint == subject.fingerprint
        {
            device.floor = max(device.floor, configured.floors.min_sequence)
            device.embeddedSequence = configured.embedded_sequence
        }
        if let state = subject.state {
            device.hasWrittenData = state.hasWrittenData
            device.failed = state.failed
            device.heldHeadSequence = state.heads[subject.channel] ?? 0
            device.heldBrakeSequence = state.brakes?[subject.channel] ?? 0
            device.held = state.digestsInUse
            if let current = state.current {
                device.current = .release(
                    digest: current.digest, sequence: current.sequence, channel: current.channel)
            }
        } else if let name = subject.running {
            let release = try ReleasePlan.find(
                name, in: index, fp16: BuildRole.fp16(subject.fingerprint))
            device.current = .release(
                digest: release.raw.sha256, sequence: release.sequence, channel: subject.channel)
        }
        return device
    }

    // MARK: What came out

    private static func report(
        _ decision: Decision, _ device: Device, _ published: PublishedState, _ subject: Subject
    ) -> Report {
        func version(_ digest: String?) -> String? {
            digest.flatMap { published.releases[$0]?.version }
        }
        let target: String
        let digest: String?
        switch decision.target {
        case .current: (target, digest) = ("current", device.current.digest)
        case .embedded: (target, digest) = ("embedded", nil)
        case .release(let release): (target, digest) = (release, release)
        }
        let draw = published.head?.candidate.map { candidate in
            let cap = published.brake?.caps[candidate.digest] ?? Bucket.count
            let reach = min(candidate.grant, cap)
            return Report.Draw(
                bucket: device.deviceID.map { Bucket.of(device: $0, salt: candidate.salt) },
                reach_bps: reach,
                taken: Bucket.contains(
                    device: device.deviceID, salt: candidate.salt, grant: reach))
        }
        return Report(
            channel: device.channel, fingerprint: device.fingerprint, bundle: subject.bundle,
            target: target,
            version: version(digest), running: version(device.current.digest),
            mandatory: decision.isMandatory, reason: decision.reason.code,
            text: decision.reason.text, advice: decision.reason.advice, context: decision.context,
            head_seq: decision.headSequence, brake_seq: published.brake?.brakeSequence,
            excluded: decision.excluded.map {
                .init(
                    digest: $0.digest, version: version($0.digest), reason: $0.reason.code,
                    text: $0.reason.text)
            }, draw: draw, device_said: subject.said)
    }

    private static func show(_ report: Report, on console: Console) {
        let style = console.style
        let shipped = "what the app shipped with"
        let goal: String
        switch report.target {
        case "current": goal = "Stays on \(style.bold(report.running ?? shipped))"
        case "embedded": goal = "Goes to \(style.bold(shipped))"
        default: goal = "Goes to \(style.bold(report.version ?? String(report.target.prefix(12))))"
        }
        console.print(
            goal + (report.mandatory ? ", without asking" : "") + ": " + style.cyan(report.reason))
        console.print("  " + report.text + (report.context.isEmpty ? "" : " (\(report.context))"))
        if !report.advice.hasPrefix("Nothing") { console.print("  " + style.dim(report.advice)) }
        for excluded in report.excluded {
            console.print(
                "  " + style.dim("not ") + (excluded.version ?? String(excluded.digest.prefix(12)))
                    + ": " + style.cyan(excluded.reason) + style.dim("  " + excluded.text))
        }
        var fields: [(name: String, value: String)] = [
            ("channel", report.channel),
            (
                report.bundle == nil ? "build" : "bundle",
                report.bundle ?? String(report.fingerprint.prefix(16))
            ),
            ("runs", report.running ?? shipped),
            (
                "statement",
                [report.head_seq.map { "head \($0)" }, report.brake_seq.map { "brake \($0)" }]
                    .compactMap { $0 }.joined(separator: ", ")
            ),
        ]
        if let draw = report.draw {
            fields.append(
                (
                    "draw",
                    (draw.bucket.map { "\($0) of 10000" } ?? "no id, so in no partial rollout")
                        + "; the rollout reaches those below \(draw.reach_bps)"
                ))
        }
        if let said = report.device_said { fields.append(("device said", said)) }
        console.print(fields: fields.filter { !$0.value.isEmpty })
    }
}
