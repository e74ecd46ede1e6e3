import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files of the machine below one folder, which is made when something is first written.
public struct LocalFileStore: FileStore {
    /// Called with what is about to be asked of the system, and of which file; what it throws, the
    /// operation throws.
    public typealias Probe = @Sendable (FileStep, String) throws -> Void

    /// The folder that names are relative to.
    public var folder: URL { URL(fileURLWithPath: root, isDirectory: true) }
    private let root: String
    private let probe: Probe?

    /// Files below `folder`, which need not exist yet.
    /// - Parameter probe: lets a test fail, or end the process, before any step.
    public init(folder: URL, probe: Probe? = nil) {
        self.init(path: Self.path(of: folder), probe: probe)
    }

    /// `URL.path`, whose first use in a process takes longer than opening a file.
    private static func path(of folder: URL) -> String {
        let text = folder.absoluteString
        guard text.hasPrefix("file:///"), !text.utf8.contains(UInt8(ascii: "%")),
            !text.utf8.contains(UInt8(ascii: "?")), !text.utf8.contains(UInt8(ascii: "#"))
        else { return folder.path }
        let path = text.dropFirst(7)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : String(path)
    }

    /// Files below the folder at an absolute path, which need not exist yet. The first URL of a
    /// process takes its time, so a start of an app makes none.
    public init(path: String, probe: Probe? = nil) {
        root = path
        self.probe = probe
    }

    /// The absolute path of `name`.
    /// - Throws: ``FileError`` when the name is absolute, empty or climbs.
    public func path(_ name: String) throws -> String {
        if name == "." { return root }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
        }
        guard isSafe else { throw FileError(.badName, name: name) }
        return root + "/" + name
    }

    /// See ``FileStore/read(_:maximumSize:)``.
    public func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        try probe?(.open, name)
        let descriptor = open(try path(name), O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError.reading(name)
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw FileError.reading(name) }
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw FileError(.unreadable, name: name, systemError: EISDIR)
        }
        guard information.st_size <= maximumSize else { throw FileError(.tooLarge, name: name) }
        try probe?(.read, name)
        return try Self.readAll(
            descriptor, sizeHint: Int(information.st_size), maximumSize: maximumSize, name: name)
    }

    // Reads to the end rather than to the size first seen, because another process may be
    // writing; the bound holds all the same.
    private static func readAll(
        _ descriptor: Int32, sizeHint: Int, maximumSize: Int, name: String
    ) throws -> [UInt8] {
        var problem: FileError?
        // All of it at once, as a rule.
        var bytes = [UInt8](unsafeUninitializedCapacity: sizeHint) { buffer, filled in
            while filled < sizeHint {
                let count = systemRead(
                    descriptor, buffer.baseAddress.map { $0 + filled }, sizeHint - filled)
                if count < 0, errno == EINTR { continue }
                if count < 0 { problem = FileError.reading(name) }
                guard count > 0 else { return }
                filled += count
            }
        }
        if let problem { throw problem }
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = part.withUnsafeMutableBytes { buffer in
                systemRead(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError.reading(name)
            }
            if count == 0 { return bytes }
            guard bytes.count + count <= maximumSize else {
                throw FileError(.tooLarge, name: name)
            }
            bytes.append(contentsOf: part[..<count])
        }
    }

    /// See ``FileStore/writeAtomically(_:to:)``.
    public func writeAtomically(_ bytes: [UInt8], to name: String) throws {
        try replace(name, with: bytes)
        try probe?(.syncFolder, name)
        try syncFolder(of: try path(name), name: name)
    }

    /// See ``FileStore/writeVerifiable(_:to:)``.
    public func writeVerifiable(_ bytes: [UInt8], to name: String) throws {
        try replace(name, with: bytes)
    }

    private func replace(_ name: String, with bytes: [UInt8]) throws {
        let target = try path(name)
        try makeFolder(of: name)
        // No other process and no other thread writes into this temporary file.
        let temporary = target + ".\(getpid())-\(Self.turn()).tmp"
        do {
            try probe?(.open, name)
            let writer = try LocalFileWriter(
                path: temporary, name: name, appending: false, probe: probe)
            try bytes.withUnsafeBytes { try writer.write($0) }
            try writer.finish()
            try probe?(.rename, name)
            guard rename(temporary, target) == 0 else { throw FileError.writing(name) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static let turns = Lock(0)

    /// A number that no other write in progress has. Numbers come again, so that a process which
    /// is killed again and again leaves few names behind.
    private static func turn() -> Int {
        turns.withLock {
            $0 = ($0 + 1) % 64
            return $0
        }
    }

    /// See ``FileStore/openForWriting(_:appending:)``.
    public func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        try makeFolder(of: name)
        try probe?(.open, name)
        return try LocalFileWriter(
            path: try path(name), name: name, appending: appending, probe: probe)
    }

    /// See ``FileStore/openForReading(_:)``.
    public func openForReading(_ name: String) throws -> (any FileReader)? {
        try probe?(.open, name)
        return try LocalFileReader(path: try path(name), name: name, probe: probe)
    }

    /// See ``FileStore/move(_:to:)``.
    public func move(_ name: String, to target: String) throws {
        try makeFolder(of: target)
        let to = try path(target)
        try probe?(.rename, name)
        guard rename(try path(name), to) == 0 else { throw FileError.writing(name) }
        try probe?(.syncFolder, target)
        try syncFolder(of: to, name: target)
    }

    /// See ``FileStore/remove(_:)``.
    public func remove(_ name: String) throws {
        let target = try path(name)
        try probe?(.remove, name)
        if unlink(target) == 0 || errno == ENOENT || errno == ENOTDIR { return }
        do {
            try FileManager.default.removeItem(atPath: target)
        } catch {
            throw FileError(.readOnly, name: name, systemError: EACCES)
        }
    }

    /// See ``FileStore/list(_:)``.
    public func list(_ folder: String) throws -> [String] {
        let target = try path(folder)
        try probe?(.list, folder)
        guard let stream = opendir(target) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw FileError.reading(folder)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return Self.sorted(names)
    }

    /// In order, without the machinery of the first sort in a process: most folders hold little.
    private static func sorted(_ names: [String]) -> [String] {
        guard names.count <= 16 else { return names.sorted() }
        var ordered: [String] = []
        ordered.reserveCapacity(names.count)
        for name in names {
            var place = ordered.count
            while place > 0, name < ordered[place - 1] { place -= 1 }
            ordered.insert(name, at: place)
        }
        return ordered
    }

    /// See ``FileStore/size(of:)``.
    public func size(of name: String) throws -> Int? {
        try probe?(.size, name)
        var information = stat()
        guard stat(try path(name), &information) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError.reading(name)
        }
        return Int(information.st_size)
    }

    /// See ``FileStore/freeBytes()``.
    public func freeBytes() -> UInt64? {
        var information = statvfs()
        var place = root
        while statvfs(place, &information) != 0 {
            let parent = Self.parent(of: place)
            if parent == place || parent.isEmpty { return nil }
            place = parent
        }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }

    /// See ``FileStore/lock(_:wait:)``.
    public func lock(_ name: String, wait: Bool) throws -> FileLock? {
        try makeFolder(of: name)
        try probe?(.lock, name)
        return try FileLock.take(path: try path(name), name: name, wait: wait)
    }

    /// See ``FileStore/lockForReading(_:)``.
    public func lockForReading(_ name: String) throws -> FileLock?? {
        try probe?(.lock, name)
        return try FileLock.takeForReading(path: try path(name), name: name)
    }

    private func makeFolder(of name: String) throws {
        let parent = Self.parent(of: try path(name))
        var information = stat()
        if stat(parent, &information) == 0 { return }
        try probe?(.makeFolder, name)
        do {
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true)
        } catch {
            throw FileError(.readOnly, name: name, systemError: EACCES)
        }
    }

    /// The folder that an absolute path lies in; of the root, the root.
    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // A rename is durable only once the folder that holds the name is.
    private func syncFolder(of path: String, name: String) throws {
        let parent = Self.parent(of: path)
        let descriptor = open(parent, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError.writing(name) }
        defer { close(descriptor) }
        // Some file systems refuse fsync on folders; then there is nothing more to do.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileError.writing(name) }
    }
}

