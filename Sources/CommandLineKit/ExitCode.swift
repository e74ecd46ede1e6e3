/// How a tool ends: the codes of sysexits.h and those that scripts of this project rely on.
public enum ExitCode: Int32, Equatable, Sendable {
    /// Done.
    case success = 0
    /// Failed without a more telling code.
    case failure = 1
    /// The release reaches no device.
    case unreachable = 3
    /// A gate or a check failed.
    case gateFailed = 4
    /// The source does not fit the registered build.
    case fingerprintMismatch = 5
    /// The change needs a store release.
    case cannotShip = 6
    /// The command line is wrong.
    case usage = 64
    /// Input is malformed.
    case dataError = 65
    /// An input file is missing or unreadable.
    case noInput = 66
    /// A server or a tool cannot be reached.
    case unavailable = 69
    /// Something inside went wrong.
    case software = 70
    /// The operating system refused.
    case osError = 71
    /// An output file cannot be made.
    case cannotCreate = 73
    /// Reading or writing failed.
    case ioError = 74
    /// Failed for now; trying again may help.
    case temporaryFailure = 75
    /// The other side does not speak the protocol.
    case protocolError = 76
    /// Not allowed.
    case noPermission = 77
    /// The configuration is wrong or missing.
    case configuration = 78
}
