/// What became of one script.
public struct SpecFileReport: Sendable {
    /// The script's file name.
    public var file: String
    /// Assertions to pass, by the script's own count.
    public var counted: Int
    /// Assertions passed.
    public var passed = 0
    /// All that went wrong, commands that are no assertions included.
    public var failures: [SpecFailure] = []

    /// Whether every counted assertion passed and nothing else went wrong.
    public var isClean: Bool { passed == counted && failures.isEmpty }

    init(file: String, counted: Int) {
        self.file = file
        self.counted = counted
    }
}

/// A command that did not do what the script wants.
public struct SpecFailure: Sendable, CustomStringConvertible {
    /// The script's file name.
    public var file: String
    /// The line in the `.wast` file.
    public var line: Int
    /// The command's type.
    public var command: String
    /// What the script wants.
    public var expected: String
    /// What happened.
    public var got: String

    /// The failure as one line.
    public var description: String {
        "\(file):\(line): \(command): expected \(expected), got \(got)"
    }
}

/// What became of a whole suite.
public struct SpecSuiteReport: Sendable {
    /// The scripts in the order that they ran.
    public var files: [SpecFileReport]

    /// Gathers reports.
    public init(files: [SpecFileReport]) { self.files = files }

    /// Assertions to pass, by the scripts' own count.
    public var counted: Int { files.reduce(0) { $0 + $1.counted } }
    /// Assertions passed.
    public var passed: Int { files.reduce(0) { $0 + $1.passed } }
    /// All that went wrong.
    public var failures: [SpecFailure] { files.flatMap(\.failures) }
    /// Whether every file is clean.
    public var isClean: Bool { files.allSatisfy(\.isClean) }
}