final class LocalFileWriter: FileWriter {
    private var descriptor: Int32
    private let name: String
    private let probe: LocalFileStore.Probe?

    init(path: String, name: String, appending: Bool, probe: LocalFileStore.Probe?) throws {
        self.name = name
        self.probe = probe
        let mode = O_WRONLY | O_CREAT | O_CLOEXEC | (appending ? O_APPEND : O_TRUNC)
        descriptor = open(path, mode, 0o600)
        if descriptor < 0 { throw FileError.writing(name) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let probe else { return try writeAll(bytes) }
        // In halves, so that a probe can stop in the middle.
        let half = bytes.count / 2
        try probe(.write, name)
        try writeAll(UnsafeRawBufferPointer(rebasing: bytes[..<half]))
        try probe(.write, name)
        try writeAll(UnsafeRawBufferPointer(rebasing: bytes[half...]))
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = systemWrite(descriptor, part.baseAddress, part.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError.writing(name)
            }
            rest = rest.dropFirst(count)
        }
    }

    func finish() throws {
        try probe?(.sync, name)
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileError.writing(name) }
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw FileError.writing(name) }
    }
}

final class LocalFileReader: FileReader {
    private let descriptor: Int32
    private let name: String
    private let probe: LocalFileStore.Probe?

    /// Nil when there is no such file.
    init?(path: String, name: String, probe: LocalFileStore.Probe?) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.name = name
        self.probe = probe
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError.reading(name)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(upTo count: Int) throws -> [UInt8] {
        guard count > 0 else { return [] }
        try probe?(.read, name)
        while true {
            var failed = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let got = systemRead(descriptor, buffer.baseAddress, count)
                failed = got < 0
                filled = max(0, got)
            }
            if !failed { return bytes }
            guard errno == EINTR else { throw FileError.reading(name) }
        }
    }
}

extension FileError {
    static func reading(_ name: String) -> FileError {
        FileError(.unreadable, name: name, systemError: errno)
    }

    static func writing(_ name: String) -> FileError {
        let reason: Code
        switch errno {
        case EACCES, EPERM, EROFS: reason = .readOnly
        case ENOSPC, EDQUOT: reason = .diskFull
        default: reason = .failed
        }
        return FileError(reason, name: name, systemError: errno)
    }

    var systemText: String { String(cString: strerror(systemError)) }
}

// Named apart from the methods `read` and `write`, which would hide the C functions.
private func systemRead(_ file: Int32, _ to: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, to, count)
}

private func systemWrite(_ file: Int32, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, from, count)
}
