import Testing
import WebAssembly
import WebAssemblyWASI

@Suite("Files in memory")
struct FileTests {
    @Test("the root is announced under its name")
    func preopen() throws {
        let probe = try Probe(fileSystem: WASIFileSystem())
        #expect(try probe.call("fd_prestat_get", 3, 0) == 0)
        #expect(try probe.bytes(0, 8) == [0, 0, 0, 0, 1, 0, 0, 0])
        #expect(try probe.call("fd_prestat_dir_name", 3, 16, 1) == 0)
        #expect(try probe.bytes(16, 1) == Array("/".utf8))
        #expect(try probe.call("fd_prestat_dir_name", 3, 16, 0) == Errno.nametoolong)
        #expect(try probe.call("fd_prestat_get", 4, 0) == Errno.badf)
    }

    @Test("what the host lays down a guest reads, and the other way")
    func bothWays() throws {
        let files = WASIFileSystem()
        try files.write(Array("from host".utf8), to: "/a/b.txt")
        let probe = try Probe(fileSystem: files)
        let (errno, descriptor) = try probe.open("a/b.txt")
        #expect(errno == 0)
        #expect(try probe.read(descriptor, 4) == "from")
        #expect(try probe.read(descriptor, 100) == " host")
        #expect(try probe.read(descriptor, 100).isEmpty)

        let made = try probe.open("a/c.txt", flags: 1)
        #expect(made.errno == 0)
        #expect(try probe.write(made.descriptor, "from guest") == 0)
        #expect(files.read("a/c.txt") == Array("from guest".utf8))
        #expect(files.list("a") == ["b.txt", "c.txt"])
    }

