import CommandLineKit
import Rollout
import RolloutGates

/// `patchcli rollout`, `halt`, `resume` and `recall`: how far a release goes.
enum RolloutCommands {
    private static let release = Parameter<String>.argument(
        "release", help: "A live release by version, sequence or first digits of its digest.")
    private static let to = Parameter<Percent?>.option(
        "to", placeholder: "percent", help: "Share of devices that may take it, as in 25%.")
    private static let finish = Parameter<Bool>.flag(
        "finish", help: "Make it the stable release, for everybody.")
    private static let dropRequirements = Parameter<Bool>.flag(
        "drop-requirements",
        help: "Devices need no tag, cohort or version any more, as after a test.")
    private static let retract = Parameter<Bool>.flag(
        "retract",
        help: "With --to: who runs it and is not among the smaller share goes back to the stable "
            + "release; without this flag they keep it.")
    private static let stages = Parameter<StageList?>.option(
        "stages", placeholder: "plan",
        help: "Have the server's gates follow these steps within the grant.")
    private static let rules = Parameter<String?>.option(
        "rules", placeholder: "file", help: "Gate rules as a JSON file; what is absent is usual.",
        completion: .file(["json"]))
    private static let byHand = Parameter<Bool>.flag(
        "by-hand", help: "Gates still halt it, and advance it no more.")
    private static let automatic = Parameter<Bool>.flag(
        "automatic", help: "Gates advance it again.")
    private static let sign = Parameter<Bool>.flag(
        "sign",
        help: "Sign a head with the release key instead of having the server sign a brake.")

    // MARK: rollout

    static var rollout: Command {
        Command(
            "rollout", abstract: "Show a rollout, or let it go further, or to everybody.",
            discussion: """
                Without options: how far it reaches, and on a server what the gates see. --to and \
                --finish sign a new head in which the candidate reaches another share of devices: \
                those that had it at a smaller share stay among them. A smaller share takes it away \
                from nobody who runs it, unless --retract says so. The other options say how the \
                server's gates watch over it, and need a token only.
                """,
            examples: [
                ("patchcli rollout 1.2.0", "Where it stands, and why."),
                ("patchcli rollout 1.2.0 --to 25%", "A quarter of all devices."),
                ("patchcli rollout 1.2.0 --finish", "Everybody."),
                ("patchcli rollout 1.2.0 --stages 10%:1h,100%", "Another plan for the gates."),
                ("patchcli rollout 1.2.0 --by-hand", "Stay here until told otherwise."),
            ],
            parameters: parameters(
                release, to, finish, retract, dropRequirements, stages, rules, byHand, automatic)
                + HeadChange.parameters
        ) { invocation in
            let drops = try invocation[dropRequirements]
            let watch = try Watch(invocation)
            switch (try invocation[to], try invocation[finish]) {
            case (let share?, false) where watch.isEmpty:
                let retracts = try invocation[retract]
                try await run(
                    invocation, .grant(share.basisPoints, retract: retracts), drops,
                    asking: retracts ? "Take it back from all but \(share.argumentText)" : nil
                ) {
                    "\($0) reaches \(share.argumentText) of devices"
                        + (retracts ? "; who runs it beyond them goes back" : "")
                }
            case (nil, true) where watch.isEmpty:
                try await run(invocation, .finish, drops, asking: "Make it stable") {
                    "\($0) is for everybody"
                }
            case (nil, false) where !watch.isEmpty: try await change(watch, invocation)
            case (nil, false) where !drops:
                try await RolloutView.run(
                    try invocation[release], Workspace(invocation), invocation)
            default:
                throw CommandFailure(
                    "conflicting_options", "Say one thing at a time",
                    why: "--to, --finish and how gates watch over it exclude each other.",
                    fix: "patchcli rollout \(try invocation[release]) --to 25%", exit: .usage)
            }
        }
    }

    /// How gates watch over a rollout: what the options change of it.
    private struct Watch: Sendable {
        let stages: StagePlan?
        let rules: GateRules?
        let isPaused: Bool?

        var isEmpty: Bool { stages == nil && rules == nil && isPaused == nil }

        init(_ invocation: Invocation) throws {
            stages = try invocation[RolloutCommands.stages]?.plan
            rules = try invocation[RolloutCommands.rules].map(RulesFile.read)
            switch (try invocation[byHand], try invocation[automatic]) {
            case (false, false): isPaused = nil
            case (true, false): isPaused = true
            case (false, true): isPaused = false
            case (true, true):
                throw CommandFailure(
                    "conflicting_options", "--by-hand and --automatic exclude each other",
                    fix: "patchcli rollout <release> --automatic", exit: .usage)
            }
        }
    }

    private struct Settings: Encodable, Sendable {
        let plan: StagePlan?
        let rules: GateRules
        let paused: Bool
    }

    private static func change(_ watch: Watch, _ invocation: Invocation) async throws {
        let name = try invocation[release]
        let workspace = try Workspace(invocation)
        let report = try await ServerRolloutChange.run(
            name, workspace, invocation, by: "settings"
        ) { access, rollout in
            try await access.call(
                "PUT", rollout.path,
                body: Settings(
                    plan: watch.stages ?? (rollout.planOrigin == .server ? rollout.plan : nil),
                    rules: watch.rules ?? rollout.rules,
                    paused: watch.isPaused ?? rollout.isPaused),
                headers: rollout.ifMatch)
        }
        try show(report, on: invocation.console) { rollout in
            let plan = rollout.plan.map { StageList($0).argumentText } ?? "nobody"
            return "Watched over by "
                + (rollout.plan == nil ? plan : "gates, in steps of \(plan)")
                + (rollout.isPaused ? ", advanced by hand" : "")
        }
    }

