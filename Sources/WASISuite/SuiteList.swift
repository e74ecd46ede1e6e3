/// What each program of the suite is known to do here: `Docs/wasi-suite.csv`.
public struct SuiteList: Sendable {
    /// One program.
    public struct Row: Sendable {
        /// Language and file name, for example `rust/fd_readdir`.
        public let program: String
        /// Whether it does what it must.
        public let passes: Bool
        /// Why not: the failure's code, a colon and a sentence; empty for a program that passes.
        public let reason: String
        /// The failure's code.
        public var code: Substring { reason.prefix { $0 != ":" } }
    }

    /// The rows, in order.
    public let rows: [Row]

    /// Reads the list: a heading, then `program,passes|fails,reason` in each line. A reason is a
    /// sentence and the last field, so it may hold commas.
    /// - Throws: ``SuiteError/badList(line:why:)`` also when a program that fails has no reason,
    ///   one that passes has one, or one is there twice.
    public init(_ text: String) throws {
        var rows: [Row] = []
        var seen: Set<String> = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            func bad(_ why: String) -> SuiteError { .badList(line: number + 1, why: why) }
            let fields = line.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { throw bad("it needs three fields") }
            let passes = fields[1] == "passes"
            guard passes || fields[1] == "fails" else {
                throw bad("it says neither passes nor fails")
            }
            guard passes == fields[2].isEmpty else {
                throw bad(passes ? "a program that passes has a reason" : "it gives no reason")
            }
            guard seen.insert(String(fields[0])).inserted else {
                throw bad("the program is there twice")
            }
            rows.append(
                Row(program: String(fields[0]), passes: passes, reason: String(fields[2])))
        }
        self.rows = rows
    }

    /// What results and list say differently, a sentence for each program.
    public func differences(from results: [SuiteResult]) -> [String] {
        let expected = Dictionary(uniqueKeysWithValues: rows.map { ($0.program, $0) })
        var found: [String] = results.compactMap { result in
            guard let row = expected[result.program] else {
                return "\(result.program) is not in the list"
            }
            switch (row.passes, result.failure) {
            case (true, let failure?): return "\(result.program) fails: \(failure.text)"
            case (false, nil): return "\(result.program) passes, but the list says that it does not"
            case (false, let failure?) where failure.code != row.code:
                return
                    "\(result.program) fails for another reason than '\(row.reason)': \(failure.text)"
            default: return nil
            }
        }
        let ran = Set(results.map(\.program))
        found += rows.filter { !ran.contains($0.program) }.map { "\($0.program) was not found" }
        return found
    }
}
