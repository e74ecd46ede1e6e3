import CommandLineKit
import FleetSimulation
import Foundation
import PatchCrypto
import RolloutGates

/// `patchcli simulate`
enum SimulateCommand {
    private static let table = Parameter<Bool>.flag(
        "table",
        help: "Run every kind of release of the acceptance table, and check what comes out.")
    private static let scenario = Parameter<String?>.option(
        "scenario", placeholder: "name", help: "Only this row of the table.",
        completion: .words(Scenario.table.map(\.id)),
        check: { name in
            Scenario.table.contains { $0.id == name }
                ? nil : "expected one of " + Scenario.table.map(\.id).joined(separator: ", ")
        })
    private static let runs = Parameter<Int?>.option(
        "runs", placeholder: "number",
        help: "How many rollouts; 1 tells its story. The table has a number for each row.",
        check: { (1...100_000).contains($0) ? nil : "expected 1 to 100000" })
    private static let seed = Parameter<UInt64?>.option(
        "seed", placeholder: "number", help: "The same seed gives the same rollouts.")
    private static let jobs = Parameter<Int?>.option(
        "jobs", placeholder: "number", help: "How many rollouts at a time; one a processor.",
        check: { (1...256).contains($0) ? nil : "expected 1 to 256" })
    private static let devices = Parameter<Int>.option(
        "devices", placeholder: "number", default: 100_000, help: "Devices in the fleet.")
    private static let failure = Parameter<PartialShare>.option(
        "failure", placeholder: "percent", default: PartialShare(0.003),
        help: "Devices on which the release fails and says so.")
    private static let baseFailure = Parameter<PartialShare>.option(
        "base-failure", placeholder: "percent", default: PartialShare(0.003),
        help: "Devices that fail without it.")
    private static let brick = Parameter<PartialShare>.option(
        "brick", placeholder: "percent", default: PartialShare(0),
        help: "Devices that never report again.")
    private static let returns = Parameter<PartialShare>.option(
        "returns", placeholder: "percent", default: PartialShare(0.95),
        help: "Devices that are seen again within the return time.")
    private static let returnTime = Parameter<TimeSpan>.option(
        "return-time", placeholder: "time", default: TimeSpan(seconds: 0),
        help: "Within which devices come back; 0s as if each told at once.")
    private static let checkEvery = Parameter<TimeSpan>.option(
        "check-every", placeholder: "time", default: TimeSpan(seconds: 3_600),
        help: "How often each device asks for updates.")
    private static let grant = Parameter<Percent>.option(
        "grant", placeholder: "percent", default: Percent(basisPoints: 10_000),
        help: "What the release key allows.")
    private static let stages = Parameter<StageList>.option(
        "stages", placeholder: "plan", default: StageList(.standard), help: "The steps.")
    private static let rules = Parameter<String?>.option(
        "rules", placeholder: "file", help: "Gate rules as a JSON file; what is absent is usual.",
        completion: .file(["json"]))

    static var command: Command {
        Command(
            "simulate", abstract: "Try rollout plans and gates on a fleet that does not exist.",
            discussion: """
                Runs rollouts over fleets of devices in simulated time. Devices decide by the same \
                code as in apps, and gates by the same code as in patchd: only users, failures and \
                the clock are made up. With --table every kind of release that the project promises \
                to stop, or not to stop, is run as often as the promise says; exits with 4 when one \
                of them comes out otherwise.
                """,
            examples: [
                ("patchcli simulate --failure 3%", "The story of one bad release."),
                (
                    "patchcli simulate --brick 10% --return-time 4h --runs 20",
                    "Twenty that break one device in ten, on which devices come back within hours."
                ),
                (
                    "patchcli simulate --stages 2%:30m,20%:2h,100% --failure 1%",
                    "Your own plan."
                ),
                ("patchcli simulate --table --seed 1", "The acceptance table; takes some minutes."),
            ],
            parameters: parameters(
                table, scenario, runs, seed, jobs, devices, failure, baseFailure, brick, returns,
                returnTime, checkEvery, grant, stages, rules),
            body: run)
    }

    private struct Row: Encodable {
        let scenario: String
        let summary: Summary
        let expected: Scenario.Expectation?
        let misses: [String]
    }

