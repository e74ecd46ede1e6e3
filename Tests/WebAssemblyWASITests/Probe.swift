import TestSupport
import Testing
import WebAssembly
import WebAssemblyWASI

/// A guest made of nothing but system calls: it imports every function of preview 1 and exports
/// one of the same name and type that passes its arguments on. Tests lay bytes in its memory,
/// make one call, and look at the number it gives and at the memory.
struct Probe {
    /// The functions by preview 1's own description: `i` for i32, `l` for i64.
    static let signatures: [(name: String, types: String, returns: Bool)] = [
        ("args_get", "ii", true), ("args_sizes_get", "ii", true),
        ("environ_get", "ii", true), ("environ_sizes_get", "ii", true),
        ("clock_res_get", "ii", true), ("clock_time_get", "ili", true),
        ("fd_advise", "illi", true), ("fd_allocate", "ill", true), ("fd_close", "i", true),
        ("fd_datasync", "i", true), ("fd_fdstat_get", "ii", true),
        ("fd_fdstat_set_flags", "ii", true), ("fd_fdstat_set_rights", "ill", true),
        ("fd_filestat_get", "ii", true), ("fd_filestat_set_size", "il", true),
        ("fd_filestat_set_times", "illi", true), ("fd_pread", "iiili", true),
        ("fd_prestat_get", "ii", true), ("fd_prestat_dir_name", "iii", true),
        ("fd_pwrite", "iiili", true), ("fd_read", "iiii", true), ("fd_readdir", "iiili", true),
        ("fd_renumber", "ii", true), ("fd_seek", "ilii", true), ("fd_sync", "i", true),
        ("fd_tell", "ii", true), ("fd_write", "iiii", true),
        ("path_create_directory", "iii", true), ("path_filestat_get", "iiiii", true),
        ("path_filestat_set_times", "iiiilli", true), ("path_link", "iiiiiii", true),
        ("path_open", "iiiiillii", true), ("path_readlink", "iiiiii", true),
        ("path_remove_directory", "iii", true), ("path_rename", "iiiiii", true),
        ("path_symlink", "iiiii", true), ("path_unlink_file", "iii", true),
        ("poll_oneoff", "iiii", true), ("proc_exit", "i", false), ("proc_raise", "i", true),
        ("sched_yield", "", true), ("random_get", "ii", true), ("sock_accept", "iii", true),
        ("sock_recv", "iiiiii", true), ("sock_send", "iiiii", true), ("sock_shutdown", "ii", true),
    ]

    let instance: Instance
    let memory: Memory

    init(
        args: [String] = [], environment: [String: String] = [:],
        grants: WASIGrants = .standard, host: WASIHost = WASIHost(),
        fileSystem: WASIFileSystem? = nil
    ) throws {
        let store = Store(engine: Engine())
        var imports = Imports()
        try WASIBridgeToHost(
            args: args, environment: environment, grants: grants, host: host,
            fileSystem: fileSystem
        ).link(to: &imports, store: store)
        instance = try parseWasm(bytes: Self.module).instantiate(store: store, imports: imports)
        memory = try #require(instance.exports[memory: "memory"])
    }

    private static let module: [UInt8] = {
        typealias W = WasmBytes
        let types = signatures.map { signature in
            W.type(
                signature.types.map { $0 == "l" ? 0x7e : 0x7f }, signature.returns ? [0x7f] : [])
        }
        let imports = signatures.enumerated().map { index, signature in
            W.name(WASIBridgeToHost.moduleName) + W.name(signature.name) + [0]
                + W.unsigned(index)
        }
        let exports = signatures.enumerated().map { index, signature in
            W.export(signature.name, signatures.count + index)
        }
        let bodies = signatures.enumerated().map { index, signature in
            W.body(
                signature.types.indices.enumerated().flatMap { [0x20, UInt8($0.offset)] }
                    + [0x10] + W.unsigned(index))
        }
        return W.module(
            W.section(1, W.vector(types)), W.section(2, W.vector(imports)),
            W.section(3, W.vector(signatures.indices.map { W.unsigned($0) })),
            W.section(5, [1, 1, 1, 2]),
            W.section(7, W.vector(exports + [W.export("memory", kind: 2, 0)])),
            W.section(10, W.vector(bodies)))
    }()