    @Test("no path leads out of the folder that it starts from")
    func sandbox() throws {
        let files = WASIFileSystem()
        try files.write([1], to: "secret")
        try files.write([2], to: "sub/x")
        let probe = try Probe(fileSystem: files)
        for path in ["..", "../etc/passwd", "/etc/passwd", "sub/../../secret", "/"] {
            #expect(try probe.open(path).errno == Errno.notcapable, "\(path)")
        }
        #expect(try probe.open("sub/../secret").errno == 0)
        let sub = try probe.open("sub", flags: 2, rights: 0)
        let (address, count) = try probe.path("../secret")
        #expect(
            try probe.call("path_open", sub.descriptor, 0, address, count, 0, 2, 2, 0, 32)
                == Errno.notcapable)
    }

    @Test("opening obeys create, exclusive, truncate and folder")
    func openFlags() throws {
        let files = WASIFileSystem()
        try files.write(Array("old".utf8), to: "f")
        let probe = try Probe(fileSystem: files)
        #expect(try probe.open("new").errno == Errno.noent)
        #expect(try probe.open("f", flags: 1 | 4).errno == Errno.exist)
        #expect(try probe.open("f", flags: 2).errno == Errno.notdir)
        #expect(try probe.open("f/g").errno == Errno.notdir)
        #expect(try probe.open("no/g", flags: 1).errno == Errno.noent)
        #expect(try probe.open("f", flags: 8).errno == 0)
        #expect(files.read("f") == [])
    }

    @Test("seeking, appending and positioned access")
    func positions() throws {
        let files = WASIFileSystem()
        try files.write(Array("0123456789".utf8), to: "f")
        let probe = try Probe(fileSystem: files)
        let file = try probe.open("f").descriptor
        #expect(try probe.call("fd_seek", file, 4, 0, 8) == 0)
        #expect(try probe.read(file, 2) == "45")
        #expect(try probe.call("fd_seek", file, UInt64(bitPattern: -3), 1, 8) == 0)
        #expect(try probe.u64(8) == 3)
        #expect(try probe.call("fd_seek", file, UInt64(bitPattern: -1), 2, 8) == 0)
        #expect(try probe.read(file, 5) == "9")
        #expect(try probe.call("fd_tell", file, 8) == 0)
        #expect(try probe.u64(8) == 10)
        #expect(try probe.call("fd_seek", file, UInt64(bitPattern: -11), 2, 8) == Errno.inval)
        #expect(try probe.call("fd_seek", file, .max >> 1, 1, 8) == Errno.inval)
        #expect(try probe.call("fd_seek", file, 0, 9, 8) == Errno.inval)

        try probe.put(Array("AB".utf8), at: 4096)
        try probe.vector(4096, 2)
        #expect(try probe.call("fd_pwrite", file, 64, 1, 1, 16) == 0)
        #expect(try probe.call("fd_pread", file, 64, 1, 2, 16) == 0)
        #expect(try probe.bytes(4096, 2) == Array("B3".utf8))

        let appending = try probe.open("f", append: true).descriptor
        #expect(try probe.write(appending, "++") == 0)
        #expect(files.read("f") == Array("0AB3456789++".utf8))
    }

    @Test("writing past the end leaves zeros between")
    func hole() throws {
        let files = WASIFileSystem()
        let probe = try Probe(fileSystem: files)
        let file = try probe.open("f", flags: 1).descriptor
        #expect(try probe.call("fd_seek", file, 3, 0, 8) == 0)
        #expect(try probe.write(file, "x") == 0)
        #expect(files.read("f") == [0, 0, 0, UInt8(ascii: "x")])
        #expect(try probe.call("fd_filestat_set_size", file, 1) == 0)
        #expect(files.read("f") == [0])
    }

    @Test("a descriptor opened to read cannot write, and the other way")
    func rights() throws {
        let files = WASIFileSystem()
        try files.write([1], to: "f")
        let probe = try Probe(fileSystem: files)
        let reader = try probe.open("f", rights: 1 << 1).descriptor
        #expect(try probe.write(reader, "x") == Errno.notcapable)
        #expect(try probe.call("fd_filestat_set_size", reader, 0) == Errno.notcapable)
        let writer = try probe.open("f", rights: 1 << 6).descriptor
        try probe.vector(4096, 1)
        #expect(try probe.call("fd_read", writer, 64, 1, 16) == Errno.notcapable)
    }

    @Test("files and folders are made, listed, renamed and removed")
    func folders() throws {
        let files = WASIFileSystem()
        let probe = try Probe(fileSystem: files)
        func make(_ name: String) throws -> UInt32? {
            let (address, count) = try probe.path(name)
            return try probe.call("path_create_directory", 3, address, count)
        }
        func remove(_ name: String, folder: Bool) throws -> UInt32? {
            let (address, count) = try probe.path(name)
            let call = folder ? "path_remove_directory" : "path_unlink_file"
            return try probe.call(call, 3, address, count)
        }
        func rename(_ from: String, _ to: String) throws -> UInt32? {
            let (old, oldCount) = try probe.path(from)
            let (new, newCount) = try probe.path(to, at: 600)
            return try probe.call("path_rename", 3, old, oldCount, 3, new, newCount)
        }
        #expect(try make("a") == 0)
        #expect(try make("a") == Errno.exist)
        #expect(try make("x/y") == Errno.noent)
        #expect(try make("a/b") == 0)
        #expect(try probe.open("a/f", flags: 1).errno == 0)
        #expect(try remove("a", folder: true) == Errno.notempty)
        #expect(try remove("a", folder: false) == Errno.isdir)
        #expect(try remove("a/f", folder: true) == Errno.notdir)
        #expect(try rename("a", "a/b/c") == Errno.inval)
        #expect(try rename("a/f", "a/b") == Errno.isdir)
        #expect(try rename("a/b", "a/f") == Errno.notdir)
        #expect(try rename("a/f", "a/b/g") == 0)
        #expect(try rename("a/no", "q") == Errno.noent)
        #expect(files.list("a/b") == ["g"])
        #expect(try remove("a/b/g", folder: false) == 0)
        #expect(try remove("a/b", folder: true) == 0)
        #expect(files.list("a") == [])
    }

    @Test("a folder is read in parts without losing or doubling a name")
    func readFolder() throws {
        let files = WASIFileSystem()
        let names = (0..<20).map { "file-\($0)" }
        for name in names { try files.write([], to: name) }
        let probe = try Probe(fileSystem: files)
        var found: [String] = []
        var cookie: UInt64 = 0
        while true {
            #expect(try probe.call("fd_readdir", 3, 8192, 100, cookie, 16) == 0)
            let used = UInt64(try probe.u32(16))
            var at: UInt64 = 0
            while at + 24 <= used {
                let length = UInt64(try probe.u32(8192 + at + 16))
                guard at + 24 + length <= used else { break }
                let name = try probe.bytes(8192 + at + 24, Int(length))
                found.append(String(decoding: name, as: UTF8.self))
                cookie = try probe.u64(8192 + at)
                at += 24 + length
            }
            if used < 100 { break }
        }
        #expect(found == [".", ".."] + names.sorted())
    }

    @Test("what a file is and when it was changed")
    func status() throws {
        var host = WASIHost()
        host.wallClock = { 42 }
        let files = WASIFileSystem()
        let probe = try Probe(host: host, fileSystem: files)
        let file = try probe.open("f", flags: 1).descriptor
        #expect(try probe.write(file, "12345") == 0)
        let (address, count) = try probe.path("f")
        #expect(try probe.call("path_filestat_get", 3, 0, address, count, 512) == 0)
        #expect(try probe.bytes(512 + 16, 1) == [4])
        #expect(try probe.u64(512 + 32) == 5)
        #expect(try probe.u64(512 + 48) == 42)
        #expect(try probe.call("fd_filestat_set_times", file, 7, 8, 1 | 4) == 0)
        #expect(try probe.call("fd_filestat_get", file, 512) == 0)
        #expect(try probe.u64(512 + 40) == 7)
        #expect(try probe.u64(512 + 48) == 8)
        #expect(try probe.call("fd_filestat_set_times", file, 0, 0, 3) == Errno.inval)
    }

    @Test("a full file system refuses, and has room again once something is removed")
    func quota() throws {
        let files = WASIFileSystem(maximumBytes: 10, maximumNodes: 3)
        let probe = try Probe(fileSystem: files)
        let file = try probe.open("f", flags: 1).descriptor
        #expect(try probe.write(file, "0123456789") == 0)
        #expect(try probe.write(file, "x") == Errno.nospc)
        #expect(try probe.call("fd_filestat_set_size", file, .max) != 0)
        #expect(try probe.call("fd_filestat_set_size", file, 1 << 40) == Errno.nospc)
        #expect(try probe.call("fd_seek", file, 1 << 50, 0, 8) == 0)
        #expect(try probe.write(file, "x") == Errno.nospc)
        #expect(try probe.open("g", flags: 1).errno == 0)
        #expect(try probe.open("h", flags: 1).errno == Errno.nospc)
        let (address, count) = try probe.path("f")
        #expect(try probe.call("path_unlink_file", 3, address, count) == 0)
        #expect(throws: WASIFileSystemError.self) { try files.write([1], to: "h") }
        #expect(try probe.call("fd_close", file) == 0)
        try files.write([1], to: "h")
        #expect(files.read("h") == [1])
    }

    @Test("a guest cannot open more descriptors than a bound")
    func descriptorBound() throws {
        let probe = try Probe(fileSystem: WASIFileSystem())
        var opened = 0
        while opened < 2000, try probe.open("f", flags: 1).errno == 0 { opened += 1 }
        #expect(opened < 1100)
        #expect(try probe.open("f").errno == Errno.mfile)
    }

    @Test("folders nest to a bound, by making and by moving")
    func depthBound() throws {
        let files = WASIFileSystem()
        let probe = try Probe(fileSystem: files)
        var folder: UInt64 = 3
        var depth = 0
        while depth < 1000 {
            let (address, count) = try probe.path("d")
            guard try probe.call("path_create_directory", folder, address, count) == 0 else {
                break
            }
            #expect(
                try probe.call("path_open", folder, 0, address, count, 2, 0, 0, 0, 32) == 0)
            folder = UInt64(try probe.u32(32))
            depth += 1
        }
        #expect(depth == 256)
        try files.write([], to: "top/f")
        let (from, fromCount) = try probe.path("top")
        let (to, toCount) = try probe.path("t", at: 600)
        #expect(
            try probe.call("path_rename", 3, from, fromCount, folder, to, toCount)
                == Errno.nametoolong)
    }

    @Test("two spellings of one character are two names")
    func names() throws {
        let files = WASIFileSystem()
        let probe = try Probe(fileSystem: files)
        #expect(try probe.open("\u{e9}", flags: 1 | 4).errno == 0)
        #expect(try probe.open("e\u{301}", flags: 1 | 4).errno == 0)
        #expect(files.list("")?.count == 2)
    }

    @Test("a path that is no text, holds NUL, or is too long is refused")
    func badPaths() throws {
        let probe = try Probe(fileSystem: WASIFileSystem())
        try probe.put([0xff, 0xfe], at: 100)
        #expect(try probe.call("path_open", 3, 0, 100, 2, 1, 2, 2, 0, 32) == Errno.ilseq)
        try probe.put([0x61, 0], at: 100)
        #expect(try probe.call("path_open", 3, 0, 100, 2, 1, 2, 2, 0, 32) == Errno.ilseq)
        #expect(try probe.call("path_open", 3, 0, 100, 5000, 1, 2, 2, 0, 32) == Errno.nametoolong)
        #expect(try probe.open(String(repeating: "n", count: 256)).errno == Errno.nametoolong)
        #expect(try probe.open("").errno == Errno.noent)
    }

    @Test("closing the root takes the files away")
    func closingTheRoot() throws {
        let probe = try Probe(fileSystem: WASIFileSystem())
        #expect(try probe.call("fd_close", 3) == 0)
        #expect(try probe.open("f", flags: 1).errno == Errno.badf)
        #expect(try probe.call("fd_prestat_get", 3, 0) == Errno.badf)
    }
}
