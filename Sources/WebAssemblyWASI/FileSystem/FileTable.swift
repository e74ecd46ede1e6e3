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
            entries[Self.rootDescriptor] = .node(OpenNode(fileSystem.root))
            fileSystem.root.openCount += 1
        }
    }

    func entry(_ descriptor: UInt32) throws -> Entry {
        guard let entry = entries[descriptor] else { throw WASIErrno.badDescriptor }
        return entry
    }

    func node(_ descriptor: UInt32) throws -> OpenNode {
        guard case .node(let open) = try entry(descriptor) else {
            throw WASIErrno.badDescriptor
        }
        return open
    }

    func file(_ descriptor: UInt32) throws -> OpenNode {
        let open = try node(descriptor)
        guard open.node.kind == .file else { throw WASIErrno.isDirectory }
        return open
    }

    /// The folder that paths relative to `descriptor` start from, and the system it lies in.
    func folder(_ descriptor: UInt32) throws -> (system: WASIFileSystem, node: FileNode) {
        let open = try node(descriptor)
        guard open.node.kind == .directory else { throw WASIErrno.notDirectory }
        guard let fileSystem else { throw WASIErrno.badDescriptor }
        return (fileSystem, open.node)
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
        guard from != Self.rootDescriptor, to != Self.rootDescriptor else {
            throw WASIErrno.notSupported
        }
        try close(to)
        entries[from] = nil
        entries[to] = moved
    }
}

/// An open file or folder, with its position.
final class OpenNode {
    let node: FileNode
    var position = 0
    var appends = false
    var mayRead = true
    var mayWrite = true
    /// What a folder held when reading it began, so that cookies stay valid while it changes.
    var listing: [(name: FileName, number: UInt64, type: UInt8)]?

    init(_ node: FileNode) { self.node = node }
}
