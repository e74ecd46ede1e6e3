/// Turns what the linker printed into one error that names the symbols.
enum LinkerOutput {
    static func error(in text: String) -> GuestBuildError {
        var undefined = Set<String>()
        var missing = Set<String>()
        for line in text.split(separator: "\n").map(String.init) {
            if let name = rest(of: line, after: "undefined symbol: ") { undefined.insert(name) }
            if let name = rest(of: line, after: "symbol exported via --export not found: ") {
                missing.insert(name)
            }
        }
        if !missing.isEmpty { return .exportMissing(missing.sorted()) }
        if !undefined.isEmpty { return .undefinedSymbols(undefined.sorted()) }
        return .link(text.trimmingWhitespace())
    }

    private static func rest(of line: String, after mark: String) -> String? {
        guard let range = line.range(of: mark) else { return nil }
        return line[range.upperBound...].trimmingWhitespace()
    }
}

extension StringProtocol {
    fileprivate func trimmingWhitespace() -> String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
