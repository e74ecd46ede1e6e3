import CommandLineKit
import Foundation
import Rollout
import TUF

/// `patchcli invite`: how testers get exactly what will be shipped.
enum InviteCommand {
    private static let release = Parameter<String>.argument(
        "release", help: "A release that was made with --to-tag, by version, sequence or digest.")
    private static let link = Parameter<String?>.option(
        "link", placeholder: "url",
        help: "The address that opens the app's test page, as in 'myapp://join'.")

    struct Report: Encodable {
        struct Invitation: Encodable {
            let tag: String
            let channel: String
            let fingerprint: String
            let digest: String
            /// What the app is given to join.
            let link: String
        }
        let release: String
        let invitations: [Invitation]
    }

    static var command: Command {
        Command(
            "invite", abstract: "Print the invitation to test a release before anybody has it.",
            discussion: """
                'release --to-tag T' publishes a release for devices that carry the tag T. The \
                invitation puts the tag onto a device: hand it to the app's 'Patch.shared.join'. It \
                names the exact module, and leads to nothing that the release key has not signed \
                for that tag.
                """,
            examples: [
                ("patchcli release --to-tag testers", "First."),
                ("patchcli invite 1.2.0 --link myapp://join", "Then: a link for testers."),
                (
                    "patchcli rollout 1.2.0 --to 5% --drop-requirements",
                    "The same bytes for one in twenty, whether invited or not."
                ),
            ],
            parameters: parameters(release, link, Common.project, Common.fingerprint), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let publishing = try Publishing(Workspace(invocation), console: invocation.console)
        let name = try invocation[release]
        let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
        let base = try invocation[link] ?? "openpatch:join"
        let (_, index) = try await publishing.current()
        let found = try ListCommands.find(name, in: index)
            .filter { $0.fingerprint.hasPrefix(build) }
        guard let first = found.first else { throw ListCommands.unknown(name, index) }
        let invitations = found.flatMap { release in
            release.places.filter { $0.state == .candidate }.flatMap { place in
                (place.require?.tags ?? []).map { tag in
                    Report.Invitation(
                        tag: tag, channel: place.channel, fingerprint: release.fingerprint,
                        digest: release.digest, link: text(base, tag, release.digest))
                }
            }
        }
        guard !invitations.isEmpty else {
            throw CommandFailure(
                "not_for_testers", "Release '\(first.version)' asks for no tag",
                why: "It is for everybody whom its rollout reaches, or is not being rolled out.",
                fix: "patchcli release --to-tag testers", exit: .usage)
        }
        try invocation.console.report(Report(release: first.version, invitations: invitations)) {
            console in
            for invitation in invitations {
                console.print(
                    "Testers with the tag \(console.style.bold(invitation.tag)) on "
                        + "\(invitation.channel), build \(invitation.fingerprint.prefix(16)):")
                console.print("  " + console.style.cyan(invitation.link))
            }
        }
    }

    private static func text(_ base: String, _ tag: String, _ digest: String) -> String {
        let separator = base.contains("?") ? "&" : "?"
        return "\(base)\(separator)tag=\(tag)&digest=\(digest.prefix(16))"
    }
}
