/// A place in a file of the project.
public struct SourcePlace: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Path from the project's folder, with `/`.
    public var file: String
    /// From 1; 0 for the file as a whole.
    public var line: Int

    /// A line of a file.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// `file:line`, as editors understand it.
    public var description: String { line > 0 ? "\(file):\(line)" : file }
}

/// Why the compiler side of a project cannot go on.
public struct PatchProjectError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A stable name of the fault.
    public enum Code: String, Sendable, CaseIterable {
        /// `openpatch.json` is absent.
        case configurationMissing = "configuration_missing"
        /// `openpatch.json` is not what its schema says.
        case configurationInvalid = "configuration_invalid"
        /// `openpatch.lock.json` cannot be read.
        case lockInvalid = "lock_invalid"
        /// A file or folder named by the configuration cannot be read or written.
        case fileAccess = "file_access"
        /// A source file is not UTF-8.
        case notUTF8 = "not_utf8"
        /// The marks in a source file are not in pairs.
        case damagedMarks = "damaged_marks"
        /// A file that `prepare` would write belongs to somebody else.
        case generatedFileInTheWay = "generated_file_in_the_way"
        /// A source file has syntax errors.
        case syntaxError = "syntax_error"
        /// More routed functions than there are gates.
        case tooManyFunctions = "too_many_functions"
        /// No build was registered, or none with the fingerprint asked for.
        case buildUnknown = "build_unknown"
        /// A build manifest cannot be read.
        case manifestInvalid = "manifest_invalid"
        /// A build with the same native code and other bodies is registered.
        case buildConflict = "build_conflict"
        /// Code that only the store build can carry has changed.
        case nativeChange = "native_change"
        /// A changed function cannot be compiled into a module.
        case cannotCompile = "cannot_compile"
        /// A changed function uses what a module must not use.
        case cannotShip = "cannot_ship"
        /// A module needs functions that another build does not have, or lacks some that it needs.
        case buildNotServed = "build_not_served"
        /// A routed function or an export of guest code is gone from the tree.
        case removed = "removed"
        /// Nothing differs from the store build, and there is no guest code either.
        case nothingChanged = "nothing_changed"
    }

    /// One of several things at fault.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// What is the matter.
        public var message: String
        /// Where, when it is at a place.
        public var place: SourcePlace?

        /// Something at a place.
        public init(_ message: String, at place: SourcePlace? = nil) {
            self.message = message
            self.place = place
        }

        /// `file:line: message`.
        public var description: String { (place.map { "\($0): " } ?? "") + message }
    }

    /// What kind of fault it is.
    public var kind: Code
    /// What happened, why, and what to do.
    public var message: String
    /// Where it is, when it is at a place.
    public var places: [SourcePlace]
    /// Every single thing, when the message sums several up.
    public var findings: [Finding]

    /// A fault to show to the user.
    public init(
        _ kind: Code, _ message: String, at places: [SourcePlace] = [], findings: [Finding] = []
    ) {
        self.findings = findings
        self.kind = kind
        self.message = message
        self.places = places
    }

    /// The stable code, in snake case.
    public var code: String { kind.rawValue }

    /// Every place, then the sentence.
    public var description: String {
        let where_ = places.map(\.description).joined(separator: ", ")
        return where_.isEmpty ? message : "\(where_): \(message)"
    }
}
