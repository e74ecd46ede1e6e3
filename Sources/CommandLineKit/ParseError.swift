/// A command line that does not fit the declarations.
public struct ParseError: Error, Equatable, Sendable {
    /// Stable name of the problem.
    public let code: String
    /// One sentence: what does not fit.
    public let message: String
    /// A word that was probably meant.
    public let suggestion: String?

    init(_ code: String, _ message: String, suggestion: String? = nil) {
        self.code = code
        self.message = message
        self.suggestion = suggestion
    }

    static func missing(_ declaration: ParameterDeclaration) -> ParseError {
        ParseError(
            "missing_argument", "Missing expected argument '\(declaration.usage)'")
    }

    static func invalid(
        _ declaration: ParameterDeclaration, word: String, problem: String, choices: [String]
    ) -> ParseError {
        ParseError(
            "invalid_value",
            "The value '\(word)' is invalid for '\(declaration.usage)': \(problem)",
            suggestion: closest(to: word, in: choices))
    }

    static func missingSubcommand(of path: [String], _ known: [String]) -> ParseError {
        ParseError(
            "missing_subcommand",
            "'\(path.joined(separator: " "))' needs a subcommand: \(known.joined(separator: ", "))")
    }

    static func unknownOption(_ word: String, known: [String]) -> ParseError {
        ParseError(
            "unknown_option", "Unknown option '\(word)'", suggestion: closest(to: word, in: known))
    }

    static func unknownCommand(_ word: String, known: [String]) -> ParseError {
        ParseError(
            "unknown_command", "Unknown command '\(word)'",
            suggestion: closest(to: word, in: known))
    }
}

extension ParameterDeclaration {
    /// `--name <value>` or `<name>`.
    public var usage: String {
        switch kind {
        case .flag: return "--\(name)"
        case .option: return "--\(name) <\(placeholder)>"
        case .argument: return "<\(placeholder)>" + (arity == .many ? " ..." : "")
        }
    }
}

/// The candidate that `word` is most likely a slip of, or nil when none is near enough.
func closest(to word: String, in candidates: [String]) -> String? {
    let limit = max(1, word.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
        let distance = editDistance(word, candidate, limit: limit)
        if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.candidate
}

/// Damerau-Levenshtein distance (neighbouring letters swapped count once); more than `limit` is
/// reported as `limit + 1`.
func editDistance(_ one: String, _ other: String, limit: Int) -> Int {
    let a = Array(one.lowercased())
    let b = Array(other.lowercased())
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    var twoBack: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                best = min(best, twoBack[j - 1] + 1)
            }
            row.append(best)
        }
        twoBack = previous
        previous = row
    }
    return min(previous[b.count], limit + 1)
}
