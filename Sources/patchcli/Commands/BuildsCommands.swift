import CommandLineKit
import Foundation
import PatchCompiler
import TUF

/// `patchcli builds list` and `builds show`: the store builds that releases are made for.
enum BuildsCommands {
    private static let build = Parameter<String>.argument(
        "build", help: "Its number, or the first digits of its fingerprint.")

    struct Build: Encodable {
        let number: Int
        let fingerprint: String
        let functions: Int
        /// Whether its role is signed, so that releases can be made for it.
        let published: Bool
        /// Whether the sources here are those of the build.
        let matches: Bool
        let toolchain: String
        let role: String
        let role_version: Int?
        let keys: [String]
        let live: [Live]

        struct Live: Encodable {
            let channel: String
            let stable: String?
            let candidate: String?
            let head_seq: Int
        }
    }

    struct Report: Encodable {
        let builds: [Build]
    }

    static var group: Command {
        Command(
            "builds", abstract: "The store builds that are registered.", subcommands: [list, show])
    }

    private static var list: Command {
        Command(
            "list", abstract: "List the registered builds and what is live for each.",
            parameters: parameters(Common.project)
        ) { invocation in
            let report = Report(builds: try await builds(invocation))
            try invocation.console.report(report) { console in
                guard !report.builds.isEmpty else {
                    console.print("No build is registered.")
                    return console.note("try: patchcli fingerprint register")
                }
                var table = Table([
                    .init("BUILD", .right), .init("FINGERPRINT"), .init("FUNCTIONS", .right),
                    .init("RELEASES"), .init("LIVE"), .init(""),
                ])
                for build in report.builds {
                    table.add([
                        String(build.number), String(build.fingerprint.prefix(16)),
                        String(build.functions),
                        build.published ? "yes" : console.style.yellow("not yet signed"),
                        live(build),
                        build.matches ? console.style.green("these sources") : "",
                    ])
                }
                console.print(table)
            }
        }
    }

    private static var show: Command {
        Command(
            "show", abstract: "Show one build: its functions' number, keys and channels.",
            parameters: parameters(build, Common.project)
        ) { invocation in
            let name = try invocation[build].lowercased()
            let all = try await builds(invocation)
            let found = all.filter { String($0.number) == name }
            let fitting =
                found.isEmpty && name.count >= 4
                ? all.filter { $0.fingerprint.hasPrefix(name) } : found
            guard let one = fitting.first, fitting.count == 1 else {
                throw CommandFailure(
                    "build_unknown",
                    fitting.isEmpty
                        ? "There is no registered build '\(name)'"
                        : "'\(name)' names several builds",
                    fix: "patchcli builds list", exit: .fingerprintMismatch)
            }
            try invocation.console.report(one) { console in
                console.print(console.style.bold("Build \(one.number)"))
                console.print(fields: [
                    ("fingerprint", one.fingerprint),
                    ("functions", String(one.functions)),
                    ("sources", one.matches ? "these" : "others"),
                    ("compiler", one.toolchain),
                    (
                        "role",
                        one.published
                            ? "\(one.role), version \(one.role_version ?? 0)" : "not yet signed"
                    ),
                    ("keys", one.keys.map { String($0.prefix(12)) }.joined(separator: ", ")),
                    ("live", live(one)),
                ])
            }
        }
    }

    private static func live(_ build: Build) -> String {
        build.live.isEmpty
            ? "-"
            : build.live.map { live in
                "\(live.channel): \(live.stable ?? "as shipped")"
                    + (live.candidate.map { ", then \($0)" } ?? "")
            }.joined(separator: "; ")
    }

    private static func builds(_ invocation: Invocation) async throws -> [Build] {
        let workspace = try Workspace(invocation)
        let manifests = try workspace.project.manifests()
        let current = try? workspace.project.fingerprint().value
        let publishing = try Publishing(workspace, console: invocation.console)
        let (editor, index) = try await publishing.current()
        return manifests.map { manifest in
            let fp16 = BuildRole.fp16(manifest.fingerprint)
            let role = BuildRole.name(fingerprint: manifest.fingerprint)
            return Build(
                number: manifest.number, fingerprint: manifest.fingerprint,
                functions: manifest.functions.count, published: editor.delegated[role] != nil,
                matches: manifest.fingerprint == current, toolchain: manifest.toolchain,
                role: role, role_version: editor.delegated[role]?.signed.version,
                keys: editor.targets?.signed.delegations?.role(role)?.keys.keyIDs ?? [],
                live: index.heads.map(\.head).filter { $0.fingerprint == manifest.fingerprint }
                    .map { head in
                        .init(
                            channel: head.channel,
                            stable: index.release(digest: head.stable, fp16: fp16)?.version,
                            candidate: index.release(
                                digest: head.candidate?.digest, fp16: fp16)?.version,
                            head_seq: head.headSequence)
                    })
        }
    }
}
