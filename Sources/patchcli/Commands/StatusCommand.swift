import CommandLineKit
import Foundation
import PatchCompiler
import Rollout
import TUF
import TUFRepository

/// `patchcli status`
enum StatusCommand {
    static var command: Command {
        Command(
            "status", abstract: "Show what is live per channel and build.",
            discussion: """
                Reads and verifies the published tree as a device would, and warns when a \
                signature nears its expiry.
                """,
            parameters: parameters(Common.project), body: run)
    }

    struct Report: Encodable {
        struct Live: Encodable {
            let channel: String
            /// The web bundle; absent for modules.
            let bundle: String?
            let fingerprint: String
            let kind: String
            let stable: String?
            let stable_sequence: Int?
            let candidate: String?
            let grant_bps: Int?
            let reach_bps: Int?
            let halted: Bool
            let size: Int?
            let mandatory: Bool
            let head_seq: Int
            let returnable: [String]
            /// Live releases that no device runs, since root's floor lies above them.
            let below_floor: [String]
        }
        struct Role: Encodable {
            let role: String
            let version: Int
            let expires: String
            let days_left: Int
            let keys: [String]
            let warning: String?
        }
        let app_key: String
        let address: String
        let mode: String
        /// The lowest sequence that root lets run.
        let min_sequence: Int
        let live: [Live]
        let builds_without_head: [String]
        let roles: [Role]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let publishing = try Publishing(workspace, console: invocation.console)
        let (editor, index) = try await publishing.current()
        let report = Report(
            app_key: workspace.app, address: publishing.repository.address,
            mode: publishing.repository.isStatic ? "static" : "server",
            min_sequence: index.floor,
            live: ([index] + index.bundleNames.map(index.ofBundle)).flatMap { index in
                index.heads.map { live($0.head, index) }
            },
            builds_without_head: withoutHead(editor, index), roles: roles(editor))
        try invocation.console.report(report) { show(report, workspace, on: $0) }
    }

    private static func live(_ head: Head, _ index: ReleaseIndex) -> Report.Live {
        let fp16 = BuildRole.fp16(head.fingerprint)
        let stable = index.release(digest: head.stable, fp16: fp16)
        let candidate = index.release(digest: head.candidate?.digest, fp16: fp16)
        let shown = candidate ?? stable
        let size = index.releases(fp16: fp16).last {
            $0.release.raw.sha256 == shown?.raw.sha256
        }?.target.length
        return Report.Live(
            channel: head.channel, bundle: index.bundle, fingerprint: head.fingerprint,
            kind: head.kind.rawValue,
            stable: stable?.version, stable_sequence: stable?.sequence,
            candidate: candidate?.version, grant_bps: head.candidate?.grant,
            reach_bps: head.candidate.map { index.reach($0, channel: head.channel) },
            halted: head.candidate != nil && index.isHalted(head), size: size,
            mandatory: head.mandatorySince != nil, head_seq: head.headSequence,
            returnable: head.returnable.map {
                index.release(digest: $0, fp16: fp16)?.version ?? String($0.prefix(12))
            },
            below_floor: [stable, candidate].compactMap { $0 }
                .filter { $0.sequence < index.floor }.map(\.version))
    }

    private static func withoutHead(
        _ editor: RepositoryEditor, _ index: ReleaseIndex
    ) -> [String] {
        let withHead = Set(index.heads.map { BuildRole.fp16($0.head.fingerprint) })
        return editor.delegated.keys.sorted().compactMap { role in
            guard role.hasPrefix("build-"), role != BuildRole.anyBuild else { return nil }
            let fp16 = String(role.dropFirst("build-".count))
            return withHead.contains(fp16) ? nil : fp16
        }
    }

    private static func roles(_ editor: RepositoryEditor) -> [Report.Role] {
        RoleLife.all(of: editor).map { role in
            let warning: String?
            switch role.state {
            case .fresh: warning = nil
            case .ageing: warning = "expires soon"
            case .expired: warning = "expired"
            }
            return .init(
                role: role.name, version: role.version, expires: role.expires.iso8601,
                days_left: role.daysLeft, keys: role.keyIDs, warning: warning)
        }
    }

    private static func show(_ report: Report, _ workspace: Workspace, on console: Console) {
        let style = console.style
        console.print(
            style.bold(workspace.configuration.name) + "  " + style.dim(report.address))
        console.print()
        if report.live.isEmpty {
            console.print("Nothing is released yet.")
        } else {
            var table = Table([
                .init("CHANNEL"), .init("BUILD"), .init("LIVE"), .init("SEQ", .right),
                .init("ROLLING OUT"), .init("DOWNLOAD", .right), .init("GO BACK TO"),
            ])
            for live in report.live {
                let stable =
                    live.kind == "embedded"
                    ? style.yellow("as shipped") : live.stable.map(style.green) ?? "as shipped"
                let candidate = live.candidate.map {
                    "\($0) to \(GateWords.share(live.reach_bps ?? 0))"
                        + (live.halted ? ", halted" : "")
                }
                table.add([
                    live.channel,
                    live.bundle.map { "bundle \($0)" } ?? String(live.fingerprint.prefix(16)),
                    stable,
                    live.kind == "embedded" ? "-" : live.stable_sequence.map(String.init) ?? "-",
                    candidate ?? "-", live.size.map(Quantity.bytes) ?? "-",
                    live.returnable.isEmpty ? "-" : live.returnable.joined(separator: ", "),
                ])
            }
            console.print(table)
        }
        for live in report.live where !live.below_floor.isEmpty {
            console.warn(
                "no device runs \(live.below_floor.joined(separator: " or ")) on \(live.channel): "
                    + "root's floor is \(report.min_sequence); release again")
        }
        for build in report.builds_without_head {
            console.print(style.dim("Build \(build) is registered, nothing is released for it."))
        }
        console.print()
        var table = Table([
            .init("SIGNED BY"), .init("VERSION", .right), .init("EXPIRES"), .init("DAYS", .right),
            .init("KEYS"),
        ])
        for role in report.roles {
            let days = String(role.days_left)
            table.add([
                role.role, String(role.version), role.expires,
                role.warning == nil ? days : style.red(days),
                role.keys.map { String($0.prefix(8)) }.joined(separator: " "),
            ])
        }
        console.print(table)
        for role in report.roles {
            guard let warning = role.warning else { continue }
            console.warn("\(role.role) \(warning): \(role.expires)")
        }
    }
}
