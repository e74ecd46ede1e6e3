/// A name as the guest wrote it. Bytes, because Swift's strings hold two spellings of one
/// character equal and a guest's file names must not.
typealias FileName = [UInt8]

/// A file or folder in memory.
final class FileNode {
    enum Kind { case file, directory }

    let number: UInt64
    let kind: Kind
    var bytes: [UInt8] = []
    var children: [FileName: FileNode] = [:]
    var accessed: UInt64 = 0
    var modified: UInt64 = 0
    var changed: UInt64 = 0
    /// Taken out of its folder while descriptors may still be open.
    var isRemoved = false
    var openCount = 0
    /// How many folders lie above. Bounded, since freeing a tree recurses as deep as it is.
    var depth: Int
    static let maximumDepth = 256

    init(number: UInt64, kind: Kind, depth: Int) {
        self.number = number
        self.kind = kind
        self.depth = depth
    }

    /// How many levels lie below.
    var height: Int { 1 + (children.values.map(\.height).max() ?? -1) }

    /// Sets the depth of a moved tree.
    func move(to depth: Int) {
        self.depth = depth
        for child in children.values { child.move(to: depth + 1) }
    }

    /// Whether `other` is this node or lies anywhere below it.
    func holds(_ other: FileNode) -> Bool {
        self === other || children.values.contains { $0.holds(other) }
    }

    func touch(_ time: UInt64) {
        accessed = time
        modified = time
        changed = time
    }

    func child(_ name: FileName) throws -> FileNode? {
        guard kind == .directory else { throw WASIErrno.notDirectory }
        return children[name]
    }

    /// The number of the type in preview 1's `filetype`.
    var fileType: UInt8 { kind == .file ? 4 : 3 }

    /// The guest's `filestat`.
    var status: [UInt8] {
        var layout = StructureLayout(size: 64)
        layout.put(UInt64(1), at: 0)
        layout.put(number, at: 8)
        layout.put(fileType, at: 16)
        layout.put(UInt64(isRemoved ? 0 : 1), at: 24)
        layout.put(UInt64(bytes.count), at: 32)
        layout.put(accessed, at: 40)
        layout.put(modified, at: 48)
        layout.put(changed, at: 56)
        return layout.bytes
    }
}

enum FilePath {
    /// The names on the way from a folder to `path`.
    /// - Throws: `ENOTCAPABLE` for a path that would leave that folder.
    static func components(_ path: String) throws -> [FileName] {
        var names: [FileName] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            if part.elementsEqual(".".utf8) { continue }
            if part.elementsEqual("..".utf8) {
                guard names.popLast() != nil else { throw WASIErrno.notCapable }
                continue
            }
            guard part.count <= 255 else { throw WASIErrno.nameTooLong }
            names.append(Array(part))
        }
        guard names.count <= FileNode.maximumDepth else { throw WASIErrno.nameTooLong }
        return names
    }
}
