import Foundation

/// Turns what the compiler printed into diagnostics in the user's terms.
struct CompilerOutput {
    /// Compiled file name → the name that the user knows.
    var names: [String: String]

    /// The messages in `text`; lines that belong to none are left out.
    func diagnostics(in text: String) -> [CompilerDiagnostic] {
        var seen = Set<CompilerDiagnostic>()
        return text.split(separator: "\n").compactMap { line in
            guard let diagnostic = parse(String(line)), seen.insert(diagnostic).inserted
            else { return nil }
            return diagnostic
        }
    }

    /// A crash as one diagnostic: the signal, and the innermost things that the compiler says it
    /// was doing.
    func crash(in text: String, signal: Int32?) -> CompilerDiagnostic {
        // `3.	While evaluating request …`, each perhaps with a line ` for 'f()' (at file.swift:3:1)`;
        // the last is the innermost. Frames of the compiler's own stack (` #0 0x…`) end them.
        var doing: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix(" #0") { break }
            let digits = line.prefix { $0.isNumber }
            if !digits.isEmpty, line.dropFirst(digits.count).hasPrefix(".\t") {
                doing.append(String(line.dropFirst(digits.count + 2)))
            } else if let last = doing.popLast() {
                doing.append(last + line)
            }
        }
        doing.removeAll { $0.hasPrefix("Program arguments") }
        let place = doing.reversed().lazy.compactMap(sourcePlace).first
        let cause = signal.map { "signal \($0)" } ?? "an internal error"
        var message = "the compiler crashed (\(cause))"
        if let last = doing.last { message += ": \(replacingNames(in: last))" }
        message += ". Guests cannot use async, actors or Task; take what was added last out again."
        return CompilerDiagnostic(
            file: place?.file, line: place?.line ?? 0, column: place?.column ?? 0,
            severity: .error, message: message)
    }

    static func isCrash(_ text: String) -> Bool {
        text.contains("failed due to signal") || text.contains("Stack dump:")
            || text.contains("Please submit a bug report")
    }

    /// The signal that a driver says its frontend died of.
    func signal(in text: String) -> Int32? {
        guard let range = text.range(of: "due to signal ") else { return nil }
        return Int32(text[range.upperBound...].prefix { $0.isNumber })
    }

    private func parse(_ line: String) -> CompilerDiagnostic? {
        for severity in [CompilerDiagnostic.Severity.error, .warning, .note, .remark] {
            let mark = "\(severity.rawValue): "
            if line.hasPrefix(mark) {
                return CompilerDiagnostic(
                    severity: severity, message: String(line.dropFirst(mark.count)))
            }
            guard let range = line.range(of: ": " + mark) else { continue }
            let place = line[..<range.lowerBound].split(
                separator: ":", omittingEmptySubsequences: false)
            guard place.count >= 3, let column = Int(place[place.count - 1]),
                let row = Int(place[place.count - 2])
            else { continue }
            let file = place.dropLast(2).joined(separator: ":")
            return CompilerDiagnostic(
                file: userName(file), line: row, column: column, severity: severity,
                message: String(line[range.upperBound...]))
        }
        return nil
    }

    private func userName(_ file: String) -> String {
        names[URL(fileURLWithPath: file).lastPathComponent] ?? file
    }

    private func replacingNames(in text: String) -> String {
        names.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }

    private func sourcePlace(in step: String) -> (file: String, line: Int, column: Int)? {
        for (compiled, name) in names {
            guard let range = step.range(of: compiled + ":") else { continue }
            let numbers = step[range.upperBound...].prefix { $0.isNumber || $0 == ":" }
                .split(separator: ":").compactMap { Int($0) }
            if let line = numbers.first {
                return (name, line, numbers.count > 1 ? numbers[1] : 1)
            }
        }
        return nil
    }
}
