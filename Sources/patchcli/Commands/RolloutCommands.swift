import CommandLineKit
import Rollout

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

    static var rollout: Command {
        Command(
            "rollout", abstract: "Let a candidate go further, or to everybody.",
            discussion: """
                Signs a new head in which the candidate reaches another share of devices: those \
                that had it at a smaller share stay among them. A smaller share takes it away from \
                nobody who runs it; 'rollback' and 'recall' do.
                """,
            examples: [
                ("patchcli rollout 1.2.0 --to 25%", "A quarter of all devices."),
                ("patchcli rollout 1.2.0 --finish", "Everybody."),
            ],
            parameters: parameters(release, to, finish, dropRequirements) + HeadChange.parameters
        ) { invocation in
            let drops = try invocation[dropRequirements]
            switch (try invocation[to], try invocation[finish]) {
            case (let share?, false):
                try await run(invocation, .grant(share.basisPoints), drops) {
                    "\($0) reaches \(share.argumentText) of devices"
                }
            case (nil, true): try await run(invocation, .finish, drops) { "\($0) is for everybody" }
            default:
                throw CommandFailure(
                    "missing_option", "Say how far the release shall go, in one way",
                    fix: "patchcli rollout <release> --to 25%", exit: .usage)
            }
        }
    }

    static var halt: Command {
        Command(
            "halt", abstract: "Stop a rollout: no further device takes the candidate.",
            discussion: """
                Signs a new head that grants the candidate to nobody else. Devices that run it keep \
                it; 'rollback' and 'recall' bring them back.
                """,
            examples: [("patchcli halt 1.2.0", "Stop here.")],
            parameters: parameters(release) + HeadChange.parameters
        ) { try await run($0, .halt) { "The rollout of \($0) is halted" } }
    }

    static var resume: Command {
        Command(
            "resume", abstract: "Let a halted rollout go on, as far as before the halt.",
            examples: [("patchcli resume 1.2.0", "Go on.")],
            parameters: parameters(release) + HeadChange.parameters
        ) { try await run($0, .resume) { "The rollout of \($0) goes on" } }
    }

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
            let report = try await HeadChange.run(invocation) { index, head in
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
        _ words: (String) -> String
    ) async throws {
        let name = try invocation[release]
        let report = try await HeadChange.run(invocation) { index, head in
            try ReleasePlan.rollout(
                name, to: extent, droppingRequirements: dropsRequirements, index: index,
                before: head)
        }
        try HeadChange.show(report, on: invocation.console) { _ in
            (report.dry_run ? "Would say: " : "") + words(name) + " on \(report.channel)"
        }
    }
}
