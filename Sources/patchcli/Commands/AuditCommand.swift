import CommandLineKit
import Foundation
import PatchCompiler

/// `patchcli audit`
enum AuditCommand {
    private static let sarif = Parameter<Bool>.flag(
        "sarif", help: "Print a SARIF 2.1.0 log, as code scanning takes it.")
    private static let every = Parameter<Bool>.flag(
        "all", help: "Name every function that cannot be patched, with its line and why.")

    static var command: Command {
        Command(
            "audit", abstract: "Tell which functions can be patched over the air, and why not.",
            discussion: """
                Compiles everything that is routed to a module, now: 'patchable' are the functions \
                of which that succeeded, 'candidates' those that are routed and do not compile as \
                they are, 'native' those that are not routed. Changes no file.
                """,
            examples: [
                ("patchcli audit --all", "Every function that stays native, with its reason."),
                ("patchcli audit --sarif >audit.sarif", "For an editor or a code scanner."),
            ],
            parameters: parameters(Common.project, every, sarif), body: run)
    }

    struct Report: Encodable {
        struct Counts: Encodable {
            let patchable: Int
            let candidates: Int
            let native: Int
            let percent: Double

            init(_ counts: AuditReport.Counts) {
                patchable = counts.patchable
                candidates = counts.candidates
                native = counts.native
                percent = (counts.percent * 10).rounded() / 10
            }
        }

        struct File: Encodable {
            let file: String
            let counts: Counts
        }

        struct Function: Encodable {
            let name: String
            let place: String
            let standing: String
            let reason: String
            let message: String
        }

        let total: Counts
        let files: [File]
        let reasons: [String: Int]
        let functions: [Function]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let project = try Workspace(invocation).project
        let audit = try await invocation.console.step("Compile what is routed") { _ in
            try project.audit()
        }
        if try invocation[sarif] {
            invocation.console.print(try Console.text(SARIFLog(audit)))
            return
        }
        let report = Report(
            total: .init(audit.total),
            files: audit.files.map { .init(file: $0.path, counts: .init($0.counts)) },
            reasons: Dictionary(uniqueKeysWithValues: audit.reasons.map { ($0.reason, $0.count) }),
            functions: audit.entries.map {
                .init(
                    name: $0.name, place: $0.place.description, standing: $0.standing.rawValue,
                    reason: $0.reason, message: $0.message)
            })
        let showsAll = try invocation[every]
        try invocation.console.report(report) { show(audit, all: showsAll, on: $0) }
    }

    private static func show(_ audit: AuditReport, all: Bool, on console: Console) {
        let style = console.style
        var table = Table([
            .init("FILE"), .init("PATCHABLE", .right), .init("CANDIDATES", .right),
            .init("NATIVE", .right), .init("", .right),
        ])
        func add(_ name: String, _ counts: AuditReport.Counts) {
            table.add([
                name, String(counts.patchable), String(counts.candidates), String(counts.native),
                String(format: "%.1f %%", counts.percent),
            ])
        }
        for file in audit.files { add(file.path, file.counts) }
        add(style.bold("all"), audit.total)
        console.print(table)
        if !audit.reasons.isEmpty {
            console.print()
            var reasons = Table([.init("WHY NOT"), .init("FUNCTIONS", .right)])
            for (reason, count) in audit.reasons { reasons.add([reason, String(count)]) }
            console.print(reasons)
        }
        guard all else { return }
        console.print()
        for entry in audit.entries where entry.standing != .patchable {
            console.print(
                "\(entry.place): \(style.bold(entry.name)): \(entry.message) "
                    + style.dim("[\(entry.reason)]"))
        }
    }
}

/// An audit as a SARIF 2.1.0 log: one result for each function that cannot be patched.
struct SARIFLog: Encodable {
    struct Text: Encodable { let text: String }

    struct Rule: Encodable {
        let id: String
        let shortDescription: Text
    }

    struct Driver: Encodable {
        let name = "patchcli"
        let rules: [Rule]
    }

    struct Tool: Encodable { let driver: Driver }

    struct Artifact: Encodable { let uri: String }

    struct Region: Encodable { let startLine: Int }

    struct Physical: Encodable {
        let artifactLocation: Artifact
        let region: Region?
    }

    struct Location: Encodable { let physicalLocation: Physical }

    struct Result: Encodable {
        let ruleId: String
        let level: String
        let message: Text
        let locations: [Location]
    }

    struct Run: Encodable {
        let tool: Tool
        let results: [Result]
    }

    enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    init(_ audit: AuditReport) {
        let rules = audit.reasons.map(\.reason).sorted().map {
            Rule(
                id: $0,
                shortDescription: Text(
                    text: "Stays native: \($0.replacingOccurrences(of: "_", with: " "))"))
        }
        let results = audit.entries.filter { $0.standing != .patchable }.map { entry in
            let uri =
                entry.place.file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
                ?? entry.place.file
            return Result(
                ruleId: entry.reason, level: entry.standing == .candidate ? "warning" : "note",
                message: Text(text: "\(entry.name): \(entry.message)"),
                locations: [
                    Location(
                        physicalLocation: Physical(
                            artifactLocation: Artifact(uri: uri),
                            region: entry.place.line > 0
                                ? Region(startLine: entry.place.line) : nil))
                ])
        }
        runs = [Run(tool: Tool(driver: Driver(rules: rules)), results: results)]
    }
}