    // MARK: halt, resume

    static var halt: Command {
        Command(
            "halt", abstract: "Stop a rollout: no further device takes the candidate.",
            discussion: """
                On a server its ops key signs a brake: a token is enough, the release key may be \
                asleep. With --sign, and in a static tree, the release key signs a head that grants \
                the candidate to nobody else. Devices that run it keep it; 'rollback' and 'recall' \
                bring them back.
                """,
            examples: [("patchcli halt 1.2.0", "Stop here.")],
            parameters: parameters(release, sign) + HeadChange.parameters
        ) { invocation in
            let workspace = try Workspace(invocation)
            if try signs(invocation, workspace) {
                return try await run(invocation, .halt) { "The rollout of \($0) is halted" }
            }
            try await brake("halt", invocation, workspace) { "The rollout of \($0) is halted" }
        }
    }

    static var resume: Command {
        Command(
            "resume", abstract: "Let a halted rollout go on, as far as before the halt.",
            discussion: """
                Takes the brake away on a server; a head that the release key halted is followed by \
                one that grants as much as before.
                """,
            examples: [("patchcli resume 1.2.0", "Go on.")],
            parameters: parameters(release, sign) + HeadChange.parameters
        ) { invocation in
            let workspace = try Workspace(invocation)
            let words: @Sendable (String) -> String = { "The rollout of \($0) goes on" }
            if try signs(invocation, workspace) {
                return try await run(invocation, .resume, false, asking: nil, words)
            }
            // What the release key stopped, only the release key can let go on.
            if try await isHaltedByHead(invocation, workspace) {
                return try await run(invocation, .resume, false, asking: nil, words)
            }
            try await brake("resume", invocation, workspace, words)
        }
    }

    /// Whether the release key says it rather than the server.
    private static func signs(_ invocation: Invocation, _ workspace: Workspace) throws -> Bool {
        if workspace.isStatic { return true }
        return try invocation[sign]
    }

    private static func isHaltedByHead(
        _ invocation: Invocation, _ workspace: Workspace
    ) async throws -> Bool {
        let channel = try invocation[Common.channel] ?? workspace.configuration.channel
        let publishing = try Publishing(workspace, console: invocation.console)
        let index = try await publishing.index(invocation)
        return index.heads.contains {
            $0.head.channel == channel && $0.head.candidate?.haltedGrant != nil
        }
    }

    private struct Nothing: Encodable, Sendable {}

    private static func brake(
        _ verb: String, _ invocation: Invocation, _ workspace: Workspace,
        _ words: @Sendable (String) -> String
    ) async throws {
        let name = try invocation[release]
        let report = try await ServerRolloutChange.run(name, workspace, invocation) {
            access, rollout in
            try await access.call(
                "POST", "\(rollout.path)/\(verb)", body: Nothing(), headers: rollout.ifMatch)
        }
        try show(report, on: invocation.console) { _ in
            (report.dry_run ? "Would say: " : "") + words(name) + " on \(report.channel)"
        }
    }

    private static func show(
        _ report: ServerRolloutChange.Report, on console: Console,
        _ words: (RolloutStatus) -> String
    ) throws {
        try console.report(report) { console in
            for rollout in report.rollouts {
                console.print(
                    words(rollout)
                        + console.style.dim(
                            " (\(rollout.words), "
                                + (report.by == "brake"
                                    ? "brake \(rollout.brakeSequence)"
                                    : "revision \(rollout.revision)")
                                + ")"))
            }
            for build in report.left {
                console.print(
                    console.style.bold("Left as it is: ")
                        + "build \(build.fingerprint.prefix(16)). \(build.message)")
            }
            if !report.dry_run, report.by == "brake" {
                console.print("Devices follow on their next check.")
            }
        }
        if !report.left.isEmpty { throw SilentExit(.unreachable) }
    }

    // MARK: recall

    static var recall: Command {
        Command(
            "recall", abstract: "Make every device leave a release, and none take it again.",
            discussion: """
                Signs a new head that recalls the release. Devices that run it go to the stable \
                release, or to the one before when it was the stable one, or back to what the app \
                shipped with, on their next check and without asking. A device whose data only \
                the recalled release can read stays and says 'data_epoch'.
                """,
            examples: [("patchcli recall 1.2.0", "Nobody runs 1.2.0 any more.")],
            parameters: parameters(release) + HeadChange.parameters
        ) { invocation in
            let name = try invocation[release]
            let report = try await HeadChange.run(
                invocation, asking: "Recall \(name)", leaving: name
            ) { index, head in
                try ReleasePlan.recall(name, index: index, before: head)
            }
            try HeadChange.show(report, on: invocation.console) { change in
                "\(report.dry_run ? "Would recall" : "Recalled") \(name); stable is "
                    + "\(change.to ?? "what the app shipped with")"
            }
        }
    }

    private static func run(
        _ invocation: Invocation, _ extent: ReleasePlan.Extent, _ dropsRequirements: Bool = false,
        asking question: String? = nil, _ words: (String) -> String
    ) async throws {
        let name = try invocation[release]
        let report = try await HeadChange.run(invocation, asking: question) { index, head in
            try ReleasePlan.rollout(
                name, to: extent, droppingRequirements: dropsRequirements, index: index,
                before: head)
        }
        try HeadChange.show(report, on: invocation.console) { _ in
            (report.dry_run ? "Would say: " : "") + words(name) + " on \(report.channel)"
        }
    }
}
