import TestSupport
import Testing
import WebAssembly

@testable import WebAssemblyWASI

@Suite("Arguments, environment, clocks, randomness, exit")
struct ProcessTests {
    @Test("a guest sees the arguments it was given and none of the host's")
    func arguments() throws {
        let probe = try Probe(args: ["tool", "grüße", ""])
        #expect(try probe.call("args_sizes_get", 0, 4) == 0)
        #expect(try probe.u32(0) == 3)
        #expect(try probe.u32(4) == 5 + 8 + 1)
        #expect(try probe.call("args_get", 16, 64) == 0)
        #expect(try probe.u32(16) == 64)
        #expect(try probe.u32(20) == 69)
        #expect(try probe.u32(24) == 77)
        #expect(try probe.bytes(64, 14) == Array("tool\0grüße\0\0".utf8))

        let bare = try Probe()
        #expect(try bare.call("args_sizes_get", 0, 4) == 0)
        #expect(try bare.u64(0) == 0)
    }

    @Test("a guest sees the variables it was given and none of the host's")
    func environment() throws {
        let probe = try Probe(environment: ["B": "2", "A": "1"])
        #expect(try probe.call("environ_sizes_get", 0, 4) == 0)
        #expect(try probe.u32(0) == 2)
        #expect(try probe.call("environ_get", 16, 64) == 0)
        #expect(try probe.bytes(64, 8) == Array("A=1\0B=2\0".utf8))

        let bare = try Probe()
        #expect(try bare.call("environ_sizes_get", 0, 4) == 0)
        #expect(try bare.u64(0) == 0)
    }

    @Test("texts that a guest cannot be given are refused by name")
    func refusedTexts() {
        #expect(throws: WASIError.textWithNUL("a\0b")) { try WASIBridgeToHost(args: ["a\0b"]) }
        #expect(throws: WASIError.textWithNUL("K=\0")) {
            try WASIBridgeToHost(environment: ["K": "\0"])
        }
        let long = String(repeating: "x", count: 1 << 20)
        #expect(throws: WASIError.tooMuchText(bytes: (1 << 20) + 1)) {
            try WASIBridgeToHost(args: [long])
        }
    }

    @Test("clocks tell the host's time of day, and the time since the start")
    func clocks() throws {
        var host = WASIHost()
        host.wallClock = { 1_234_567_890_123_456_789 }
        var now: UInt64 = 5_000
        host.monotonicClock = {
            now += 100
            return now
        }
        let probe = try Probe(host: host)
        #expect(try probe.call("clock_time_get", 0, 1, 8) == 0)
        #expect(try probe.u64(8) == 1_234_567_890_123_456_789)
        #expect(try probe.call("clock_time_get", 1, 1, 8) == 0)
        #expect(try probe.u64(8) == 100)
        #expect(try probe.call("clock_res_get", 0, 8) == 0)
        #expect(try probe.u64(8) > 0)
        #expect(try probe.call("clock_time_get", 2, 1, 8) == Errno.notsup)
        #expect(try probe.call("clock_time_get", 99, 1, 8) == Errno.inval)
    }

    @Test("without a grant neither time nor randomness is told")
    func noGrants() throws {
        let probe = try Probe(grants: [])
        #expect(try probe.call("clock_time_get", 0, 1, 8) == Errno.perm)
        #expect(try probe.call("clock_time_get", 1, 1, 8) == Errno.perm)
        #expect(try probe.call("clock_res_get", 0, 8) == Errno.perm)
        #expect(try probe.call("random_get", 8, 8) == Errno.perm)
        #expect(try probe.u64(8) == 0)
    }

    @Test("random bytes fill the range asked for and nothing else")
    func random() throws {
        var host = WASIHost()
        host.random = { buffer in for index in buffer.indices { buffer[index] = 0xaa } }
        let probe = try Probe(host: host)
        #expect(try probe.call("random_get", 100, 10_000) == 0)
        #expect(try probe.bytes(99, 1) == [0])
        #expect(try probe.bytes(100, 10_000).allSatisfy { $0 == 0xaa })
        #expect(try probe.bytes(10_100, 1) == [0])
        #expect(try probe.call("random_get", 65_536, 0) == 0)
    }

    @Test("the system's own randomness differs from call to call")
    func systemRandomness() throws {
        let probe = try Probe()
        #expect(try probe.call("random_get", 0, 16) == 0)
        #expect(try probe.call("random_get", 16, 16) == 0)
        #expect(try probe.bytes(0, 16) != probe.bytes(16, 16))
    }

    @Test("leaving ends the call with the guest's code")
    func exit() throws {
        let probe = try Probe()
        #expect(throws: WASIExit(code: 3)) { try probe.call("proc_exit", 3) }
    }

    @Test("yielding succeeds, raising a signal is not supported")
    func yieldAndRaise() throws {
        let probe = try Probe()
        #expect(try probe.call("sched_yield") == 0)
        #expect(try probe.call("proc_raise", 6) == Errno.notsup)
    }

    @Test("there is no network", arguments: ["sock_recv", "sock_send", "sock_shutdown"])
    func sockets(name: String) throws {
        #expect(try Probe().call(name, 1, 0, 0, 0, 0, 0) == Errno.notsock)
    }
}

