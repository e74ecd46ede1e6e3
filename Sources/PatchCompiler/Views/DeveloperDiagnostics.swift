extension CompilerDiagnostic {
    /// Runs `body`, which compiles `files` with code added to them. Where the developer's own lines
    /// have errors, what follows from them in code that nobody wrote is left out.
    static func ofDeveloper<Result>(
        _ files: [GuestSource], _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch GuestBuildError.compile(let found) {
            throw GuestBuildError.compile(ownLines(found, of: files))
        }
    }

    /// The diagnostics about lines that `files` have; all of them when no error is among those.
    static func ownLines(
        _ found: [CompilerDiagnostic], of files: [GuestSource]
    ) -> [CompilerDiagnostic] {
        let lines = Dictionary(
            files.map { ($0.name, lineCount($0.text)) }, uniquingKeysWith: { max($0, $1) })
        let own = found.filter { diagnostic in
            guard let file = diagnostic.file, let count = lines[file] else { return false }
            return diagnostic.line <= count
        }
        return own.contains { $0.severity == .error } ? own : found
    }

    /// Lines as editors count them: a line feed at the end begins none.
    private static func lineCount(_ text: String) -> Int {
        let feeds = text.utf8.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        return text.utf8.last == 0x0A ? feeds : feeds + 1
    }
}
