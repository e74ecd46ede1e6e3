import Testing
import WebAssembly
import WebAssemblyWASI

@Suite("Links between files in memory")
struct LinkTests {
    private let files = WASIFileSystem()
    private let probe: Probe

    init() throws { probe = try Probe(fileSystem: files) }

    private func symlink(_ target: String, _ name: String) throws -> UInt32? {
        let (from, fromCount) = try probe.path(target)
        let (to, toCount) = try probe.path(name, at: 600)
        return try probe.call("path_symlink", from, fromCount, 3, to, toCount)
    }

    private func link(_ old: String, _ name: String, flags: UInt64 = 0) throws -> UInt32? {
        let (from, fromCount) = try probe.path(old)
        let (to, toCount) = try probe.path(name, at: 600)
        return try probe.call("path_link", 3, flags, from, fromCount, 3, to, toCount)
    }

    private func onPath(_ call: String, _ name: String) throws -> UInt32? {
        let (address, count) = try probe.path(name)
        return try probe.call(call, 3, address, count)
    }

    /// Opens a path, following a link at its end.
    private func open(
        _ name: String, follow: Bool = true, flags: UInt64 = 0
    ) throws -> (errno: UInt32?, descriptor: UInt64) {
        let (address, count) = try probe.path(name)
        let rights: UInt64 = 1 << 1 | 1 << 6
        let errno = try probe.call(
            "path_open", 3, follow ? 1 : 0, address, count, flags, flags & 2 == 0 ? rights : 0,
            rights, 0, 32)
        return (errno, UInt64(try probe.u32(32)))
    }

    @Test("a symbolic link is followed when asked, and in the middle of a path always")
    func following() throws {
        try files.write(Array("text".utf8), to: "folder/file")
        #expect(try symlink("folder", "there") == 0)
        #expect(try symlink("there/file", "far") == 0)
        #expect(try probe.read(try open("there/file").descriptor, 4) == "text")
        #expect(try probe.read(try open("far").descriptor, 4) == "text")
        #expect(try open("far", follow: false).errno == Errno.loop)
        #expect(try open("there/", follow: false, flags: 2).errno == 0)
        #expect(files.read("far") == Array("text".utf8))
        // Up from what the link leads to, not from where it lies.
        #expect(try symlink("folder/../folder/file", "round") == 0)
        #expect(try probe.read(try open("round").descriptor, 4) == "text")
    }

    @Test("a link tells its own status, or its target's when followed")
    func status() throws {
        try files.write(Array("text".utf8), to: "file")
        #expect(try symlink("file", "link") == 0)
        let (address, count) = try probe.path("link")
        #expect(try probe.call("path_filestat_get", 3, 0, address, count, 512) == 0)
        #expect(try probe.bytes(512 + 16, 1) == [7])
        #expect(try probe.call("path_filestat_get", 3, 1, address, count, 512) == 0)
        #expect(try probe.bytes(512 + 16, 1) == [4])
    }

    @Test("a link is read back, cut to the buffer, and only a link")
    func reading() throws {
        try files.write([], to: "file")
        #expect(try symlink("target", "link") == 0)
        let (address, count) = try probe.path("link")
        #expect(try probe.call("path_readlink", 3, address, count, 900, 100, 16) == 0)
        #expect(try probe.u32(16) == 6)
        #expect(try probe.bytes(900, 6) == Array("target".utf8))
        #expect(try probe.call("path_readlink", 3, address, count, 900, 4, 16) == 0)
        #expect(try probe.u32(16) == 4)
        let (file, fileCount) = try probe.path("file")
        #expect(try probe.call("path_readlink", 3, file, fileCount, 900, 9, 16) == Errno.inval)
    }

