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
        root = FileNode(number: 1, kind: .directory, depth: 0, parent: 1)
    }

    /// Puts a file at `path`, making the folders on the way.
    /// - Throws: ``WASIFileSystemError`` when the path does not fit or the system is full.
    public func write(_ bytes: [UInt8], to path: String) throws {
        try explaining(path) {
            var parts = Self.parts(of: path)
            guard let name = parts.popLast() else { throw WASIErrno.isDirectory }
            let folder = try makeFolders(parts)
            let file = try folder.child(name) ?? makeNode(.file, named: name, in: folder)
            guard file.kind == .file else { throw WASIErrno.isDirectory }
            try resize(file, to: bytes.count)
            file.bytes = bytes
        }
    }

    /// Makes the folder at `path`, and those on the way, where they do not exist.
    /// - Throws: ``WASIFileSystemError`` when the path does not fit or the system is full.
    public func makeDirectory(_ path: String) throws {
        try explaining(path) { _ = try makeFolders(Self.parts(of: path)) }
    }

    /// The contents of the file at `path`, or nil when there is none.
    public func read(_ path: String) -> [UInt8]? {
        guard let node = find(path), node.kind == .file else { return nil }
        return node.bytes
    }

    /// The names in the folder at `path`, sorted, or nil when there is no such folder.
    public func list(_ path: String) -> [String]? {
        guard let node = find(path), node.kind == .directory else { return nil }
        return node.children.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    private func explaining(_ path: String, _ body: () throws -> Void) throws {
        do { try body() } catch let errno as WASIErrno {
            throw WASIFileSystemError(path: path, errno: errno)
        }
    }

    /// The names of a path that the host gives: from the root, whether it begins with `/` or not.
    private static func parts(of path: String) -> [FileName] {
        path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
    }

    private func find(_ path: String) -> FileNode? {
        let names = Array(Self.parts(of: path).joined(separator: [UInt8(ascii: "/")]))
        return names.isEmpty ? root : try? look(names, from: root, .always).node
    }

    private func makeFolders(_ names: [FileName]) throws -> FileNode {
        var folder = root
        for name in names {
            guard !name.elementsEqual("..".utf8) else { throw WASIErrno.notCapable }
            if name.elementsEqual(".".utf8) { continue }
            guard name.count <= 255 else { throw WASIErrno.nameTooLong }
            folder = try folder.child(name) ?? makeNode(.directory, named: name, in: folder)
        }
        guard folder.kind == .directory else { throw WASIErrno.notDirectory }
        return folder
    }

    // MARK: - What the system calls stand on

    func makeNode(
        _ kind: FileNode.Kind, named name: FileName, in folder: FileNode, time: UInt64 = 0
    ) throws -> FileNode {
        guard folder.depth < FileNode.maximumDepth else { throw WASIErrno.nameTooLong }
        try takeName(in: folder)
        lastNumber += 1
        let node = FileNode(
            number: lastNumber, kind: kind, depth: folder.depth + 1, parent: folder.number)
        node.touch(time)
        folder.children[name] = node
        folder.modified = time
        return node
    }

    /// Gives a file one more name.
    func link(_ node: FileNode, named name: FileName, in folder: FileNode, time: UInt64) throws {
        try takeName(in: folder)
        node.names += 1
        node.changed = time
        folder.children[name] = node
        folder.modified = time
    }

    /// Counts a new name in a folder: each costs memory, whether or not the node is new.
    private func takeName(in folder: FileNode) throws {
        guard folder.kind == .directory else { throw WASIErrno.notDirectory }
        guard !folder.isRemoved else { throw WASIErrno.noEntry }
        guard usedNodes < maximumNodes else { throw WASIErrno.noSpace }
        usedNodes += 1
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

    /// Takes a name out of a folder. The node's bytes count until its last name is gone and its
    /// last descriptor closed.
    func remove(_ name: FileName, from folder: FileNode) {
        guard let node = folder.children.removeValue(forKey: name) else { return }
        node.names -= 1
        usedNodes -= 1
        release(node)
    }

    /// Gives back the bytes of a file that nothing refers to any more.
    func release(_ node: FileNode) {
        guard node.isRemoved, node.openCount == 0, node.kind != .directory else { return }
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
