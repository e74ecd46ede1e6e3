import CommandLineKit
import Foundation
import Rollout
import RolloutGates
import TUF

/// `patchcli insights`: what devices told the server of a release.
enum InsightsCommand {
    private static let release = Parameter<String?>.optionalArgument(
        "release", help: "A release by version, sequence or digest; all when not given.")
    private static let days = Parameter<Int>.option(
        "days", placeholder: "number", default: 7, help: "Days of history.",
        check: { (1...90).contains($0) ? nil : "expected 1 to 90" })

    /// The server's document.
    struct Document: Codable, Sendable {
        struct Release: Codable, Sendable {
            let release: String
            let fingerprint: String
            /// Absent for modules.
            let bundle: String?
            let installs: Int
            let current: Int
            let activated: Int
            let ready: Int
            let failed: Int
            let failure_rate: Double
            let failure_rate_low: Double
            let failure_rate_high: Double
            let reasons: [Reason]
        }
        struct Reason: Codable, Sendable {
            let reason: String
            let installs: Int
        }
        struct Day: Codable, Sendable {
            let day: String
            let release: String
            let event: String
            let reason: String
            let count: Int
            let bytes: Int
            let deltas: Int
        }
        let installs: Int
        let installs_day: Int
        let releases: [Release]
        let days: [Day]
        let definition: String
    }

    private struct Report: Encodable {
        /// Names of digests, as far as they are live.
        let versions: [String: String]
        let insights: Document
    }

    static var command: Command {
        Command(
            "insights", abstract: "Show what devices told: how far a release came, what failed.",
            discussion: """
                Numbers of installs, not of people, each counted once by the last state that it \
                told the server. Installs that tell nothing are not seen.
                """,
            examples: [
                ("patchcli insights 1.2.0 --days 14", "Two weeks of one release."),
                ("patchcli insights --bundle-name app", "The releases of a web bundle."),
            ],
            parameters: parameters(
                release, days, Common.project, Common.fingerprint, Common.bundleName), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let access = try ServerAccess(workspace)
        let publishing = try Publishing(workspace, console: invocation.console)
        let index = try await publishing.index(invocation)
        var query = [("days", String(try invocation[days]))]
        if let name = try invocation[release] {
            query.append(("release", try digest(name, index)))
        }
        if let bundle = index.bundle {
            query.append(("bundle", bundle))
        } else if let digits = try invocation[Common.fingerprint] {
            query.append(
                ("fingerprint", try workspace.project.manifest(fingerprint: digits).fingerprint))
        }
        let document: Document = try await access.call("GET", "insights", query: query)
        let versions = Dictionary(
            index.releasesOfAll.map { ($0.release.raw.sha256, $0.release.version) },
            uniquingKeysWith: { first, _ in first })
        try invocation.console.report(Report(versions: versions, insights: document)) { console in
            show(document, versions, on: console)
        }
    }

    /// A release that is no longer live is known by its whole digest only.
    private static func digest(_ name: String, _ index: ReleaseIndex) throws -> String {
        if let found = try ListCommands.find(name, in: index).first { return found.digest }
        let isDigest = name.utf8.count == 64 && name.allSatisfy(\.isHexDigit)
        guard isDigest else { throw ListCommands.unknown(name, index) }
        return name.lowercased()
    }

    private static func show(
        _ document: Document, _ versions: [String: String], on console: Console
    ) {
        let style = console.style
        console.print(
            style.bold(Quantity.number(document.installs)) + " installs told something, "
                + style.bold(Quantity.number(document.installs_day)) + " in the last 24 hours.")
        console.print()
        var table = Table([
            .init("RELEASE"), .init("BUILD"), .init("RUN IT", .right), .init("TOOK IT", .right),
            .init("READY", .right), .init("FAILED", .right), .init("RATE", .right),
            .init("BETWEEN"), .init("WHY"),
        ])
        for release in document.releases {
            let rate = PartialShare(rounded: release.failure_rate).argumentText
            let isBad = release.failure_rate_low > 0.02
            table.add([
                name(release.release, versions, style),
                release.bundle.map { "bundle \($0)" } ?? String(release.fingerprint.prefix(16)),
                Quantity.number(release.current), Quantity.number(release.installs),
                Quantity.number(release.ready), Quantity.number(release.failed),
                isBad ? style.red(rate) : rate,
                PartialShare(rounded: release.failure_rate_low).argumentText + " – "
                    + PartialShare(rounded: release.failure_rate_high).argumentText,
                release.reasons.prefix(3).map { "\($0.reason) \($0.installs)" }
                    .joined(separator: ", "),
            ])
        }
        table.isEmpty ? console.print("No release was told of.") : console.print(table)
        days(document, on: console)
        console.print()
        console.print(style.dim(document.definition))
    }

    private static func name(
        _ digest: String, _ versions: [String: String], _ style: Style
    ) -> String {
        if digest.isEmpty { return style.dim("as shipped") }
        return versions[digest].map(style.bold) ?? String(digest.prefix(12))
    }

    /// Downloads and bytes a day, with a bar for the eye.
    private static func days(_ document: Document, on console: Console) {
        struct Sum {
            var ready = 0
            var failed = 0
            var downloads = 0
            var deltas = 0
            var bytes = 0
        }
        var sums: [String: Sum] = [:]
        for day in document.days {
            var sum = sums[day.day] ?? Sum()
            switch day.event {
            case "ready": sum.ready += day.count
            case "trap", "rollback", "crash_after_ready": sum.failed += day.count
            case "download":
                sum.downloads += day.count
                sum.deltas += day.deltas
                sum.bytes += day.bytes
            default: break
            }
            sums[day.day] = sum
        }
        guard !sums.isEmpty else { return }
        console.print()
        let most = max(1, sums.values.map(\.downloads).max() ?? 1)
        var table = Table([
            .init("DAY"), .init("DOWNLOADS", .right), .init(""), .init("DELTAS", .right),
            .init("BYTES", .right), .init("READY", .right), .init("FAILED", .right),
        ])
        for (day, sum) in sums.sorted(by: { $0.key < $1.key }) {
            table.add([
                day, Quantity.number(sum.downloads),
                console.style.cyan(String(repeating: "▇", count: sum.downloads * 20 / most)),
                Quantity.number(sum.deltas), Quantity.bytes(sum.bytes),
                Quantity.number(sum.ready), Quantity.number(sum.failed),
            ])
        }
        console.print(table)
    }
}
