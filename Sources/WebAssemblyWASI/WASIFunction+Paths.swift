// Files by path. Every path starts at an open folder and may not leave it.

extension WASIFunction {
    private static let maximumPath = 4096

    static let paths: [WASIFunction] = [
        WASIFunction("path_open", "iiiiillii") { system, memory, call in
            try openPath(system, memory, call)
        },
        WASIFunction("path_create_directory", "iii") { system, memory, call in
            let place = try place(system, memory, call[0], call[1], call[2])
            guard try place.folder.child(place.name) == nil else { throw WASIErrno.exists }
            _ = try place.system.makeNode(
                .directory, named: place.name, in: place.folder, time: system.stamp)
        },
        WASIFunction("path_filestat_get", "iiiii") { system, memory, call in
            let node = try node(system, memory, call[0], call[2], call[3])
            try memory.write(node.status, at: call[4])
        },
        WASIFunction("path_filestat_set_times", "iiiilli") { system, memory, call in
            let node = try node(system, memory, call[0], call[2], call[3])
            try setTimes(node, call.long(4), call.long(5), call[6], now: system.stamp)
        },
        WASIFunction("path_unlink_file", "iii") { system, memory, call in
            let place = try place(system, memory, call[0], call[1], call[2])
            guard let node = try place.folder.child(place.name) else { throw WASIErrno.noEntry }
            guard node.kind == .file else { throw WASIErrno.isDirectory }
            place.system.remove(place.name, from: place.folder)
        },
        WASIFunction("path_remove_directory", "iii") { system, memory, call in
            let place = try place(system, memory, call[0], call[1], call[2])
            guard let node = try place.folder.child(place.name) else { throw WASIErrno.noEntry }
            guard node.kind == .directory else { throw WASIErrno.notDirectory }
            guard node.children.isEmpty else { throw WASIErrno.notEmpty }
            place.system.remove(place.name, from: place.folder)
        },
        WASIFunction("path_rename", "iiiiii") { system, memory, call in
            try rename(
                try place(system, memory, call[0], call[1], call[2]),
                to: try place(system, memory, call[3], call[4], call[5]))
        },
        // A file system in memory has no links.
        WASIFunction("path_link", "iiiiiii") { _, _, _ in throw WASIErrno.notSupported },
        WASIFunction("path_symlink", "iiiii") { _, _, _ in throw WASIErrno.notSupported },
        WASIFunction("path_readlink", "iiiiii") { system, memory, call in
            _ = try node(system, memory, call[0], call[1], call[2])
            throw WASIErrno.invalid
        },
    ]

    /// No guest gets a socket: what it may fetch goes through its app.
    static let sockets: [WASIFunction] = [
        WASIFunction("sock_accept", "iii") { _, _, _ in throw WASIErrno.notSupported },
        WASIFunction("sock_recv", "iiiiii") { _, _, _ in throw WASIErrno.notSocket },
        WASIFunction("sock_send", "iiiii") { _, _, _ in throw WASIErrno.notSocket },
        WASIFunction("sock_shutdown", "ii") { _, _, _ in throw WASIErrno.notSocket },
    ]

    // MARK: -

    /// Where a path leads: the folder, and the name in it, which need not exist.
    private struct Place {
        var system: WASIFileSystem
        var folder: FileNode
        var name: FileName
    }

    private static func components(
        _ memory: GuestMemory, _ address: UInt32, _ count: UInt32
    ) throws -> [FileName] {
        let path = try memory.text(at: address, count: count, limit: maximumPath)
        // An absolute path names the host's tree, which there is none of.
        guard path.utf8.first != UInt8(ascii: "/") else { throw WASIErrno.notCapable }
        guard !path.isEmpty else { throw WASIErrno.noEntry }
        return try FilePath.components(path)
    }

    private static func node(
        _ system: WASISystem, _ memory: GuestMemory, _ descriptor: UInt32, _ address: UInt32,
        _ count: UInt32
    ) throws -> FileNode {
        let start = try system.files.folder(descriptor)
        return try start.system.find(try components(memory, address, count), from: start.node)
    }

    private static func place(
        _ system: WASISystem, _ memory: GuestMemory, _ descriptor: UInt32, _ address: UInt32,
        _ count: UInt32
    ) throws -> Place {
        let start = try system.files.folder(descriptor)
        var path = try components(memory, address, count)
        guard let name = path.popLast() else { throw WASIErrno.invalid }
        return Place(
            system: start.system, folder: try start.system.find(path, from: start.node),
            name: name)
    }

    private static func openPath(
        _ system: WASISystem, _ memory: GuestMemory, _ call: WASIArguments
    ) throws {
        let (creates, wantsFolder) = (call[4] & 1 != 0, call[4] & 2 != 0)
        let (isExclusive, truncates) = (call[4] & 4 != 0, call[4] & 8 != 0)
        try memory.require(call[8], count: 4)
        let start = try system.files.folder(call[0])
        var path = try components(memory, call[2], call[3])
        let node: FileNode
        if let name = path.popLast() {
            let folder = try start.system.find(path, from: start.node)
            if let found = try folder.child(name) {
                guard !(creates && isExclusive) else { throw WASIErrno.exists }
                node = found
            } else {
                guard creates, !wantsFolder else { throw WASIErrno.noEntry }
                node = try start.system.makeNode(
                    .file, named: name, in: folder, time: system.stamp)
            }
        } else {
            node = start.node
        }
        if wantsFolder, node.kind != .directory { throw WASIErrno.notDirectory }
        let open = OpenNode(node)
        // Rights that preview 1 lets the guest give up: read is bit 1, write bit 6.
        open.mayRead = call.long(5) & 1 << 1 != 0
        open.mayWrite = call.long(5) & 1 << 6 != 0
        open.appends = call[7] & 1 != 0
        if node.kind == .directory, open.mayWrite, creates || truncates {
            throw WASIErrno.isDirectory
        }
        let descriptor = try system.files.open(open)
        if truncates, node.kind == .file {
            try start.system.resize(node, to: 0)
            node.modified = system.stamp
        }
        try memory.store(descriptor, at: call[8])
    }

    private static func rename(_ from: Place, to: Place) throws {
        guard let node = try from.folder.child(from.name) else { throw WASIErrno.noEntry }
        if let replaced = try to.folder.child(to.name) {
            if replaced === node { return }
            switch (node.kind, replaced.kind) {
            case (.file, .directory): throw WASIErrno.isDirectory
            case (.directory, .file): throw WASIErrno.notDirectory
            case (.directory, .directory) where !replaced.children.isEmpty:
                throw WASIErrno.notEmpty
            default: break
            }
        }
        // A folder inside itself would be lost, and never end when walked.
        guard !node.holds(to.folder) else { throw WASIErrno.invalid }
        guard !to.folder.isRemoved else { throw WASIErrno.noEntry }
        guard to.folder.depth + 1 + node.height <= FileNode.maximumDepth else {
            throw WASIErrno.nameTooLong
        }
        to.system.remove(to.name, from: to.folder)
        from.folder.children[from.name] = nil
        to.folder.children[to.name] = node
        node.move(to: to.folder.depth + 1)
    }
}
