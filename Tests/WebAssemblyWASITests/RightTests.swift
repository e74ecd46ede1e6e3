import Testing
import WebAssembly
import WebAssemblyWASI

@Suite("Rights of descriptors")
struct RightTests {
    private let files = WASIFileSystem()
    private let probe: Probe

    init() throws {
        try files.write(Array("text".utf8), to: "folder/file")
        probe = try Probe(fileSystem: files)
    }

    private func rights(_ descriptor: UInt64) throws -> (base: UInt64, inheriting: UInt64) {
        #expect(try probe.call("fd_fdstat_get", descriptor, 512) == 0)
        return (try probe.u64(512 + 8), try probe.u64(512 + 16))
    }

    private func drop(_ descriptor: UInt64, _ base: UInt64, _ inheriting: UInt64) throws {
        let now = try rights(descriptor)
        #expect(
            try probe.call(
                "fd_fdstat_set_rights", descriptor, now.base & ~base,
                now.inheriting & ~inheriting) == 0)
    }

    @Test("a right that was given up is gone for good")
    func givingUp() throws {
        let file = try probe.open("folder/file").descriptor
        let before = try rights(file).base
        #expect(before & (1 << 1 | 1 << 2) == 1 << 1 | 1 << 2)
        try drop(file, 1 << 1 | 1 << 2, 0)
        try probe.vector(4096, 4)
        #expect(try probe.call("fd_read", file, 64, 1, 16) == Errno.notcapable)
        #expect(try probe.call("fd_seek", file, 1, 0, 16) == Errno.notcapable)
        // To tell is another right.
        #expect(try probe.call("fd_seek", file, 0, 1, 16) == 0)
        #expect(try probe.write(file, "new!") == 0)
        #expect(try probe.call("fd_fdstat_set_rights", file, before, 0) == Errno.notcapable)
    }

    @Test("a folder hands on no more than it has")
    func inheriting() throws {
        let folder = try probe.open("folder", flags: 2, rights: 0).descriptor
        try drop(folder, 0, 1 << 6)
        let (address, count) = try probe.path("file")
        #expect(
            try probe.call(
                "path_open", folder, 0, address, count, 0, 1 << 1 | 1 << 6, 0, 0, 32) == 0)
        let file = UInt64(try probe.u32(32))
        #expect(try probe.write(file, "x") == Errno.notcapable)
        #expect(try probe.read(file, 4) == "text")
    }

    @Test(
        "without its right a folder refuses",
        arguments: [
            ("path_create_directory", 9), ("path_unlink_file", 26), ("path_remove_directory", 25),
        ] as [(String, UInt64)])
    func folderRights(call: String, bit: UInt64) throws {
        try drop(3, 1 << bit, 0)
        let (address, count) = try probe.path("x")
        #expect(try probe.call(call, 3, address, count) == Errno.notcapable)
    }

    @Test("without their rights nothing is listed, opened, created or emptied")
    func openRights() throws {
        try drop(3, 1 << 14, 0)
        #expect(try probe.call("fd_readdir", 3, 8192, 100, 0, 16) == Errno.notcapable)
        try drop(3, 1 << 19, 0)
        #expect(try probe.open("folder/file", flags: 8).errno == Errno.notcapable)
        #expect(files.read("folder/file") == Array("text".utf8))
        try drop(3, 1 << 10, 0)
        #expect(try probe.open("new", flags: 1).errno == Errno.notcapable)
        #expect(try probe.open("folder/file").errno == 0)
        try drop(3, 1 << 13, 0)
        #expect(try probe.open("folder/file").errno == Errno.notcapable)
    }

    @Test("a folder cannot be opened for writing, nor has it a file's rights")
    func folders() throws {
        #expect(try probe.open("folder", rights: 1 << 1 | 1 << 6).errno == Errno.isdir)
        let folder = try probe.open("folder", rights: 1 << 1)
        #expect(folder.errno == 0)
        // Seeking, writing, allocating and setting the size are a file's.
        #expect(try rights(folder.descriptor).base & (1 << 2 | 1 << 6 | 1 << 8 | 1 << 22) == 0)
    }

    @Test("the flags of a descriptor are kept; unknown ones are refused")
    func flags() throws {
        let file = try probe.open("folder/file").descriptor
        #expect(try probe.call("fd_fdstat_set_flags", file, 1 | 16) == 0)
        #expect(try probe.call("fd_fdstat_get", file, 512) == 0)
        #expect(try probe.bytes(512 + 2, 2) == [17, 0])
        #expect(try probe.write(file, "++") == 0)
        #expect(files.read("folder/file") == Array("text++".utf8))
        #expect(try probe.call("fd_fdstat_set_flags", file, 32) == Errno.inval)
    }

    @Test("allocating makes a file longer, never shorter, and not beyond the bound")
    func allocating() throws {
        let file = try probe.open("folder/file").descriptor
        #expect(try probe.call("fd_allocate", file, 2, 8) == 0)
        #expect(files.read("folder/file")?.count == 10)
        #expect(try probe.call("fd_allocate", file, 0, 3) == 0)
        #expect(files.read("folder/file")?.count == 10)
        #expect(try probe.call("fd_allocate", file, 0, 0) == Errno.inval)
        #expect(try probe.call("fd_allocate", file, .max, 2) == 22)
        #expect(try probe.call("fd_allocate", file, 0, 1 << 40) == Errno.nospc)
        #expect(try probe.call("fd_allocate", 3, 0, 1) == Errno.isdir)
    }

    @Test("a preopened folder may be replaced; it is then not announced")
    func renumberingTheRoot() throws {
        let folder = try probe.open("folder", flags: 2, rights: 0).descriptor
        #expect(try probe.call("fd_renumber", folder, 3) == 0)
        #expect(try probe.call("fd_prestat_get", 3, 0) == Errno.badf)
        #expect(try probe.call("fd_close", folder) == Errno.badf)
        #expect(try probe.open("file").errno == 0)
    }
}
