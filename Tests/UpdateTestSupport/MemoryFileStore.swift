import Foundation
import PatchPlatform

/// Files in memory, which are copied as a value is: for tests that begin at one state thousands of
/// times. Locks are real ones of a folder, since the system grants them.
public final class MemoryFileStore: FileStore {
    private let files: Lock<[String: [UInt8]]>
    private let locks: LocalFileStore

    /// The files `start`, with locks below `folder`.
    public init(_ start: [String: [UInt8]] = [:], locksIn folder: URL) {
        files = Lock(start)
        locks = LocalFileStore(folder: folder)
    }

    /// All files by name.
    public var contents: [String: [UInt8]] { files.withLock { $0 } }

    /// See `FileStore`.
    public func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        guard let bytes = contents[name] else { return nil }
        guard bytes.count <= maximumSize else { throw FileError(.tooLarge, name: name) }
        return bytes
    }

    /// See `FileStore`.
    public func writeAtomically(_ bytes: [UInt8], to name: String) throws {
        files.withLock { $0[name] = bytes }
    }

    /// See `FileStore`.
    public func openForWriting(_ name: String, appending: Bool) throws -> any FileWriter {
        let start = appending ? contents[name] ?? [] : []
        return MemoryWriter(start) { [files] bytes in files.withLock { $0[name] = bytes } }
    }

    /// See `FileStore`.
    public func move(_ name: String, to target: String) throws {
        files.withLock { $0[target] = $0.removeValue(forKey: name) }
    }

    /// See `FileStore`.
    public func remove(_ name: String) throws {
        files.withLock { all in
            all = all.filter { $0.key != name && !$0.key.hasPrefix(name + "/") }
        }
    }

    /// See `FileStore`.
    public func list(_ folder: String) throws -> [String] {
        let prefix = folder + "/"
        let names = contents.keys.filter { $0.hasPrefix(prefix) }.compactMap {
            $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init)
        }
        return Set(names).sorted()
    }

    /// See `FileStore`.
    public func size(of name: String) throws -> Int? { contents[name]?.count }
    /// See `FileStore`.
    public func freeBytes() -> UInt64? { nil }
    /// See `FileStore`.
    public func lock(_ name: String, wait: Bool) throws -> FileLock? {
        try locks.lock(name, wait: wait)
    }
}

private final class MemoryWriter: FileWriter {
    private var bytes: [UInt8]
    private let store: ([UInt8]) -> Void

    init(_ start: [UInt8], _ store: @escaping ([UInt8]) -> Void) {
        bytes = start
        self.store = store
    }

    func write(_ piece: UnsafeRawBufferPointer) throws {
        bytes += piece
        store(bytes)
    }

    func finish() throws { store(bytes) }
}