    @Test("no link leads out of the folder that a path starts from")
    func sandbox() throws {
        try files.write([1], to: "secret")
        try files.write([2], to: "sub/x")
        #expect(try symlink("/etc/passwd", "absolute") == Errno.perm)
        #expect(try symlink("../secret", "sub/up") == 0)
        #expect(try symlink("../../etc/passwd", "sub/out") == 0)
        #expect(try open("sub/up").errno == 0)
        #expect(try open("sub/out").errno == Errno.notcapable)
        let sub = try open("sub", flags: 2).descriptor
        let (address, count) = try probe.path("up")
        #expect(
            try probe.call("path_open", sub, 1, address, count, 0, 2, 2, 0, 32)
                == Errno.notcapable)
    }

    @Test("links that lead to each other end with ELOOP, also in the middle of a path")
    func loops() throws {
        #expect(try symlink("b", "a") == 0)
        #expect(try symlink("a", "b") == 0)
        #expect(try symlink("self/self/self", "self") == 0)
        #expect(try open("a").errno == Errno.loop)
        #expect(try open("a/x").errno == Errno.loop)
        #expect(try open("self").errno == Errno.loop)
    }

    @Test("a link whose target doubles each time costs bounded work")
    func growingLinks() throws {
        // Each link names the one before it many times.
        #expect(try probe.open("l0", flags: 1).errno == 0)
        for level in 1...30 {
            let target = Array(repeating: "l\(level - 1)/..", count: 40).joined(separator: "/")
            #expect(try symlink(target, "l\(level)") == 0)
        }
        #expect(try open("l30").errno != 0)
    }

    @Test("creating through a dangling link makes its target; exclusively it refuses")
    func dangling() throws {
        #expect(try symlink("made", "link") == 0)
        #expect(try open("link").errno == Errno.noent)
        #expect(try open("link", flags: 1 | 4).errno == Errno.exist)
        #expect(try open("link", flags: 1).errno == 0)
        #expect(files.list("") == ["link", "made"])
    }

    @Test("removing and renaming touch the link, not its target")
    func removing() throws {
        try files.write([], to: "folder/file")
        #expect(try symlink("folder", "link") == 0)
        #expect(try onPath("path_remove_directory", "link") == Errno.notdir)
        #expect(try onPath("path_unlink_file", "link/") == Errno.notdir)
        #expect(try onPath("path_unlink_file", "link") == 0)
        #expect(files.list("") == ["folder"])
        #expect(files.list("folder") == ["file"])
    }

    @Test("a file with two names lives until the second is gone")
    func hardLinks() throws {
        try files.write(Array("text".utf8), to: "one")
        #expect(try link("one", "two") == 0)
        let (address, count) = try probe.path("two")
        #expect(try probe.call("path_filestat_get", 3, 0, address, count, 512) == 0)
        #expect(try probe.u64(512 + 24) == 2)
        #expect(try onPath("path_unlink_file", "one") == 0)
        #expect(files.read("two") == Array("text".utf8))
        #expect(try onPath("path_unlink_file", "two") == 0)
        #expect(files.list("") == [])
    }

    @Test("a second name is refused for a folder, over what exists, and after a slash")
    func hardLinkRefusals() throws {
        try files.write([], to: "file")
        try files.makeDirectory("folder")
        #expect(try link("folder", "x") == Errno.perm)
        #expect(try link("file", "folder") == Errno.exist)
        #expect(try link("file", "x/") == Errno.noent)
        #expect(try link("file", "x", flags: 1) == Errno.inval)
        #expect(try link("none", "x") == Errno.noent)
    }

    @Test("links count against the file system's bounds, and give back what they took")
    func bounds() throws {
        let small = WASIFileSystem(maximumBytes: 10, maximumNodes: 3)
        let probe = try Probe(fileSystem: small)
        let (from, _) = try probe.path("0123456789abcdef")
        let (to, toCount) = try probe.path("link", at: 600)
        #expect(try probe.call("path_symlink", from, 11, 3, to, toCount) == Errno.nospc)
        #expect(small.list("") == [])
        #expect(try probe.call("path_symlink", from, 10, 3, to, toCount) == 0)
        #expect(throws: WASIFileSystemError.self) { try small.write([1], to: "f") }
        #expect(try probe.call("path_unlink_file", 3, to, toCount) == 0)
        try small.write([1], to: "f")
        let (old, oldCount) = try probe.path("f")
        #expect(try probe.call("path_link", 3, 0, old, oldCount, 3, to, toCount) == 0)
        let (third, thirdCount) = try probe.path("third", at: 700)
        #expect(
            try probe.call("path_link", 3, 0, old, oldCount, 3, third, thirdCount) == Errno.nospc)
    }

    @Test("a path that ends in a slash wants a folder")
    func slashes() throws {
        try files.write([], to: "file")
        try files.makeDirectory("folder")
        #expect(try open("file/").errno == Errno.notdir)
        #expect(try open("file/.").errno == Errno.notdir)
        #expect(try open("new/", flags: 1).errno == Errno.isdir)
        #expect(try open("folder/", flags: 2).errno == 0)
        #expect(try onPath("path_unlink_file", "file/") == Errno.notdir)
        #expect(try onPath("path_unlink_file", "folder/") == Errno.isdir)
        #expect(try onPath("path_remove_directory", "folder/") == 0)
    }
}
