/// Why bytes could not be compressed or decompressed.
public enum CompressionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes are not a whole stream of the format: damaged, cut short, or followed by others.
    case damaged
    /// The output would be larger than the caller allows.
    case tooLarge(maximum: Int)
    /// The system's library refused, for want of memory.
    case backendFailure

    /// The stable code, for logs and programs.
    public var code: String {
        switch self {
        case .damaged: "compressed_data_damaged"
        case .tooLarge: "compressed_data_too_large"
        case .backendFailure: "compression_backend_failure"
        }
    }

    /// For people: the sentence and the code.
    public var description: String {
        switch self {
        case .damaged:
            "The compressed data is damaged or incomplete; fetch it again. [\(code)]"
        case .tooLarge(let maximum):
            "The data decompresses to more than the \(maximum) bytes announced for it, "
                + "so it was refused. [\(code)]"
        case .backendFailure:
            "The compression library failed, probably for want of memory. [\(code)]"
        }
    }
}
