/// The guest's open descriptors: three standard streams, the root folder when there is a file
/// system, and what the guest opens.
struct FileTable {
    enum Entry {
        case input
        case output
        case error
        case node(OpenNode)
    }

    let fileSystem: WASIFileSystem?
    private var entries: [UInt32: Entry] = [0: .input, 1: .output, 2: .error]
    private static let maximum = 1024

    /// The descriptor of the folder that the guest is given, "preopened" in WASI's words.
    static let rootDescriptor: UInt32 = 3
    static let rootName = "/"

    init(fileSystem: WASIFileSystem?) {
        self.fileSystem = fileSystem
        if let fileSystem {
            entries[Self.rootDescriptor] = .node(
                OpenNode(fileSystem.root, rights: .folder, inheriting: .all))
            fileSystem.root.openCount += 1
        }
    }

    func entry(_ descriptor: UInt32) throws -> Entry {
        guard let entry = entries[descriptor] else { throw WASIErrno.badDescriptor }
        return entry
    }

    /// What is open under `descriptor`, to be used with `right`.
    /// - Throws: `EBADF`; `ENOTCAPABLE` without the right.
    func node(_ descriptor: UInt32, _ right: WASIRights = []) throws -> OpenNode {
        guard case .node(let open) = try entry(descriptor) else {
            throw WASIErrno.badDescriptor
        }
        guard open.rights.isSuperset(of: right) else { throw WASIErrno.notCapable }
        return open
    }

    /// The file that is open under `descriptor`, to be used with `right`.
    /// - Throws: `EBADF`; `EISDIR`; `ENOTCAPABLE` without the right.
    func file(_ descriptor: UInt32, _ right: WASIRights = []) throws -> OpenNode {
        guard try node(descriptor).node.kind == .file else { throw WASIErrno.isDirectory }
        return try node(descriptor, right)
    }

    /// The folder that paths relative to `descriptor` start from, and the system it lies in.
    /// - Throws: `EBADF`; `ENOTDIR`; `ENOTCAPABLE` without the right.
    func folder(
        _ descriptor: UInt32, _ right: WASIRights
    ) throws -> (system: WASIFileSystem, open: OpenNode) {
        guard try node(descriptor).node.kind == .directory else { throw WASIErrno.notDirectory }
        guard let fileSystem else { throw WASIErrno.badDescriptor }
        return (fileSystem, try node(descriptor, right))
    }

    /// Gives the lowest free number, as POSIX does.
    mutating func open(_ open: OpenNode) throws -> UInt32 {
        guard entries.count < Self.maximum,
            let free = (3..<UInt32(Self.maximum + 3)).first(where: { entries[$0] == nil })
        else { throw WASIErrno.tooManyFiles }
        entries[free] = .node(open)
        open.node.openCount += 1
        return free
    }

    mutating func close(_ descriptor: UInt32) throws {
        let entry = try entry(descriptor)
        entries[descriptor] = nil
        if case .node(let open) = entry {
            open.node.openCount -= 1
            fileSystem?.release(open.node)
        }
    }

    mutating func renumber(_ from: UInt32, to: UInt32) throws {
        let moved = try entry(from)
        _ = try entry(to)
        guard from != to else { return }
        try close(to)
        entries[from] = nil
        entries[to] = moved
    }
}

/// An open file or folder, with its position.
final class OpenNode {
    let node: FileNode
    var position = 0
    /// The `fdflags` that it was opened with. In memory, writing is always as synchronous as asked.
    var flags: UInt16 = 0
    /// What it may be used for, and what it hands on to what is opened below it.
    var rights: WASIRights
    var inheriting: WASIRights
    /// What a folder held when reading it began, so that cookies stay valid while it changes.
    var listing: [(name: FileName, number: UInt64, type: UInt8)]?

    init(_ node: FileNode, rights: WASIRights, inheriting: WASIRights) {
        self.node = node
        self.rights = rights
        self.inheriting = inheriting
    }

    var appends: Bool { flags & 1 != 0 }
    static let knownFlags: UInt32 = 31
}
