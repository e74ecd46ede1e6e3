/// Files below one folder, named by relative paths with `/` between the parts.
///
/// All errors are ``FileError``. Names that are absolute, empty or climb with `..` are refused.
public protocol FileStore: Sendable {
    /// The contents, or nil when there is no such file.
    /// - Throws: ``FileError`` with code `file_too_large` before reading more than `maximumSize`
    ///   bytes, else what the system said.
    func read(_ name: String, maximumSize: Int) throws -> [UInt8]?

    /// Writes a file so that after a crash either the old or the new contents are found whole:
    /// temporary file, fsync, rename, fsync of the folder. Makes folders on the way.
    func writeAtomically(_ bytes: [UInt8], to name: String) throws

    /// The same for bytes that are verified whenever they are read: after a power cut the file may
    /// be the old one, though never half of either. Saves waiting for the folder.
    func writeVerifiable(_ bytes: [UInt8], to name: String) throws

    /// Opens a file for writing from the start (or its end); makes folders on the way.
    func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter

    /// Opens a file for reading piece by piece; nil when there is no such file.
    func openForReading(_ name: String) throws -> (any FileReader)?

    /// Gives a whole file another name (same folder tree), replacing what stood there, durably.
    func move(_ name: String, to target: String) throws

    /// Removes a file, or a folder with all in it. No error when it is not there.
    func remove(_ name: String) throws

    /// Names (not paths) of what lies in a folder, sorted; empty when there is no such folder.
    func list(_ folder: String) throws -> [String]

    /// Size in bytes, or nil when there is no such file.
    func size(of name: String) throws -> Int?

    /// Bytes that may still be written on this disk, or nil when the system does not say.
    func freeBytes() -> UInt64?

    /// Takes the advisory lock of `name` for this process until the result is released.
    /// - Parameter wait: false to get nil at once when another process holds it.
    func lock(_ name: String, wait: Bool) throws -> FileLock?

    /// Takes the same lock as a reader, together with other readers, and makes no file.
    /// - Returns: nil when a writer holds it, `.some(nil)` when there is no such file and so no
    ///   writer either.
    func lockForReading(_ name: String) throws -> FileLock??
}

extension FileStore {
    /// As durable as any other file, where a store makes no difference.
    public func writeVerifiable(_ bytes: [UInt8], to name: String) throws {
        try writeAtomically(bytes, to: name)
    }
}

extension FileStore {
    /// A store that only one process sees needs no lock to be read.
    public func lockForReading(_ name: String) throws -> FileLock?? { .some(nil) }

    /// Reads the whole file at once, for stores that know no better.
    public func openForReading(_ name: String) throws -> (any FileReader)? {
        guard let bytes = try read(name, maximumSize: .max) else { return nil }
        return BytesReader(bytes)
    }
}

/// A file being read.
public protocol FileReader: AnyObject {
    /// The next bytes, at most `count`; empty at the end.
    /// - Throws: ``FileError``.
    func read(upTo count: Int) throws -> [UInt8]
}

private final class BytesReader: FileReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func read(upTo count: Int) throws -> [UInt8] {
        let piece = rest.prefix(max(0, count))
        rest = rest.dropFirst(piece.count)
        return Array(piece)
    }
}

/// What a store asks of the system.
public enum FileStep: String, Sendable, CaseIterable {
    case open, read, write, sync, rename, remove, list, size, lock
    case syncFolder = "sync folder"
    case makeFolder = "make folder"
}

/// A file being written.
public protocol FileWriter: AnyObject {
    /// Adds bytes at the end.
    func write(_ bytes: UnsafeRawBufferPointer) throws
    /// Makes what was written durable and closes the file. Without it the file is closed by
    /// deinit, of whatever length it then is.
    func finish() throws
}

/// What went wrong with a file, in words a user can act on.
public struct FileError: Error, Equatable, CustomStringConvertible {
    /// The stable codes.
    public enum Code: String, Sendable {
        case badName = "file_name_refused"
        case unreadable = "file_unreadable"
        case readOnly = "folder_read_only"
        case diskFull = "disk_full"
        case tooLarge = "file_too_large"
        case failed = "file_failed"
    }

    /// What went wrong.
    public let reason: Code
    /// The name as given by the caller.
    public let name: String
    /// The system's error number, 0 when it is not the system's.
    public let systemError: Int32

    /// An error about `name`.
    public init(_ reason: Code, name: String, systemError: Int32 = 0) {
        self.reason = reason
        self.name = name
        self.systemError = systemError
    }

    /// The stable snake_case code.
    public var code: String { reason.rawValue }

    /// What happened and what to do.
    public var description: String {
        switch reason {
        case .badName:
            return "'\(name)' is not a name inside the folder; use a relative path without '..'."
        case .unreadable:
            return "'\(name)' cannot be read (\(systemText)); check its owner and permissions."
        case .readOnly:
            return "'\(name)' cannot be written (\(systemText)); make its folder writable for "
                + "this program or choose another one."
        case .diskFull: return "'\(name)' cannot be written: the disk is full; free some space."
        case .tooLarge: return "'\(name)' is larger than it may be; it was not read."
        case .failed: return "'\(name)' failed: \(systemText)."
        }
    }
}