@Suite("Waiting")
struct PollTests {
    /// Lays a clock subscription at 1024.
    private func subscribe(
        _ probe: Probe, at address: UInt64 = 1024, timeout: UInt64, isAbsolute: Bool = false,
        userData: UInt64 = 77
    ) throws {
        try probe.put([UInt8](repeating: 0, count: 48), at: address)
        try probe.put(u64: userData, at: address)
        try probe.put(u32: 1, at: address + 16)
        try probe.put(u64: timeout, at: address + 24)
        try probe.put([isAbsolute ? 1 : 0], at: address + 40)
    }

    @Test("a guest that asks to sleep a year does not hold its host up, yet its year passes")
    func sleepIsSkipped() throws {
        var host = WASIHost()
        host.monotonicClock = { 0 }
        host.sleep = { _ in Issue.record("the host slept") }
        let probe = try Probe(host: host)
        let year: UInt64 = 365 * 86_400 * 1_000_000_000
        try subscribe(probe, timeout: year)
        #expect(try probe.call("poll_oneoff", 1024, 2048, 1, 8) == 0)
        #expect(try probe.u32(8) == 1)
        #expect(try probe.u64(2048) == 77)
        #expect(try probe.call("clock_time_get", 1, 1, 8) == 0)
        #expect(try probe.u64(8) == year)
    }

    @Test("the host waits as long as it allows")
    func sleepIsBounded() throws {
        var host = WASIHost()
        host.monotonicClock = { 0 }
        var slept: [UInt64] = []
        host.sleep = { slept.append($0) }
        host.maximumSleep = 500
        let probe = try Probe(host: host)
        try subscribe(probe, timeout: 300)
        try probe.call("poll_oneoff", 1024, 2048, 1, 8)
        try subscribe(probe, timeout: 900)
        try probe.call("poll_oneoff", 1024, 2048, 1, 8)
        #expect(slept == [300, 500])
    }

    @Test("a moment that has passed is ready at once, and the earliest clock wins")
    func absoluteAndEarliest() throws {
        var host = WASIHost()
        var now: UInt64 = 0
        host.monotonicClock = { now }
        let probe = try Probe(host: host)
        now = 1_000
        try subscribe(probe, timeout: 400, isAbsolute: true, userData: 1)
        try subscribe(probe, at: 1072, timeout: 10, userData: 2)
        #expect(try probe.call("poll_oneoff", 1024, 2048, 2, 8) == 0)
        #expect(try probe.u32(8) == 1)
        #expect(try probe.u64(2048) == 1)
    }

    @Test("a stream is always ready, an unknown descriptor is an event with its error")
    func descriptors() throws {
        let probe = try Probe()
        try probe.put([UInt8](repeating: 0, count: 96), at: 1024)
        try probe.put([1], at: 1032)
        try probe.put([2], at: 1080)
        try probe.put(u32: 99, at: 1088)
        #expect(try probe.call("poll_oneoff", 1024, 2048, 2, 8) == 0)
        #expect(try probe.u32(8) == 2)
        #expect(try probe.bytes(2056, 3) == [0, 0, 1])
        #expect(try probe.bytes(2088, 3) == [8, 0, 2])
    }

    @Test("nothing to wait for, too much, or an unknown kind is invalid")
    func invalid() throws {
        let probe = try Probe()
        #expect(try probe.call("poll_oneoff", 1024, 2048, 0, 8) == Errno.inval)
        #expect(try probe.call("poll_oneoff", 0, 0, 100_000, 8) == Errno.inval)
        try probe.put([9], at: 1032)
        #expect(try probe.call("poll_oneoff", 1024, 2048, 1, 8) == Errno.inval)
    }
}
