// Arguments, environment, clocks, randomness and the end of the process.

extension WASIFunction {
    static let arguments: [WASIFunction] = [
        WASIFunction("args_sizes_get", "ii") { system, memory, call in
            try writeSizes(system.arguments, memory, call)
        },
        WASIFunction("args_get", "ii") { system, memory, call in
            try writeTexts(system.arguments, memory, call)
        },
        WASIFunction("environ_sizes_get", "ii") { system, memory, call in
            try writeSizes(system.variables, memory, call)
        },
        WASIFunction("environ_get", "ii") { system, memory, call in
            try writeTexts(system.variables, memory, call)
        },
    ]

    private static func writeSizes(
        _ texts: [String], _ memory: GuestMemory, _ call: WASIArguments
    ) throws {
        try memory.store(UInt32(texts.count), at: call[0])
        try memory.store(UInt32(texts.reduce(0) { $0 + $1.utf8.count + 1 }), at: call[1])
    }

    private static func writeTexts(
        _ texts: [String], _ memory: GuestMemory, _ call: WASIArguments
    ) throws {
        try memory.require(call[0], count: texts.count * 4)
        try memory.require(call[1], count: texts.reduce(0) { $0 + $1.utf8.count + 1 })
        var text = call[1]
        for (index, value) in texts.enumerated() {
            try memory.store(text, at: call[0] &+ UInt32(index) * 4)
            try memory.write(Array(value.utf8) + [0], at: text)
            text &+= UInt32(value.utf8.count) + 1
        }
    }

    static let clocks: [WASIFunction] = [
        WASIFunction("clock_res_get", "ii") { system, memory, call in
            _ = try system.time(call[0])
            try memory.store(UInt64(1), at: call[1])
        },
        WASIFunction("clock_time_get", "ili") { system, memory, call in
            try memory.store(try system.time(call[0]), at: call[2])
        },
    ]

    static let process: [WASIFunction] = [
        WASIFunction("proc_exit", "i", returns: false) { _, _, call in
            throw WASIExit(code: call[0])
        },
        WASIFunction("proc_raise", "i") { _, _, _ in throw WASIErrno.notSupported },
        WASIFunction("sched_yield", "") { _, _, _ in },
        WASIFunction("random_get", "ii") { system, memory, call in
            guard system.grants.contains(.randomness) else { throw WASIErrno.notPermitted }
            try memory.require(call[0], count: Int(call[1]))
            // The engine's deadline cannot interrupt the host, so one call has to stay short.
            guard call[1] <= 16 << 20 else { throw WASIErrno.invalid }
            // In parts, so that a guest cannot make the host allocate what it asks for.
            var address = call[0]
            var left = Int(call[1])
            while left > 0 {
                var part = [UInt8](repeating: 0, count: min(left, 4096))
                part.withUnsafeMutableBytes { system.host.random($0) }
                try memory.write(part, at: address)
                address &+= UInt32(part.count)
                left -= part.count
            }
        },
        WASIFunction("poll_oneoff", "iiii") { system, memory, call in
            try poll(system, memory, call)
        },
    ]

    /// Waits for the first of some clocks; streams and files are always ready.
    private static func poll(
        _ system: WASISystem, _ memory: GuestMemory, _ call: WASIArguments
    ) throws {
        let count = call[2]
        guard count > 0, count <= 1024 else { throw WASIErrno.invalid }
        try memory.require(call[0], count: Int(count) * 48)
        try memory.require(call[1], count: Int(count) * 32)
        try memory.require(call[3], count: 4)
        var ready: [PollEvent] = []
        var clocks: [(event: PollEvent, wait: UInt64)] = []
        for index in 0..<count {
            let at = call[0] &+ index * 48
            let userData: UInt64 = try memory.load(at: at)
            let kind: UInt8 = try memory.load(at: at &+ 8)
            var event = PollEvent(userData: userData, kind: kind)
            switch kind {
            case 0:
                do {
                    let now = try system.time(try memory.load(at: at &+ 16))
                    let timeout: UInt64 = try memory.load(at: at &+ 24)
                    let isAbsolute = try memory.load(UInt16.self, at: at &+ 40) & 1 != 0
                    let wait = isAbsolute ? (timeout > now ? timeout - now : 0) : timeout
                    clocks.append((event, wait))
                } catch let errno as WASIErrno where errno != .fault {
                    event.errno = errno
                    ready.append(event)
                }
            case 1, 2:
                do {
                    _ = try system.files.entry(try memory.load(at: at &+ 16))
                } catch let errno as WASIErrno where errno != .fault {
                    event.errno = errno
                }
                ready.append(event)
            default: throw WASIErrno.invalid
            }
        }
        if ready.isEmpty, let first = clocks.map(\.wait).min() {
            system.sleep(first)
            ready = clocks.filter { $0.wait == first }.map(\.event)
        }
        for (index, event) in ready.enumerated() {
            try memory.write(event.encoded, at: call[1] &+ UInt32(index) * 32)
        }
        try memory.store(UInt32(ready.count), at: call[3])
    }
}

/// What `poll_oneoff` tells about one subscription (preview 1, `event`).
private struct PollEvent {
    var userData: UInt64
    var kind: UInt8
    var errno = WASIErrno.success

    var encoded: [UInt8] {
        var layout = StructureLayout(size: 32)
        layout.put(userData, at: 0)
        layout.put(errno.rawValue, at: 8)
        layout.put(kind, at: 10)
        return layout.bytes
    }
}
