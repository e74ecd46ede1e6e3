// Files by path. Every path starts at an open folder and may not leave it.

extension WASIFunction {
    private static let maximumPath = 4096

    static let paths: [WASIFunction] = [
        WASIFunction("path_open", "iiiiillii") { system, memory, call in
            try openPath(system, memory, call)
        },
        WASIFunction("path_create_directory", "iii") { system, memory, call in
            let place = try place(system, memory, (call[0], call[1], call[2]), .createFolder)
            guard place.node == nil, let name = place.name else { throw WASIErrno.exists }
            _ = try place.system.makeNode(
                .directory, named: name, in: place.folder, time: system.stamp)
        },
        WASIFunction("path_filestat_get", "iiiii") { system, memory, call in
            let node = try node(
                system, memory, (call[0], call[2], call[3]), .pathStatus, lookup: call[1])
            try memory.write(node.status, at: call[4])
        },
        WASIFunction("path_filestat_set_times", "iiiilli") { system, memory, call in
            let node = try node(
                system, memory, (call[0], call[2], call[3]), .pathTimes, lookup: call[1])
            try setTimes(node, call.long(4), call.long(5), call[6], now: system.stamp)
        },
        WASIFunction("path_unlink_file", "iii") { system, memory, call in
            let place = try place(system, memory, (call[0], call[1], call[2]), .removeFile)
            guard try place.existing().kind != .directory else { throw WASIErrno.isDirectory }
            guard let name = place.name else { throw WASIErrno.isDirectory }
            place.system.remove(name, from: place.folder)
        },
        WASIFunction("path_remove_directory", "iii") { system, memory, call in
            let place = try place(system, memory, (call[0], call[1], call[2]), .removeFolder)
            let node = try place.existing()
            guard node.kind == .directory else { throw WASIErrno.notDirectory }
            guard let name = place.name else { throw WASIErrno.invalid }
            guard node.children.isEmpty else { throw WASIErrno.notEmpty }
            place.system.remove(name, from: place.folder)
        },
        WASIFunction("path_rename", "iiiiii") { system, memory, call in
            try rename(
                try place(system, memory, (call[0], call[1], call[2]), .renameSource),
                to: try place(system, memory, (call[3], call[4], call[5]), .renameTarget))
        },
        WASIFunction("path_link", "iiiiiii") { system, memory, call in
            let from = try place(system, memory, (call[0], call[2], call[3]), .linkSource)
            let to = try place(system, memory, (call[4], call[5], call[6]), .linkTarget)
            // To follow a link would make a name of what it stands for; preview 1 hosts refuse.
            guard call[1] & 1 == 0 else { throw WASIErrno.invalid }
            let node = try from.existing()
            let name = try to.newName()
            guard node.kind != .directory else { throw WASIErrno.notPermitted }
            try to.system.link(node, named: name, in: to.folder, time: system.stamp)
        },
        WASIFunction("path_symlink", "iiiii") { system, memory, call in
            let target = try memory.text(at: call[0], count: call[1], limit: maximumPath)
            let place = try place(system, memory, (call[2], call[3], call[4]), .createLink)
            let name = try place.newName()
            guard !target.isEmpty else { throw WASIErrno.noEntry }
            // It could not be followed: there is no tree above the root.
            guard !target.hasPrefix("/") else { throw WASIErrno.notPermitted }
            let link = try place.system.makeNode(
                .link, named: name, in: place.folder, time: system.stamp)
            do {
                try place.system.resize(link, to: target.utf8.count)
            } catch {
                place.system.remove(name, from: place.folder)
                throw error
            }
            link.bytes = Array(target.utf8)
        },
        WASIFunction("path_readlink", "iiiiii") { system, memory, call in
            let node = try node(
                system, memory, (call[0], call[1], call[2]), .readLink, lookup: 0)
            guard node.kind == .link else { throw WASIErrno.invalid }
            let part = node.bytes.prefix(Int(call[4]))
            try memory.require(call[5], count: 4)
            try memory.write(part, at: call[3])
            try memory.store(UInt32(part.count), at: call[5])
        },
    ]

    /// No guest gets a socket: what it may fetch goes through its app.
    static let sockets: [WASIFunction] = [
        ("sock_accept", "iii"), ("sock_recv", "iiiiii"), ("sock_send", "iiiii"),
        ("sock_shutdown", "ii"),
    ].map { name, types in
        WASIFunction(name, types) { system, _, call in
            _ = try system.files.entry(call[0])
            throw WASIErrno.notSocket
        }
    }

    // MARK: -

    /// Where a guest's path leads, and the file system that it lies in.
    @dynamicMemberLookup
    private struct Place {
        var system: WASIFileSystem
        var found: WASIFileSystem.Place

        subscript<Value>(dynamicMember path: KeyPath<WASIFileSystem.Place, Value>) -> Value {
            found[keyPath: path]
        }

        /// What is there.
        /// - Throws: `ENOENT`; `ENOTDIR` when the path ends in a slash and that is no folder.
        func existing() throws -> FileNode {
            guard let node = found.node else { throw WASIErrno.noEntry }
            guard !found.wantsFolder || node.kind == .directory else {
                throw WASIErrno.notDirectory
            }
            return node
        }