    private struct Report: Encodable {
        let seed: UInt64
        let as_expected: Bool
        let rows: [Row]
        /// Of a single rollout.
        let story: [GateRecord]?
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let seed =
            try invocation[seed]
            ?? SecureRandom.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let jobs = try invocation[jobs] ?? ProcessInfo.processInfo.activeProcessorCount
        let name = try invocation[scenario]
        let isTable = try invocation[table]
        let rows =
            isTable || name != nil
            ? Scenario.table.filter { name == nil || $0.id == name } : [try own(invocation)]
        let runs = try invocation[runs]
        let plan = try invocation[stages].plan
        var done: [Row] = []
        var story: [GateRecord]?
        for row in rows {
            let number = runs ?? row.runs
            let results = try await invocation.console.step("Simulate \(row.name)") { progress in
                progress.update(0, "0 of \(number)")
                return try await Simulation.series(
                    row.model, plan: plan, rules: row.rules, runs: number, seed: seed, jobs: jobs
                ) { progress.update(Double($0) / Double(number), "\($0) of \(number)") }
            }
            let summary = Summary(results)
            let isPromise = isTable || name != nil
            done.append(
                Row(
                    scenario: row.id, summary: summary,
                    expected: isPromise ? row.expectation : nil,
                    misses: isPromise ? summary.misses(row.expectation) : []))
            if results.count == 1, rows.count == 1 { story = results.first?.story }
        }
        let report = Report(
            seed: seed, as_expected: done.allSatisfy(\.misses.isEmpty), rows: done, story: story)
        try invocation.console.report(report) { show(report, rows, on: $0) }
        if !report.as_expected { throw SilentExit(.gateFailed) }
    }

    /// The release that the options describe.
    private static func own(_ invocation: Invocation) throws -> Scenario {
        var model = FleetModel()
        model.devices = try invocation[devices]
        model.candidateFailure = try invocation[failure].value
        model.baseFailure = try invocation[baseFailure].value
        model.brick = try invocation[brick].value
        model.returns = try invocation[returns].value
        model.returnTime = try invocation[returnTime].seconds
        model.checkEvery = try invocation[checkEvery].seconds
        model.grant = try invocation[grant].basisPoints
        var own = GateRules()
        own.returnTime = model.returnTime
        if let file = try invocation[rules] { own = try RulesFile.read(file) }
        try model.check()
        return Scenario(
            name: "yours", id: "own", model: model, rules: own, runs: 1,
            expectation: .init(outcome: .finished))
    }

    // MARK: Words

    private static func show(_ report: Report, _ scenarios: [Scenario], on console: Console) {
        let style = console.style
        if let story = report.story { GateWords.show(story, from: 0, on: console) }
        var columns: [Table.Column] = [
            .init("RELEASE"), .init("RUNS", .right), .init("HALTED", .right),
            .init("FINISHED", .right), .init("HELD", .right), .init("BY"),
            .init("EXPOSED", .right), .init("P95", .right), .init("AFTER", .right),
        ]
        if report.rows.contains(where: { $0.expected != nil }) { columns.append(.init("")) }
        var table = Table(columns)
        for (row, scenario) in zip(report.rows, scenarios) {
            let summary = row.summary
            table.add([
                scenario.name, String(summary.runs), String(summary.halted),
                String(summary.finished), String(summary.held), rules(summary),
                Quantity.number(summary.median), Quantity.number(summary.percentile95),
                TimeSpan(seconds: summary.medianSeconds).words,
                row.misses.isEmpty ? style.green("as promised") : style.red("otherwise"),
            ])
        }
        console.print(table)
        for row in report.rows where !row.misses.isEmpty {
            console.print(
                style.red(row.scenario) + ": " + row.misses.joined(separator: "; ") + ".")
        }
        console.print(
            style.dim(
                "EXPOSED: devices of \(Quantity.number(scenarios[0].model.devices)) that took the "
                    + "release, at the median. AFTER: simulated time. Again with "
                    + "--seed \(report.seed)."))
    }

    /// `relative 65, hard 35`
    private static func rules(_ summary: Summary) -> String {
        if summary.rules.isEmpty { return "-" }
        return summary.rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}

/// Gate rules in a file.
enum RulesFile {
    /// Reads them.
    /// - Throws: ``CommandFailure`` `rules_unreadable`, `rules_invalid`.
    static func read(_ path: String) throws -> GateRules {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 64 << 10 else {
            throw CommandFailure(
                "rules_unreadable", "The gate rules '\(path)' cannot be read", exit: .noInput)
        }
        do {
            return try JSONDecoder().decode(GateRules.self, from: data)
        } catch let error as GateError {
            throw CommandFailure(
                "rules_invalid", "The gate rules '\(path)' cannot be meant",
                why: error.description, exit: .dataError)
        } catch {
            throw CommandFailure(
                "rules_invalid", "The gate rules '\(path)' cannot be read",
                why: Explain.text(error), exit: .dataError)
        }
    }
}
