import CommandLineKit
import Foundation
import PatchCompiler
import Rollout
import TUF

/// `patchcli list` and `show`: what is published.
enum ListCommands {
    private static let release = Parameter<String>.argument(
        "release", help: "A live release by version, sequence or first digits of its digest.")

    private struct ListReport: Encodable {
        let releases: [LiveRelease]
    }

    static var list: Command {
        Command(
            "list", abstract: "List the live releases, newest first.",
            discussion: """
                Live is what a channel's head names: stable, being rolled out, or kept so that \
                devices can be sent back to it. The newest release is always among them.
                """,
            examples: [("patchcli list --channel beta", "What is live on beta.")],
            parameters: parameters(
                Common.project, Common.channel, Common.fingerprint, Common.bundleName)
        ) { invocation in
            let publishing = try Publishing(Workspace(invocation), console: invocation.console)
            let channel = try invocation[Common.channel]
            let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
            let index = try await publishing.index(invocation)
            let releases = LiveRelease.all(index).filter { release in
                release.fingerprint.hasPrefix(build)
                    && (channel == nil || release.places.contains { $0.channel == channel })
            }
            try invocation.console.report(ListReport(releases: releases)) { console in
                guard !releases.isEmpty else { return console.print("Nothing is released yet.") }
                var table = Table([
                    .init("RELEASE"), .init("SEQ", .right), .init("BUILD"), .init("STATE"),
                    .init("DOWNLOAD", .right), .init("DELTAS", .right), .init("COMMIT"),
                    .init("NOTES"),
                ])
                for release in releases {
                    table.add([
                        console.style.bold(release.version), String(release.sequence),
                        String(release.fingerprint.prefix(16)), states(release, console.style),
                        Quantity.bytes(release.download_size), String(release.deltas),
                        release.commit.map { String($0.prefix(8)) } ?? "-",
                        short(release.notes ?? ""),
                    ])
                }
                console.print(table)
            }
        }
    }

    private struct ShowReport: Encodable {
        let releases: [LiveRelease]
    }

    static var show: Command {
        Command(
            "show", abstract: "Show one release: what it is and where it is live.",
            examples: [("patchcli show 1.2.0", "Digest, size, channels.")],
            parameters: parameters(
                release, Common.project, Common.fingerprint, Common.bundleName)
        ) { invocation in
            let publishing = try Publishing(Workspace(invocation), console: invocation.console)
            let name = try invocation[release]
            let build = try invocation[Common.fingerprint]?.lowercased() ?? ""
            let index = try await publishing.index(invocation)
            let found = try find(name, in: index).filter { $0.fingerprint.hasPrefix(build) }
            guard !found.isEmpty else { throw unknown(name, index) }
            try invocation.console.report(ShowReport(releases: found)) { console in
                for release in found { show(release, publishing.repository, on: console) }
            }
        }
    }

    // MARK: Words

    private static func show(
        _ release: LiveRelease, _ repository: any Repository, on console: Console
    ) {
        let style = console.style
        console.print(
            style.bold(release.version) + style.dim("  sequence \(release.sequence)"))
        var fields: [(name: String, value: String)] = [
            ("build", release.fingerprint), ("digest", release.digest),
            (
                "size",
                "\(Quantity.bytes(release.size)), \(Quantity.bytes(release.download_size)) to "
                    + "download, \(Quantity.count(release.deltas, "delta"))"
            ),
        ]
        if let notes = release.notes { fields.append(("notes", notes)) }
        if let commit = release.commit { fields.append(("commit", commit)) }
        if release.mandatory { fields.append(("mandatory", "yes")) }
        fields.append(
            (
                "uses",
                release.capabilities.isEmpty ? "-" : release.capabilities.joined(separator: ", ")
            )
        )
        fields.append(("target", release.path))
        for place in release.places {
            var words = state(place, style)
            if let require = place.require {
                let bounds = ReleaseAudience.words(require)
                if !bounds.isEmpty { words += ", for " + bounds.joined(separator: ", ") }
            }
            if let stages = place.stages, !stages.isEmpty {
                words += ", " + Quantity.count(stages.count, "stage")
            }
            fields.append((place.channel, words + style.dim(" (head \(place.head_seq))")))
        }
        console.print(fields: fields)
    }

    private static func states(_ release: LiveRelease, _ style: Style) -> String {
        release.places.isEmpty
            ? style.dim("kept")
            : release.places.map { state($0, style, named: true) }.joined(separator: ", ")
    }

    private static func state(
        _ place: LiveRelease.Place, _ style: Style, named: Bool = false
    ) -> String {
        let words = named ? place.words : state(place)
        switch place.state {
        case .stable: return style.green(words)
        case .candidate: return style.cyan(words)
        case .halted: return style.yellow(words)
        case .recalled: return style.red(words)
        case .returnable: return style.dim(words)
        }
    }

    private static func state(_ place: LiveRelease.Place) -> String {
        place.state == .candidate
            ? "candidate to \(GateWords.share(place.reach_bps ?? 0)), \(GateWords.share(place.grant_bps ?? 0)) granted"
            : place.state.rawValue
    }

    /// One line, as much as a table bears.
    private static func short(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.count > 40 ? line.prefix(39) + "…" : line
    }

    /// The releases that a name means: one for each build that has it.
    static func find(_ name: String, in index: ReleaseIndex) throws -> [LiveRelease] {
        let all = LiveRelease.all(index)
        let exact = all.filter { $0.version == name || String($0.sequence) == name }
        if !exact.isEmpty { return exact }
        return name.count >= 6 ? all.filter { $0.digest.hasPrefix(name.lowercased()) } : []
    }

    static func unknown(_ name: String, _ index: ReleaseIndex) -> CommandFailure {
        let known = Set(index.releases.map(\.release.version)).sorted().joined(separator: ", ")
        return CommandFailure(
            "release_unknown", "There is no live release '\(name)'",
            why: known.isEmpty ? "Nothing was released yet." : "Live are \(known).",
            fix: "patchcli list", exit: .usage)
    }
}