        /// The name of what is to be made there, which is no folder.
        /// - Throws: `EEXIST`; `ENOENT` when the path ends in a slash.
        func newName() throws -> FileName {
            if found.node != nil { _ = try existing() }
            guard found.node == nil, let name = found.name else { throw WASIErrno.exists }
            guard !found.wantsFolder else { throw WASIErrno.noEntry }
            return name
        }
    }

    /// A descriptor, and where in the guest's memory a path lies.
    private typealias GuestPath = (descriptor: UInt32, address: UInt32, count: UInt32)

    private static func place(
        _ system: WASISystem, _ memory: GuestMemory, _ path: GuestPath, _ right: WASIRights,
        _ follow: WASIFileSystem.Follow = .never
    ) throws -> Place {
        let text = try memory.text(at: path.address, count: path.count, limit: maximumPath)
        let start = try system.files.folder(path.descriptor, right)
        return Place(
            system: start.system,
            found: try start.system.look(
                Array(text.utf8), from: start.open.node, follow))
    }

    /// What a path names, a link at its end followed as `lookup` (preview 1, `lookupflags`) says.
    private static func node(
        _ system: WASISystem, _ memory: GuestMemory, _ path: GuestPath, _ right: WASIRights,
        lookup: UInt32
    ) throws -> FileNode {
        try place(system, memory, path, right, lookup & 1 != 0 ? .always : .beforeSlash).existing()
    }

    private static func openPath(
        _ system: WASISystem, _ memory: GuestMemory, _ call: WASIArguments
    ) throws {
        let (creates, wantsFolder) = (call[4] & 1 != 0, call[4] & 2 != 0)
        let (isExclusive, truncates) = (call[4] & 4 != 0, call[4] & 8 != 0)
        guard call[7] <= OpenNode.knownFlags else { throw WASIErrno.invalid }
        let place = try place(
            system, memory, (call[0], call[2], call[3]), .open,
            call[1] & 1 != 0 && !(creates && isExclusive) ? .always : .beforeSlash)
        try memory.require(call[8], count: 4)
        let start = try system.files.folder(call[0], truncates ? .pathSize : []).open
        let wanted = WASIRights(rawValue: call.long(5))
        let node: FileNode
        if let found = place.node {
            guard !(creates && isExclusive) else { throw WASIErrno.exists }
            guard found.kind != .link else { throw WASIErrno.loop }
            node = try place.existing()
            if node.kind == .directory, creates || truncates || wanted.contains(.write) {
                throw WASIErrno.isDirectory
            }
        } else {
            guard creates, !wantsFolder, let name = place.name else { throw WASIErrno.noEntry }
            guard !place.wantsFolder else { throw WASIErrno.isDirectory }
            guard start.rights.contains(.createFile) else { throw WASIErrno.notCapable }
            node = try place.system.makeNode(
                .file, named: name, in: place.folder, time: system.stamp)
        }
        if wantsFolder, node.kind != .directory { throw WASIErrno.notDirectory }
        // To read and to change have to be asked for. All else is given, as far as the folder
        // hands it on, since programs written against later hosts do not ask.
        var rights = (node.kind == .directory ? WASIRights.folder : .file)
            .intersection(start.inheriting)
        if !wanted.contains(.read) { rights.remove(.read) }
        if !wanted.contains(.write) { rights.subtract([.write, .size, .allocate]) }
        let open = OpenNode(
            node, rights: rights, inheriting: node.kind == .directory ? start.inheriting : [])
        open.flags = UInt16(call[7])
        let descriptor = try system.files.open(open)
        if truncates {
            try place.system.resize(node, to: 0)
            node.modified = system.stamp
        }
        try memory.store(descriptor, at: call[8])
    }

    private static func rename(_ from: Place, to: Place) throws {
        let node = try from.existing()
        guard let oldName = from.name, let newName = to.name else { throw WASIErrno.invalid }
        guard !to.wantsFolder || node.kind == .directory else { throw WASIErrno.notDirectory }
        if let replaced = to.node {
            if replaced === node { return }
            switch (node.kind, replaced.kind) {
            case (.directory, .directory):
                guard replaced.children.isEmpty else { throw WASIErrno.notEmpty }
            case (.directory, _): throw WASIErrno.notDirectory
            case (_, .directory): throw WASIErrno.isDirectory
            default: break
            }
        }
        // A folder inside itself would be lost, and never end when walked.
        guard !node.holds(to.folder) else { throw WASIErrno.invalid }
        guard !to.folder.isRemoved else { throw WASIErrno.noEntry }
        guard to.folder.depth + 1 + node.height <= FileNode.maximumDepth else {
            throw WASIErrno.nameTooLong
        }
        to.system.remove(newName, from: to.folder)
        from.folder.children[oldName] = nil
        to.folder.children[newName] = node
        node.move(to: to.folder.depth + 1)
        node.parent = to.folder.number
    }
}
