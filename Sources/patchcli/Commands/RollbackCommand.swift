import CommandLineKit
import Rollout

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
                is left as it is and named; in the second case the exit code is 3, since that \
                build still runs what you wanted to leave.
                """,
            examples: [
                ("patchcli rollback", "Back to the release before."),
                ("patchcli rollback --to 1.0.1", "Back to a certain release."),
                ("patchcli rollback --embedded", "Back to what the app shipped with."),
            ],
            parameters: parameters(to, embedded) + HeadChange.parameters, body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let goal: ReleasePlan.Goal
        switch (try invocation[to], try invocation[embedded]) {
        case (nil, false): goal = .previous
        case (let release?, false): goal = .release(release)
        case (nil, true): goal = .embedded
        case (.some, true):
            throw CommandFailure(
                "conflicting_options", "--to and --embedded exclude each other",
                fix: "patchcli rollback --embedded", exit: .usage)
        }
        let report = try await HeadChange.run(invocation, asking: "Go back") { index, head in
            try ReleasePlan.rollback(to: goal, index: index, before: head)
        }
        let style = invocation.console.style
        try HeadChange.show(report, on: invocation.console) { change in
            let verb = report.dry_run ? "Would go back" : "Went back"
            let shipped = "what the app shipped with"
            return "\(verb) from \(style.bold(change.from ?? shipped)) to "
                + "\(style.bold(change.to ?? shipped)) on \(report.channel)"
        }
    }
}
