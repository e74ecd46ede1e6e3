import TestSupport

/// Asks a real bash what it would offer.
enum Bash {
    static func complete(_ script: String, _ line: String) throws -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let folder = try TemporaryDirectory("completion")
        let file = try folder.write(
            """
            \(script)
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
            _\(words[0])
            printf '%s\\n' "${COMPREPLY[@]}" | sort
            """, to: "script.bash")
        let result = try ChildProcess.run("bash", ["--norc", file.path])
        return result.standardOutput.split(separator: "\n").map(String.init)
    }
}
