/// A name as the guest wrote it. Bytes, because Swift's strings hold two spellings of one
/// character equal and a guest's file names must not.
typealias FileName = [UInt8]

/// A file, folder or symbolic link in memory.
final class FileNode {
    enum Kind { case file, directory, link }

    let number: UInt64
    let kind: Kind
    /// What a file holds; of a link, the path that it stands for.
    var bytes: [UInt8] = []
    var children: [FileName: FileNode] = [:]
    var accessed: UInt64 = 0
    var modified: UInt64 = 0
    var changed: UInt64 = 0
    /// How many names it has. At zero it is gone, but for descriptors that are still open.
    var names = 1
    var isRemoved: Bool { names == 0 }
    var openCount = 0
    /// The number of the folder that it lies in, which `..` in a listing tells.
    var parent: UInt64
    /// How many folders lie above. Bounded, since freeing a tree recurses as deep as it is.
    var depth: Int
    static let maximumDepth = 256

    init(number: UInt64, kind: Kind, depth: Int, parent: UInt64) {
        self.number = number
        self.kind = kind
        self.depth = depth
        self.parent = parent
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
    var fileType: UInt8 {
        switch kind {
        case .directory: 3
        case .file: 4
        case .link: 7
        }
    }

    /// The guest's `filestat`.
    var status: [UInt8] {
        var layout = StructureLayout(size: 64)
        layout.put(UInt64(1), at: 0)
        layout.put(number, at: 8)
        layout.put(fileType, at: 16)
        layout.put(UInt64(names), at: 24)
        layout.put(UInt64(bytes.count), at: 32)
        layout.put(accessed, at: 40)
        layout.put(modified, at: 48)
        layout.put(changed, at: 56)
        return layout.bytes
    }
}
