/// One message of the Swift compiler about a guest's source.
public struct CompilerDiagnostic: Sendable, Hashable, Codable, CustomStringConvertible {
    public enum Severity: String, Sendable, Codable { case error, warning, note, remark }

    /// The file's ``GuestSource/name``; nil when the message is about no place.
    public var file: String?
    /// From 1; 0 without a place.
    public var line: Int
    /// In UTF-8 bytes from 1; 0 without a place.
    public var column: Int
    public var severity: Severity
    public var message: String

    public init(
        file: String? = nil, line: Int = 0, column: Int = 0, severity: Severity, message: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.severity = severity
        self.message = message
    }

    public var description: String {
        guard let file else { return "\(severity.rawValue): \(message)" }
        return "\(file):\(line):\(column): \(severity.rawValue): \(message)"
    }
}
