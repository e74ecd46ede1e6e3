// Reading, writing and seeking, on the standard streams and on files in memory.

extension WASIFunction {
    /// The most that one call moves; the guest is told how much that was and calls again.
    private static let maximumTransfer = 1 << 20

    static let streams: [WASIFunction] = [
        WASIFunction("fd_read", "iiii") { system, memory, call in
            try memory.require(call[3], count: 4)
            let vectors = try memory.vectors(at: call[1], count: call[2])
            switch try system.files.entry(call[0]) {
            case .input:
                let wanted = min(vectors.reduce(0) { $0 + $1.count }, maximumTransfer)
                let bytes = wanted == 0 ? [] : system.host.standardInput(wanted).prefix(wanted)
                try scatter(bytes, into: vectors, memory)
                try memory.store(UInt32(bytes.count), at: call[3])
            case .output, .error: throw WASIErrno.badDescriptor
            case .node:
                let open = try system.files.file(call[0], .read)
                let count = try read(open, at: open.position, into: vectors, memory)
                open.position += count
                try memory.store(UInt32(count), at: call[3])
            }
        },
        WASIFunction("fd_pread", "iiili") { system, memory, call in
            try memory.require(call[4], count: 4)
            let vectors = try memory.vectors(at: call[1], count: call[2])
            let open = try system.files.file(call[0], .read)
            let count = try read(open, at: offset(call.long(3)), into: vectors, memory)
            try memory.store(UInt32(count), at: call[4])
        },
        WASIFunction("fd_write", "iiii") { system, memory, call in
            try memory.require(call[3], count: 4)
            let entry = try system.files.entry(call[0])
            let bytes = try gather(try memory.vectors(at: call[1], count: call[2]), memory)
            switch entry {
            case .input: throw WASIErrno.badDescriptor
            case .output: if !bytes.isEmpty { system.host.standardOutput(bytes) }
            case .error: if !bytes.isEmpty { system.host.standardError(bytes) }
            case .node:
                let open = try system.files.file(call[0], .write)
                let start = open.appends ? open.node.bytes.count : open.position
                try write(bytes, to: open, at: start, system)
                open.position = start + bytes.count
            }
            try memory.store(UInt32(bytes.count), at: call[3])
        },
        WASIFunction("fd_pwrite", "iiili") { system, memory, call in
            try memory.require(call[4], count: 4)
            let open = try system.files.file(call[0], .write)
            let bytes = try gather(try memory.vectors(at: call[1], count: call[2]), memory)
            try write(bytes, to: open, at: offset(call.long(3)), system)
            try memory.store(UInt32(bytes.count), at: call[4])
        },
        WASIFunction("fd_seek", "ilii") { system, memory, call in
            try memory.require(call[3], count: 8)
            guard case .node = try system.files.entry(call[0]) else {
                throw WASIErrno.seekOnPipe
            }
            // To ask where it stands, the right to tell is enough.
            let asks = call[2] == 1 && call.long(1) == 0
            let open = try system.files.file(call[0], asks ? .tell : .seek)
            let base =
                switch call[2] {
                case 0: 0
                case 1: open.position
                case 2: open.node.bytes.count
                default: throw WASIErrno.invalid
                }
            let (target, overflow) = base.addingReportingOverflow(
                Int(Int64(bitPattern: call.long(1))))
            guard !overflow, target >= 0 else { throw WASIErrno.invalid }
            open.position = target
            try memory.store(UInt64(target), at: call[3])
        },
        WASIFunction("fd_tell", "ii") { system, memory, call in
            guard case .node = try system.files.entry(call[0]) else {
                throw WASIErrno.seekOnPipe
            }
            try memory.store(UInt64(try system.files.file(call[0], .tell).position), at: call[1])
        },
    ]

    private static func offset(_ value: UInt64) throws -> Int {
        guard let offset = Int(exactly: value) else { throw WASIErrno.invalid }
        return offset
    }

    private static func gather(
        _ vectors: [(address: UInt32, count: Int)], _ memory: GuestMemory
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for vector in vectors where bytes.count < maximumTransfer {
            let part = min(vector.count, maximumTransfer - bytes.count)
            bytes += try memory.bytes(at: vector.address, count: part)
        }
        return bytes
    }

    private static func scatter(
        _ bytes: ArraySlice<UInt8>, into vectors: [(address: UInt32, count: Int)],
        _ memory: GuestMemory
    ) throws {
        var rest = bytes
        for vector in vectors where !rest.isEmpty {
            let part = rest.prefix(vector.count)
            try memory.write(part, at: vector.address)
            rest = rest.dropFirst(part.count)
        }
    }

    private static func read(
        _ open: OpenNode, at position: Int, into vectors: [(address: UInt32, count: Int)],
        _ memory: GuestMemory
    ) throws -> Int {
        let wanted = min(vectors.reduce(0) { $0 + $1.count }, maximumTransfer)
        let bytes = open.node.bytes.dropFirst(position).prefix(wanted)
        try scatter(bytes, into: vectors, memory)
        return bytes.count
    }

    private static func write(
        _ bytes: [UInt8], to open: OpenNode, at position: Int, _ system: WASISystem
    ) throws {
        if bytes.isEmpty { return }
        let (end, overflow) = position.addingReportingOverflow(bytes.count)
        guard !overflow, let fileSystem = system.files.fileSystem else {
            throw WASIErrno.fileTooBig
        }
        if end > open.node.bytes.count { try fileSystem.resize(open.node, to: end) }
        open.node.bytes.replaceSubrange(position..<end, with: bytes)
        open.node.modified = system.stamp
    }
}
