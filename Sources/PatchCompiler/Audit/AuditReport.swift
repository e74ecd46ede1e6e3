/// What of an app can be patched over the air, function by function.
public struct AuditReport: Sendable, Equatable {
    /// How far a function gets.
    public enum Standing: String, Sendable, CaseIterable {
        /// It is routed, and it was compiled to a module in this very run.
        case patchable
        /// It is routed and does not compile to a module as it is; an edit may make it.
        case candidate
        /// It is not routed.
        case native
    }

    /// A function, an accessor of a computed property, an initialiser or a subscript.
    public struct Entry: Sendable, Equatable {
        /// As in `Cart.total(of:)`.
        public var name: String
        /// Where it is.
        public var place: SourcePlace
        /// How far it gets.
        public var standing: Standing
        /// A stable name of what stands in the way; empty for what is patchable.
        public var reason: String
        /// The same as a sentence.
        public var message: String
    }

    /// Numbers of functions.
    public struct Counts: Sendable, Equatable {
        /// Compiled in this run.
        public var patchable = 0
        /// Routed and not compiled.
        public var candidates = 0
        /// Not routed.
        public var native = 0

        /// All of them.
        public var total: Int { patchable + candidates + native }

        /// The patchable ones of a hundred; 0 of none.
        public var percent: Double { total == 0 ? 0 : 100 * Double(patchable) / Double(total) }

        mutating func count(_ standing: Standing) {
            switch standing {
            case .patchable: patchable += 1
            case .candidate: candidates += 1
            case .native: native += 1
            }
        }
    }

    /// All functions, by place.
    public var entries: [Entry]

    /// Numbers over the whole app.
    public var total: Counts { Self.counts(entries) }

    /// Numbers for each file that has functions, by path.
    public var files: [(path: String, counts: Counts)] {
        Dictionary(grouping: entries) { $0.place.file }.map { ($0.key, Self.counts($0.value)) }
            .sorted { $0.path < $1.path }
    }

    /// How often each reason stands in the way, the most frequent first.
    public var reasons: [(reason: String, count: Int)] {
        Dictionary(grouping: entries.filter { !$0.reason.isEmpty }) { $0.reason }
            .map { ($0.key, $0.value.count) }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    private static func counts(_ entries: [Entry]) -> Counts {
        entries.reduce(into: Counts()) { $0.count($1.standing) }
    }
}

extension PatchProject {
    /// Compiles all that is routed and says of every function how far it gets.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError`` when nothing at all can be compiled.
    public func audit() throws -> AuditReport {
        let code = try AppCode(folder: folder, configuration: configuration)
        let problems = Dictionary(
            try baseModule(
                of: code, DeclarationIndex(code),
                Toolchain.discover(target: guestOptions.target)
            ).problems.map { ($0.function, $0) }
        ) { first, _ in first }
        var entries = code.scan.functions.map { function in
            let problem = problems[function.displayName]
            return AuditReport.Entry(
                name: function.displayName, place: function.place,
                standing: problem == nil ? .patchable : .candidate,
                reason: problem == nil ? "" : "not_compiled",
                message: problem.map { problem in
                    "it does not compile to a module: \(problem.message)"
                        + (problem.place.map { " (\($0))" } ?? "")
                } ?? "")
        }
        entries += code.scan.refusals.map {
            AuditReport.Entry(
                name: $0.name, place: $0.place, standing: .native, reason: $0.reason.rawValue,
                message: $0.message)
        }
        entries.sort {
            ($0.place.file, $0.place.line, $0.name) < ($1.place.file, $1.place.line, $1.name)
        }
        return AuditReport(entries: entries)
    }
}
