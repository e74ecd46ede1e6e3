/// The error codes that a guest sees (WASI preview 1, `errno`); only those we give.
enum WASIErrno: UInt16, Error {
    case success = 0
    case tooBig = 1
    case badDescriptor = 8
    case exists = 20
    case fault = 21
    case fileTooBig = 22
    case illegalBytes = 25
    case invalid = 28
    case isDirectory = 31
    case loop = 32
    case tooManyFiles = 33
    case nameTooLong = 37
    case noEntry = 44
    case noSpace = 51
    case notImplemented = 52
    case notDirectory = 54
    case notEmpty = 55
    case notSocket = 57
    case notSupported = 58
    case overflow = 61
    case notPermitted = 63
    case seekOnPipe = 70
    case notCapable = 76
}
