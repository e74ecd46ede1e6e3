import Testing
import WebAssembly
import WebAssemblyWASI

@Suite("Standard streams")
struct StreamTests {
    @Test("what a guest prints reaches the host's sinks, gathered from its ranges")
    func output() throws {
        var printed: [UInt8] = []
        var complained: [UInt8] = []
        var host = WASIHost()
        host.standardOutput = { printed += $0 }
        host.standardError = { complained += $0 }
        let probe = try Probe(host: host)
        try probe.put(Array("Hello, wasi".utf8), at: 1000)
        for (index, range) in [(1000, 5), (1005, 0), (1005, 6)].enumerated() {
            try probe.put(u32: UInt32(range.0), at: 64 + UInt64(index) * 8)
            try probe.put(u32: UInt32(range.1), at: 68 + UInt64(index) * 8)
        }
        #expect(try probe.call("fd_write", 1, 64, 3, 16) == 0)
        #expect(try probe.u32(16) == 11)
        #expect(try probe.write(2, "oh") == 0)
        #expect(printed == Array("Hello, wasi".utf8))
        #expect(complained == Array("oh".utf8))
    }

    @Test("without sinks output is accepted and goes nowhere")
    func noSinks() throws {
        let probe = try Probe()
        #expect(try probe.write(1, "x") == 0)
        #expect(try probe.u32(16) == 1)
    }

    @Test("input is scattered over the ranges, and its end reads as nothing")
    func input() throws {
        var host = WASIHost()
        var rest = Array("abcdef".utf8)
        host.standardInput = { limit in
            defer { rest.removeFirst(min(limit, rest.count)) }
            return Array(rest.prefix(limit))
        }
        let probe = try Probe(host: host)
        for (index, range) in [(1000, 2), (2000, 3)].enumerated() {
            try probe.put(u32: UInt32(range.0), at: 64 + UInt64(index) * 8)
            try probe.put(u32: UInt32(range.1), at: 68 + UInt64(index) * 8)
        }
        #expect(try probe.call("fd_read", 0, 64, 2, 16) == 0)
        #expect(try probe.u32(16) == 5)
        #expect(try probe.bytes(1000, 2) == Array("ab".utf8))
        #expect(try probe.bytes(2000, 3) == Array("cde".utf8))
        #expect(try probe.read(0, 10) == "f")
        #expect(try probe.read(0, 10).isEmpty)
    }

    @Test("a host that gives more input than asked for cannot write past the guest's ranges")
    func tooMuchInput() throws {
        var host = WASIHost()
        host.standardInput = { limit in [UInt8](repeating: 1, count: limit + 50) }
        let probe = try Probe(host: host)
        #expect(try probe.read(0, 4).utf8.count == 4)
        #expect(try probe.bytes(4100, 4) == [0, 0, 0, 0])
    }

    @Test("writing to input, reading from output and unknown descriptors are refused")
    func wrongWay() throws {
        let probe = try Probe()
        #expect(try probe.write(0, "x") == Errno.badf)
        try probe.vector(4096, 4)
        #expect(try probe.call("fd_read", 1, 64, 1, 16) == Errno.badf)
        #expect(try probe.write(77, "x") == Errno.badf)
        #expect(try probe.call("fd_close", 77) == Errno.badf)
        #expect(try probe.call("fd_fdstat_get", 77, 0) == Errno.badf)
    }

    @Test("a stream cannot be sought, which is how libc knows a terminal")
    func noSeek() throws {
        let probe = try Probe()
        #expect(try probe.call("fd_seek", 1, 0, 1, 0) == Errno.spipe)
        #expect(try probe.call("fd_tell", 1, 0) == Errno.spipe)
        #expect(try probe.call("fd_fdstat_get", 1, 0) == 0)
        #expect(try probe.bytes(0, 1) == [2])
        #expect(try probe.u64(8) & (1 << 2 | 1 << 5) == 0)
        #expect(try probe.u64(8) & 1 << 6 != 0)
    }

    @Test("a closed stream is closed")
    func closing() throws {
        let probe = try Probe()
        #expect(try probe.call("fd_close", 1) == 0)
        #expect(try probe.write(1, "x") == Errno.badf)
        #expect(try probe.call("fd_renumber", 2, 1) == Errno.badf)
    }

    @Test("one call moves a bounded amount, and says how much")
    func boundedTransfer() throws {
        var count = 0
        var host = WASIHost()
        host.standardOutput = { count += $0.count }
        let probe = try Probe(host: host)
        for index in 0..<1024 {
            try probe.put(u32: 16_384, at: 16_384 + UInt64(index) * 8)
            try probe.put(u32: 49_152, at: 16_388 + UInt64(index) * 8)
        }
        #expect(try probe.call("fd_write", 1, 16_384, 1024, 16) == 0)
        #expect(count == 1 << 20)
        #expect(try probe.u32(16) == 1 << 20)
        #expect(try probe.call("fd_write", 1, 16_384, 1025, 16) == Errno.inval)
    }

    @Test("there are no files unless a file system is given")
    func noFiles() throws {
        let probe = try Probe()
        #expect(try probe.call("fd_prestat_get", 3, 0) == Errno.badf)
        let (errno, _) = try probe.open("x")
        #expect(errno == Errno.badf)
    }
}
