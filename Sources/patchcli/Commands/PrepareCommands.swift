import CommandLineKit
import PatchCompiler

/// `patchcli prepare` and `patchcli unprepare`
enum PrepareCommands {
    private static let verbose = Parameter<Bool>.flag(
        "all", help: "Name every routed function and every one that stays native.")

    static var prepare: Command {
        Command(
            "prepare", abstract: "Route the app's functions so that modules can serve them.",
            discussion: """
                Puts a gate at the top of each function that a module can replace, on the line of \
                its opening brace, and writes the generated code beside it. Line numbers never \
                move. Commit the result or run it before each build; 'unprepare' takes it away.
                """,
            parameters: parameters(Common.project, verbose)
        ) { invocation in
            try await run(invocation, "Route functions") { try $0.prepare() }
        }
    }

    static var unprepare: Command {
        Command(
            "unprepare", abstract: "Take the routing away; sources become as they were.",
            parameters: parameters(Common.project, verbose)
        ) { invocation in
            try await run(invocation, "Restore sources") { try $0.unprepare() }
        }
    }

    struct Report: Encodable {
        struct Function: Encodable {
            let id: String
            let name: String
            let gate: Int
            let place: String
        }
        struct Native: Encodable {
            let text: String
        }
        let routed: [Function]
        let native: [Native]
        let changed_files: [String]
    }

    private static func run(
        _ invocation: Invocation, _ what: String,
        _ work: (PatchProject) throws -> PrepareReport
    ) async throws {
        let workspace = try Workspace(invocation)
        let found = try await invocation.console.step(what) { _ in try work(workspace.project) }
        let report = Report(
            routed: found.routed.map {
                .init(id: $0.id, name: $0.name, gate: $0.gate, place: $0.place.description)
            },
            native: found.native.map { .init(text: "\($0)") },
            changed_files: found.changedFiles)
        let showsAll = try invocation[verbose]
        try invocation.console.report(report) { show(report, showsAll, on: $0) }
    }

    private static func show(_ report: Report, _ showsAll: Bool, on console: Console) {
        let style = console.style
        if report.routed.isEmpty {
            console.print("No function is routed.")
        } else {
            console.print(
                "\(style.bold(Quantity.count(report.routed.count, "function"))) can be replaced "
                    + "over the air, \(report.native.count) "
                    + "\(report.native.count == 1 ? "stays" : "stay") native.")
            let shown = showsAll ? report.routed : Array(report.routed.prefix(10))
            var table = Table([.init("FUNCTION"), .init("GATE", .right), .init("PLACE")])
            for function in shown {
                table.add([function.name, String(function.gate), style.dim(function.place)])
            }
            console.print(table, indent: "  ")
            if shown.count < report.routed.count {
                console.print(
                    style.dim("  and \(report.routed.count - shown.count) more; --all shows them"))
            }
        }
        if showsAll, !report.native.isEmpty {
            console.print()
            console.print("Native:")
            for refusal in report.native { console.print("  " + refusal.text) }
        }
        if report.changed_files.isEmpty {
            console.print("Nothing had to be changed.")
        } else {
            console.print(
                "Changed \(Quantity.count(report.changed_files.count, "file")): "
                    + report.changed_files.joined(separator: ", "))
        }
    }
}
