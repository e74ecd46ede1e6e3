/// One message of the Swift compiler about a guest's source.
public struct CompilerDiagnostic: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How bad it is; an error means that nothing was built.
    public enum Severity: String, Sendable, Codable { case error, warning, note, remark }

    /// The file's ``GuestSource/name``; nil when the message is about no place.
    public var file: String?
    /// From 1; 0 without a place.
    public var line: Int
    /// In UTF-8 bytes from 1; 0 without a place.
    public var column: Int
    /// How bad it is.
    public var severity: Severity
    /// What the compiler says, in its words.
    public var message: String

    /// A message with its place.
    public init(
        file: String? = nil, line: Int = 0, column: Int = 0, severity: Severity, message: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.severity = severity
        self.message = message
    }

    /// The message as compilers print it, `file:line:column: severity: message`.
    public var description: String {
        guard let file else { return "\(severity.rawValue): \(message)" }
        return "\(file):\(line):\(column): \(severity.rawValue): \(message)"
    }
}
