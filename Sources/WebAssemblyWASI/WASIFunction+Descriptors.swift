// What a guest may ask and set about an open descriptor.

extension WASIFunction {
    static let descriptors: [WASIFunction] = [
        WASIFunction("fd_close", "i") { system, _, call in try system.files.close(call[0]) },
        WASIFunction("fd_renumber", "ii") { system, _, call in
            try system.files.renumber(call[0], to: call[1])
        },
        WASIFunction("fd_sync", "i") { system, _, call in _ = try system.files.entry(call[0]) },
        WASIFunction("fd_datasync", "i") { system, _, call in
            _ = try system.files.entry(call[0])
        },
        WASIFunction("fd_advise", "illi") { system, _, call in
            _ = try system.files.file(call[0])
        },
        WASIFunction("fd_allocate", "ill") { system, _, call in
            let open = try system.files.file(call[0], .allocate)
            guard call.long(2) > 0 else { throw WASIErrno.invalid }
            let (end, overflow) = call.long(1).addingReportingOverflow(call.long(2))
            guard !overflow, let size = Int(exactly: end), let fileSystem = system.files.fileSystem
            else { throw WASIErrno.fileTooBig }
            if size > open.node.bytes.count { try fileSystem.resize(open.node, to: size) }
        },
        WASIFunction("fd_fdstat_get", "ii") { system, memory, call in
            try memory.write(status(of: try system.files.entry(call[0])), at: call[1])
        },
        WASIFunction("fd_fdstat_set_flags", "ii") { system, _, call in
            guard call[1] <= OpenNode.knownFlags else { throw WASIErrno.invalid }
            // A stream takes any flags, and they change nothing.
            guard case .node = try system.files.entry(call[0]) else { return }
            try system.files.node(call[0], .setFlags).flags = UInt16(call[1])
        },
        WASIFunction("fd_fdstat_set_rights", "ill") { system, _, call in
            let base = WASIRights(rawValue: call.long(1))
            let inheriting = WASIRights(rawValue: call.long(2))
            // The rights of a stream are its nature.
            guard case .node(let open) = try system.files.entry(call[0]) else {
                throw WASIErrno.notSupported
            }
            guard open.rights.isSuperset(of: base), open.inheriting.isSuperset(of: inheriting)
            else { throw WASIErrno.notCapable }
            open.rights = base
            open.inheriting = inheriting
        },
        WASIFunction("fd_filestat_get", "ii") { system, memory, call in
            switch try system.files.entry(call[0]) {
            case .node:
                try memory.write(try system.files.node(call[0], .status).node.status, at: call[1])
            case .input, .output, .error:
                var layout = StructureLayout(size: 64)
                layout.put(UInt8(2), at: 16)
                try memory.write(layout.bytes, at: call[1])
            }
        },
        WASIFunction("fd_filestat_set_size", "il") { system, _, call in
            let open = try system.files.file(call[0], .size)
            guard let size = Int(exactly: call.long(1)), let fileSystem = system.files.fileSystem
            else { throw WASIErrno.fileTooBig }
            try fileSystem.resize(open.node, to: size)
            open.node.modified = system.stamp
        },
        WASIFunction("fd_filestat_set_times", "illi") { system, _, call in
            let node = try system.files.node(call[0], .times).node
            try setTimes(node, call.long(1), call.long(2), call[3], now: system.stamp)
        },
        WASIFunction("fd_prestat_get", "ii") { system, memory, call in
            try requireRoot(system, call[0])
            try memory.store(UInt32(0), at: call[1])
            try memory.store(UInt32(FileTable.rootName.utf8.count), at: call[1] &+ 4)
        },
        WASIFunction("fd_prestat_dir_name", "iii") { system, memory, call in
            try requireRoot(system, call[0])
            guard Int(call[2]) >= FileTable.rootName.utf8.count else {
                throw WASIErrno.nameTooLong
            }
            try memory.write(Array(FileTable.rootName.utf8), at: call[1])
        },
        WASIFunction("fd_readdir", "iiili") { system, memory, call in
            try readFolder(system, memory, call)
        },
    ]

    /// Sets a file's times (preview 1, `fstflags`: access time, now, modification time, now).
    static func setTimes(
        _ node: FileNode, _ accessed: UInt64, _ modified: UInt64, _ flags: UInt32, now: UInt64
    ) throws {
        guard flags & 3 != 3, flags & 12 != 12, flags < 16 else { throw WASIErrno.invalid }
        if flags & 1 != 0 { node.accessed = accessed }
        if flags & 2 != 0 { node.accessed = now }
        if flags & 4 != 0 { node.modified = modified }
        if flags & 8 != 0 { node.modified = now }
    }

    private static func requireRoot(_ system: WASISystem, _ descriptor: UInt32) throws {
        guard descriptor == FileTable.rootDescriptor,
            try system.files.node(descriptor).node === system.files.fileSystem?.root
        else { throw WASIErrno.badDescriptor }
    }

    /// A stream has no right to seek, by which libc tells a terminal: it then flushes by lines.
    private static func status(of entry: FileTable.Entry) -> [UInt8] {
        var layout = StructureLayout(size: 24)
        switch entry {
        case .input:
            layout.put(UInt8(2), at: 0)
            layout.put(WASIRights.read.rawValue, at: 8)
        case .output, .error:
            layout.put(UInt8(2), at: 0)
            layout.put(WASIRights.write.rawValue, at: 8)
        case .node(let open):
            layout.put(open.node.fileType, at: 0)
            layout.put(open.flags, at: 2)
            layout.put(open.rights.rawValue, at: 8)
            layout.put(open.inheriting.rawValue, at: 16)
        }
        return layout.bytes
    }

    private static func readFolder(
        _ system: WASISystem, _ memory: GuestMemory, _ call: WASIArguments
    ) throws {
        try memory.require(call[4], count: 4)
        try memory.require(call[1], count: Int(call[2]))
        let open = try system.files.folder(call[0], .list).open
        let cookie = call.long(3)
        if cookie == 0 || open.listing == nil { open.listing = entries(of: open.node) }
        let listing = open.listing ?? []
        var bytes: [UInt8] = []
        var index = Int(exactly: cookie) ?? listing.count
        let limit = Int(call[2])
        // The last entry may be cut off: a full buffer tells the guest that there is more.
        while index < listing.count, bytes.count < limit {
            let entry = listing[index]
            var layout = StructureLayout(size: 24)
            layout.put(UInt64(index + 1), at: 0)
            layout.put(entry.number, at: 8)
            layout.put(UInt32(entry.name.count), at: 16)
            layout.put(entry.type, at: 20)
            bytes += layout.bytes + entry.name
            index += 1
        }
        let part = bytes.prefix(limit)
        try memory.write(part, at: call[1])
        try memory.store(UInt32(part.count), at: call[4])
    }

    /// What a folder holds, itself and the one around it first, then by name.
    private static func entries(
        of folder: FileNode
    ) -> [(name: FileName, number: UInt64, type: UInt8)] {
        [
            (Array(".".utf8), folder.number, folder.fileType),
            (Array("..".utf8), folder.parent, folder.fileType),
        ]
            + folder.children
            .map { (name: $0.key, number: $0.value.number, type: $0.value.fileType) }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }
}
