import Foundation
import PatchPlatform
import TestSupport
import Testing

@Suite struct FileStoreTests {
    let folder: TemporaryDirectory
    let files: LocalFileStore

    init() throws {
        folder = try TemporaryDirectory("files")
        files = LocalFileStore(folder: folder.url.appendingPathComponent("state"))
    }

    @Test("what is written is read back, in folders that did not exist")
    func roundTrip() throws {
        try files.writeAtomically([1, 2, 3], to: "a/b/c")
        #expect(try files.read("a/b/c", maximumSize: 3) == [1, 2, 3])
        #expect(try files.size(of: "a/b/c") == 3)
        #expect(try files.list("a/b") == ["c"])
        try files.writeAtomically([], to: "a/b/c")
        #expect(try files.read("a/b/c", maximumSize: 3) == [])
    }

    @Test("an absent file is nil, not an error")
    func absent() throws {
        #expect(try files.read("nothing", maximumSize: 10) == nil)
        #expect(try files.read("no/thing", maximumSize: 10) == nil)
        #expect(try files.size(of: "nothing") == nil)
        #expect(try files.list("nothing") == [])
        try files.remove("nothing")
    }

    @Test("a file larger than allowed is refused before it is read")
    func bounded() throws {
        try files.writeAtomically([1, 2, 3, 4], to: "f")
        #expect(throws: FileError(.tooLarge, name: "f")) {
            try files.read("f", maximumSize: 3)
        }
    }

    @Test(
        "names that leave the folder are refused",
        arguments: ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\0b"])
    func names(_ name: String) throws {
        #expect(throws: FileError(.badName, name: name)) {
            try files.read(name, maximumSize: 10)
        }
        #expect(throws: FileError(.badName, name: name)) {
            try files.writeAtomically([1], to: name)
        }
    }

    @Test("a folder is not read as a file")
    func folderAsFile() throws {
        try files.writeAtomically([1], to: "a/b")
        let error = #expect(throws: FileError.self) { try files.read("a", maximumSize: 10) }
        #expect(error?.code == "file_unreadable")
    }

    @Test("a place that cannot be written says so and leaves nothing behind")
    func unwritable() throws {
        // A folder below a plain file can never be made, whoever runs the test.
        try folder.write("x", to: "plain")
        let impossible = LocalFileStore(folder: folder.file("plain/state"))
        let error = #expect(throws: FileError.self) {
            try impossible.writeAtomically([1], to: "f")
        }
        #expect(error?.reason == .readOnly)
        #expect(error?.description.contains("writable") == true)
        #expect(try impossible.read("f", maximumSize: 1) == nil)
    }

    @Test("writing leaves no temporary file behind")
    func tidy() throws {
        for round in 0..<20 { try files.writeAtomically([UInt8(round)], to: "f") }
        #expect(try files.list(".") == ["f"])
    }

    @Test("a writer that is dropped leaves a file of the length it reached; appending continues it")
    func appending() throws {
        func write(_ bytes: [UInt8], appending: Bool) throws {
            let writer = try files.openForWriting("part", appending: appending)
            try bytes.withUnsafeBytes { try writer.write($0) }
        }
        try write([1, 2], appending: false)
        try write([3], appending: true)
        #expect(try files.read("part", maximumSize: 9) == [1, 2, 3])
        try write([9], appending: false)
        #expect(try files.read("part", maximumSize: 9) == [9])
        try files.move("part", to: "x/whole")
        #expect(try files.read("x/whole", maximumSize: 9) == [9])
        #expect(try files.list(".") == ["x"])
        try files.remove("x")
        #expect(try files.list(".") == [])
    }

    @Test("a lock excludes everybody else until it is released")
    func lock() throws {
        let first = try files.lock("lock", wait: false)
        #expect(first != nil)
        #expect(try files.lock("lock", wait: false) == nil)
        first?.release()
        let second = try files.lock("lock", wait: false)
        #expect(second != nil)
    }

    @Test("a lock of another process is seen, and gone when that process is killed")
    func lockOfAnotherProcess() throws {
        try files.writeAtomically([], to: "lock")
        let script = """
            import fcntl, sys
            f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print("held", flush=True)
            # Until it is killed, or the test that should do so is gone.
            sys.stdin.read()
            """
        let process = try ChildProcess(
            "python3", ["-c", script, try files.path("lock")], input: true)
        try process.waitForOutput("held")
        #expect(try files.lock("lock", wait: false) == nil)
        process.kill()
        #expect(try files.lock("lock", wait: true) != nil)
    }

    @Test("a process killed while it writes leaves the old file or the new one, never a mixture")
    func killedWhileWriting() throws {
        try files.writeAtomically([UInt8](repeating: 1, count: 100_000), to: "f")
        // The writer goes through the same steps: temporary file, fsync, rename.
        let script = """
            import os, sys, threading
            n = 0
            # Ends by itself when the test that should end it was killed.
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
            print("go", flush=True)
            while True:
                n = (n + 1) % 256
                with open(sys.argv[1] + ".tmp", "wb") as f:
                    f.write(bytes([n]) * 100000); f.flush(); os.fsync(f.fileno())
                os.rename(sys.argv[1] + ".tmp", sys.argv[1])
            """
        let process = try ChildProcess(
            "python3", ["-c", script, try files.path("f")], input: true)
        try process.waitForOutput("go")
        for _ in 0..<200 {
            let bytes = try #require(try files.read("f", maximumSize: 200_000))
            #expect(bytes.count == 100_000)
            #expect(bytes.allSatisfy { $0 == bytes[0] })
        }
        process.kill()
        let bytes = try #require(try files.read("f", maximumSize: 200_000))
        #expect(bytes.count == 100_000 && bytes.allSatisfy { $0 == bytes[0] })
    }
}
