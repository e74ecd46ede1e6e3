/// Why a bridge could not be made or a program not be started.
public enum WASIError: Error, Equatable, CustomStringConvertible {
    /// An argument or variable holds NUL, which ends a text in the guest.
    case textWithNUL(String)
    /// Arguments and environment are too large together.
    case tooMuchText(bytes: Int)
    /// The module has no `_start`.
    case notACommand

    /// A stable name for the failure.
    public var code: String {
        switch self {
        case .textWithNUL: "wasi_text_with_nul"
        case .tooMuchText: "wasi_too_much_text"
        case .notACommand: "wasi_not_a_command"
        }
    }

    /// The failure as a sentence.
    public var description: String {
        switch self {
        case .textWithNUL(let text):
            "the argument or variable '\(text.prefix(40))' holds a NUL character, "
                + "which a guest cannot be given; remove it"
        case .tooMuchText(let bytes):
            "arguments and environment take \(bytes) bytes; a guest is given at most 1 MiB"
        case .notACommand:
            "the module has no `_start`, so it is a library (reactor) and not a program; "
                + "call one of its exports instead"
        }
    }
}

/// The guest ended its program by `proc_exit`; this unwinds the call that it did so in.
public struct WASIExit: Error, Equatable, CustomStringConvertible {
    /// The exit code, 0 for success.
    public var code: UInt32
    /// The failure as a sentence.
    public var description: String { "the program ended itself with exit code \(code)" }
}
