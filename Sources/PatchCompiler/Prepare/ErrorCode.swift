import ModuleABI

/// Swift text for errors of functions that say no more than `throws`: which type an error is of
/// crosses with it.
enum ErrorCode {
    /// The function of the app that decodes an error of any type that can be named in the file.
    static func decoder(of function: RoutableFunction) -> String {
        "op_error_" + suffix(function.place.file)
    }

    static func suffix(_ file: String) -> String { DeclarationID.hex16(DeclarationID.hash(file)) }

    /// What tells an error's type apart, its shape included.
    static func key(_ type: ValueType) -> String {
        "0x" + DeclarationID.hex16(DeclarationID.hash("error " + type.reference.canonical))
    }

    /// The decoder for one file.
    static func decoder(_ errors: [ValueType], file: String) -> String {
        let branches = errors.map {
            "    case \(key($0)): error = try \(TypeCode.decoder($0.reference))(&reader)\n"
        }
        return """
            fileprivate nonisolated func op_error_\(suffix(file))\
            (_ reader: inout MessagePackReader) throws -> any Error {
                let error: any Error
                try reader.enter()
                try reader.arrayHeader(exactly: 2)
                switch try reader.integer(UInt64.self) {
                case 0: error = PatchCall.nativeError(try reader.integer(UInt64.self))
            \(branches.joined())    default: try reader.refuse()
                }
                reader.leave()
                return error
            }

            """
    }
}