    /// Makes one system call.
    /// - Returns: the errno, or nil for a function that gives none.
    @discardableResult
    func call(_ name: String, _ arguments: UInt64...) throws -> UInt32? {
        let function = try #require(instance.exports[function: name])
        let values = zip(arguments, function.type.parameters).map { value, type in
            type == .i64 ? Value.i64(value) : .i32(UInt32(truncatingIfNeeded: value))
        }
        guard case .i32(let errno)? = try function.invoke(values).first else { return nil }
        return errno
    }

    func bytes(_ address: UInt64, _ count: Int) throws -> [UInt8] {
        try memory.read(at: address, count: count)
    }

    func u32(_ address: UInt64) throws -> UInt32 {
        try bytes(address, 4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    func u64(_ address: UInt64) throws -> UInt64 {
        try bytes(address, 8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func put(_ bytes: [UInt8], at address: UInt64) throws {
        try memory.write(bytes, at: address)
    }

    func put(u32 value: UInt32, at address: UInt64) throws {
        try put((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }, at: address)
    }

    func put(u64 value: UInt64, at address: UInt64) throws {
        try put((0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }, at: address)
    }

    // MARK: - Calls that tests make often

    /// Lays a path at 100 and gives the two arguments that name it.
    func path(_ text: String, at address: UInt64 = 100) throws -> (UInt64, UInt64) {
        try put(Array(text.utf8), at: address)
        return (address, UInt64(text.utf8.count))
    }

    /// Lays a vector of one range at 64.
    func vector(_ address: UInt64, _ count: UInt64) throws {
        try put(u32: UInt32(truncatingIfNeeded: address), at: 64)
        try put(u32: UInt32(truncatingIfNeeded: count), at: 68)
    }

    func write(_ descriptor: UInt64, _ text: String) throws -> UInt32? {
        try put(Array(text.utf8), at: 4096)
        try vector(4096, UInt64(text.utf8.count))
        return try call("fd_write", descriptor, 64, 1, 16)
    }

    func read(_ descriptor: UInt64, _ count: UInt64) throws -> String {
        try vector(4096, count)
        try #require(try call("fd_read", descriptor, 64, 1, 16) == 0)
        return String(decoding: try bytes(4096, Int(try u32(16))), as: UTF8.self)
    }

    /// Opens a path below the root.
    /// - Parameter flags: `oflags`: 1 create, 2 folder, 4 exclusive, 8 truncate.
    func open(
        _ text: String, flags: UInt64 = 0, rights: UInt64 = 1 << 1 | 1 << 6, append: Bool = false
    ) throws -> (errno: UInt32?, descriptor: UInt64) {
        let (address, count) = try path(text)
        let errno = try call(
            "path_open", 3, 0, address, count, flags, rights, rights, append ? 1 : 0, 32)
        return (errno, UInt64(try u32(32)))
    }
}

/// Error numbers by their names in preview 1.
enum Errno {
    static let badf: UInt32 = 8
    static let exist: UInt32 = 20
    static let fault: UInt32 = 21
    static let ilseq: UInt32 = 25
    static let inval: UInt32 = 28
    static let isdir: UInt32 = 31
    static let loop: UInt32 = 32
    static let mfile: UInt32 = 33
    static let nametoolong: UInt32 = 37
    static let noent: UInt32 = 44
    static let nospc: UInt32 = 51
    static let notdir: UInt32 = 54
    static let notempty: UInt32 = 55
    static let notsock: UInt32 = 57
    static let notsup: UInt32 = 58
    static let perm: UInt32 = 63
    static let spipe: UInt32 = 70
    static let notcapable: UInt32 = 76
}
