/// A file system that lies in memory, for guests that expect one. It is bounded, it starts
/// empty, and no path in it leads to the host's files.
public final class WASIFileSystem {
    let root: FileNode
    private let maximumBytes: Int
    private let maximumNodes: Int
    private var usedBytes = 0
    private var usedNodes = 1
    private var lastNumber: UInt64 = 1

    /// Makes an empty file system.
    /// - Parameters:
    ///   - maximumBytes: what all files together may hold.
    ///   - maximumNodes: how many files and folders there may be.
    public init(maximumBytes: Int = 64 << 20, maximumNodes: Int = 10_000) {
        self.maximumBytes = maximumBytes
        self.maximumNodes = maximumNodes
        root = FileNode(number: 1, kind: .directory, depth: 0)
    }

    /// Puts a file at `path`, making the folders on the way.
    /// - Throws: ``WASIFileSystemError`` when the path does not fit or the system is full.
    public func write(_ bytes: [UInt8], to path: String) throws {
        do {
            var folder = root
            var components = try FilePath.components(path)
            guard let name = components.popLast() else { throw WASIErrno.isDirectory }
            for component in components {
                folder =
                    try folder.child(component)
                    ?? makeNode(.directory, named: component, in: folder)
            }
            let file = try folder.child(name) ?? makeNode(.file, named: name, in: folder)
            guard file.kind == .file else { throw WASIErrno.isDirectory }
            try resize(file, to: bytes.count)
            file.bytes = bytes
        } catch let errno as WASIErrno {
            throw WASIFileSystemError(path: path, errno: errno)
        }
    }

    /// The contents of the file at `path`, or nil when there is none.
    public func read(_ path: String) -> [UInt8]? {
        guard let node = try? find(FilePath.components(path), from: root), node.kind == .file
        else { return nil }
        return node.bytes
    }

    /// The names in the folder at `path`, sorted, or nil when there is no such folder.
    public func list(_ path: String) -> [String]? {
        guard let node = try? find(FilePath.components(path), from: root),
            node.kind == .directory
        else { return nil }
        return node.children.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    // MARK: - What the system calls stand on

    func find(_ path: [FileName], from start: FileNode) throws -> FileNode {
        var node = start
        for component in path {
            guard let next = try node.child(component) else { throw WASIErrno.noEntry }
            node = next
        }
        return node
    }

    func makeNode(
        _ kind: FileNode.Kind, named name: FileName, in folder: FileNode, time: UInt64 = 0
    ) throws -> FileNode {
        guard folder.kind == .directory else { throw WASIErrno.notDirectory }
        guard !folder.isRemoved else { throw WASIErrno.noEntry }
        guard folder.depth < FileNode.maximumDepth else { throw WASIErrno.nameTooLong }
        guard usedNodes < maximumNodes else { throw WASIErrno.noSpace }
        usedNodes += 1
        lastNumber += 1
        let node = FileNode(number: lastNumber, kind: kind, depth: folder.depth + 1)
        node.touch(time)
        folder.children[name] = node
        folder.modified = time
        return node
    }

    /// Makes room for, or gives back, the bytes of a file.
    func resize(_ file: FileNode, to size: Int) throws {
        let grown = size - file.bytes.count
        guard size >= 0, grown <= maximumBytes - usedBytes else { throw WASIErrno.noSpace }
        if grown > 0 {
            file.bytes.append(contentsOf: repeatElement(0, count: grown))
        } else {
            file.bytes.removeLast(-grown)
        }
        usedBytes += grown
    }

    /// Takes a node out of its folder. Its bytes count until the last descriptor is closed.
    func remove(_ name: FileName, from folder: FileNode) {
        guard let node = folder.children.removeValue(forKey: name) else { return }
        node.isRemoved = true
        usedNodes -= 1
        release(node)
    }

    /// Gives back the bytes of a file that nothing refers to any more.
    func release(_ node: FileNode) {
        guard node.isRemoved, node.openCount == 0, node.kind == .file else { return }
        usedBytes -= node.bytes.count
        node.bytes = []
    }
}

/// Why the host could not put a file into a ``WASIFileSystem``.
public struct WASIFileSystemError: Error, CustomStringConvertible {
    /// The path that was asked for.
    public let path: String
    let errno: WASIErrno

    /// A stable name for the failure.
    public var code: String { "wasi_file_system" }

    /// The failure as a sentence.
    public var description: String {
        switch errno {
        case .noSpace: "'\(path)' does not fit; give the file system a larger limit"
        case .notDirectory, .isDirectory: "a part of '\(path)' is a file where a folder is needed"
        default: "'\(path)' is not a path inside the file system"
        }
    }
}
