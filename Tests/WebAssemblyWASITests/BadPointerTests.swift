import Testing
import WebAssembly

@testable import WebAssemblyWASI

/// A guest controls every argument of a system call. None may crash the host, reach outside the
/// guest's memory, or poison its store.
@Suite("Pointers outside the guest's memory")
struct BadPointerTests {
    @Test("every pointer argument outside memory gives EFAULT", arguments: [65_536, 0xffff_fff0])
    func fault(address: UInt64) throws {
        let files = WASIFileSystem()
        try files.write([1, 2, 3], to: "f")
        let probe = try Probe(args: ["a"], environment: ["K": "V"], fileSystem: files)
        let file = try probe.open("f").descriptor
        let (path, count) = try probe.path("f")
        try probe.vector(4096, 1)
        let bad = address
        let calls: [(String, [UInt64])] = [
            ("args_sizes_get", [bad, 0]), ("args_sizes_get", [0, bad]),
            ("args_get", [bad, 0]), ("args_get", [0, bad]),
            ("environ_sizes_get", [bad, 0]), ("environ_get", [bad, 0]), ("environ_get", [0, bad]),
            ("clock_res_get", [0, bad]), ("clock_time_get", [0, 0, bad]),
            ("random_get", [bad, 1]), ("fd_fdstat_get", [1, bad]), ("fd_filestat_get", [1, bad]),
            ("fd_filestat_get", [file, bad]), ("fd_prestat_get", [3, bad]),
            ("fd_prestat_dir_name", [3, bad, 1]), ("fd_read", [file, bad, 1, 0]),
            ("fd_read", [file, 64, 1, bad]), ("fd_pread", [file, bad, 1, 0, 0]),
            ("fd_pread", [file, 64, 1, 0, bad]), ("fd_write", [1, bad, 1, 0]),
            ("fd_write", [1, 64, 1, bad]), ("fd_pwrite", [file, bad, 1, 0, 0]),
            ("fd_pwrite", [file, 64, 1, 0, bad]), ("fd_seek", [file, 0, 0, bad]),
            ("fd_tell", [file, bad]), ("fd_readdir", [3, bad, 64, 0, 0]),
            ("fd_readdir", [3, 0, 64, 0, bad]), ("path_create_directory", [3, bad, 1]),
            ("path_filestat_get", [3, 0, bad, 1, 0]),
            ("path_filestat_get", [3, 0, path, count, bad]),
            ("path_filestat_set_times", [3, 0, bad, 1, 0, 0, 0]),
            ("path_open", [3, 0, bad, 1, 0, 2, 2, 0, 0]),
            ("path_open", [3, 0, path, count, 0, 2, 2, 0, bad]),
            ("path_remove_directory", [3, bad, 1]), ("path_unlink_file", [3, bad, 1]),
            ("path_rename", [3, bad, 1, 3, 0, 1]), ("path_rename", [3, path, count, 3, bad, 1]),
            ("path_readlink", [3, bad, 1, 0, 0, 0]), ("poll_oneoff", [bad, 0, 1, 0]),
            ("poll_oneoff", [0, bad, 1, 0]), ("poll_oneoff", [0, 0, 1, bad]),
        ]
        for (name, arguments) in calls {
            #expect(try invoke(probe, name, arguments) == Errno.fault, "\(name) \(arguments)")
        }
        #expect(files.read("f") == [1, 2, 3])
    }

    @Test("a range that begins inside memory and ends outside gives EFAULT")
    func straddling() throws {
        let probe = try Probe()
        #expect(try probe.call("random_get", 65_530, 7) == Errno.fault)
        #expect(try probe.call("random_get", 65_530, 6) == 0)
        #expect(try probe.call("random_get", 1, 0xffff_ffff) == Errno.fault)
        #expect(try probe.call("clock_time_get", 0, 0, 65_529) == Errno.fault)
        #expect(try probe.call("clock_time_get", 0, 0, 65_528) == 0)
        try probe.vector(65_535, 2)
        #expect(try probe.call("fd_write", 1, 64, 1, 16) == Errno.fault)
        try probe.vector(0xffff_ffff, 0xffff_ffff)
        #expect(try probe.call("fd_write", 1, 64, 1, 16) == Errno.fault)
    }

    @Test("a system call from a module without memory gives EFAULT")
    func noMemory() throws {
        let function = try #require(WASIFunction.all.first { $0.name == "args_sizes_get" })
        let system = WASISystem(
            arguments: [], variables: [], grants: .standard, host: WASIHost(), fileSystem: nil)
        var slots: [UInt64] = [0, 0]
        try slots.withUnsafeMutableBufferPointer {
            try function.call(system, GuestMemory(nil), $0)
        }
        #expect(slots[0] == UInt64(Errno.fault))
    }

    @Test("any arguments at all give a number, and the store lives on")
    func randomArguments() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        var host = WASIHost()
        host.sleep = { _ in }
        host.standardInput = { [UInt8](repeating: 7, count: min($0, 100)) }
        let files = WASIFileSystem(maximumBytes: 1 << 16, maximumNodes: 50)
        try files.write([1, 2, 3], to: "f")
        let probe = try Probe(args: ["a", "b"], host: host, fileSystem: files)
        let edges: [UInt64] = [
            0, 1, 2, 3, 4, 5, 8, 64, 100, 65_528, 65_535, 65_536, 0x7fff_ffff, 0x8000_0000,
            0xffff_ffff, 0x7fff_ffff_ffff_ffff, .max,
        ]
        for _ in 0..<20_000 {
            let signature = Probe.signatures[Int(random.next() % UInt64(Probe.signatures.count))]
            guard signature.returns else { continue }
            if random.next() % 16 == 0 {
                try probe.put(
                    (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }, at: 64)
            }
            let arguments = signature.types.map { _ in
                random.next() % 4 == 0
                    ? random.next() : edges[Int(random.next() % UInt64(edges.count))]
            }
            let errno = try invoke(probe, signature.name, arguments)
            #expect(errno.map { $0 <= 76 } == true, "\(signature.name) \(arguments)")
        }
        #expect(try probe.call("sched_yield") == 0)
    }

    private func invoke(_ probe: Probe, _ name: String, _ arguments: [UInt64]) throws -> UInt32? {
        let function = try #require(probe.instance.exports[function: name])
        let values = zip(arguments, function.type.parameters).map { value, type in
            type == .i64 ? Value.i64(value) : .i32(UInt32(truncatingIfNeeded: value))
        }
        guard case .i32(let errno)? = try function.invoke(values).first else { return nil }
        return errno
    }
}

/// A small generator of pseudo-random numbers whose whole state is one printed number.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
