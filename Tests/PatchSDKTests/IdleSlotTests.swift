import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import TestSupport
import Testing

@testable import PatchSDK

/// Calls that take no lock: whose instance they have, and what becomes of it.
@Suite struct IdleSlotTests {
    /// Counts the calls of its instance.
    private static let count: UInt64 = 0xF1
    /// Runs what the test wants in the middle of a call, then counts.
    private static let middle: UInt64 = 0xF2
    private static let trap: UInt64 = 0xF3
    private static let loop: UInt64 = 0xF4
    private static let all = [count, middle, trap, loop]

    private let reports = Lock<[Reason]>([])
    private let table: RoutingTable
    private let inTheMiddle = Lock<(@Sendable () -> Void)?>(nil)

    init() {
        let reports = reports
        table = RoutingTable { error, _ in reports.withLock { $0.append(error.reason) } }
    }

    /// A module that counts from `start` on.
    private func load(
        countingFrom start: UInt8 = 0, _ change: (inout PatchLimits) -> Void = { _ in }
    ) throws -> LoadedModule {
        var wasm = WasmBuilder()
        let log = wasm.importFunction("openpatch", "log.write", [.i32, .i32, .i32])
        wasm.place([start], at: 64)
        let zero = WasmBuilder.i32(0)
        // i32.store offset=64 (0, i32.load offset=64 (0) + 1); i32.load offset=64 (0)
        let next =
            zero + zero + [0x28, 2, 0x40] + WasmBuilder.i32(1) + [0x6A, 0x36, 2, 0x40]
            + zero + [0x28, 2, 0x40]
        wasm.function(Guests.export(Self.count), [], [.i32], next)
        wasm.function(
            Guests.export(Self.middle), [], [.i32], zero + zero + zero + [0x10, log] + next)
        wasm.function(Guests.export(Self.trap), [], [.i32], [0x00])
        wasm.function(Guests.export(Self.loop), [], [.i32], [0x03, 0x40, 0x0C, 0, 0x0B, 0x00])
        let bytes = try Guests.module(wasm) { section in
            section.functions = Self.all.map {
                .init(id: $0, export: Guests.export($0), sig: Guests.signature)
            }
            section.capabilities = [.log]
        }
        let inTheMiddle = inTheMiddle
        return try Guests.load(
            bytes, { change(&$0.limits) },
            log: { _, _ in inTheMiddle.withLock { $0 }?() })
    }

    private static func call(_ table: RoutingTable, _ id: UInt64) -> UInt32? {
        table.invoke(id, { _ in }, { try $0.i32() })
    }

    private func call(_ id: UInt64) -> UInt32? { Self.call(table, id) }

    @Test("calls one after the other share an instance, and a failed call's is not used again")
    func oneAfterTheOther() throws {
        table.swap(to: try load())
        #expect((0..<5).map { _ in call(Self.count) } == [1, 2, 3, 4, 5])
        #expect(call(Self.trap) == nil)
        #expect(table.isIdle)
        #expect((0..<3).map { _ in call(Self.count) } == [1, 2, 3])
        #expect(reports.withLock { $0 } == [.trapped])
    }

    @Test("a call that hangs after others have returned ends in time, and its instance with it")
    func hangs() throws {
        table.swap(to: try load { $0.callNanoseconds = 30_000_000 })
        #expect([call(Self.count), call(Self.count)] == [1, 2])
        #expect(call(Self.loop) == nil)
        #expect(reports.withLock { $0 } == [.timeLimit])
        #expect(call(Self.count) == 1)
        #expect(table.isIdle)
    }

    @Test("a call made inside of one has its instance, and one on another thread has another")
    func inside() throws {
        table.swap(to: try load())
        _ = call(Self.count)
        let seen = Lock<[UInt32?]>([])
        let (table, inTheMiddle) = (table, inTheMiddle)
        inTheMiddle.withLock {
            $0 = {
                inTheMiddle.withLock { $0 = nil }
                let same = Self.call(table, Self.count)
                let other = Lock<UInt32?>(nil)
                let thread = Thread {
                    other.withLock { $0 = Self.call(table, Self.count) ?? 99 }
                }
                thread.start()
                while other.withLock({ $0 }) == nil { usleep(1000) }
                seen.withLock { $0 = [same, other.withLock { $0 }] }
                #expect(!table.isIdle)
            }
        }
        #expect(call(Self.middle) == 3)
        #expect(seen.withLock { $0 } == [2, 1])
        #expect(table.isIdle)
    }

    @Test("a swap in the middle of a call leaves that call alone and the old module nowhere")
    func swapInTheMiddle() throws {
        let (table, inTheMiddle) = (table, inTheMiddle)
        let next = try load(countingFrom: 100)
        weak var old: LoadedModule?
        let wasBusy = Lock(false)
        do {
            let first = try load()
            old = first
            table.swap(to: first)
        }
        _ = call(Self.count)
        inTheMiddle.withLock {
            $0 = {
                let before = table.active
                table.swap(to: next)
                wasBusy.withLock { $0 = before?.isIdle == false }
                // On this thread the old one serves still.
                #expect(Self.call(table, Self.count) == 2)
            }
        }
        #expect(call(Self.middle) == 3)
        #expect(wasBusy.withLock { $0 }, "the module that was swapped out counts the call")
        #expect(old == nil)
        #expect([call(Self.count), call(Self.count)] == [101, 102])
        #expect(table.isIdle && next.isIdle)
    }

    @Test("a rollback in the middle of a call lets it end, and native code serves the next")
    func rollbackInTheMiddle() throws {
        let (table, inTheMiddle) = (table, inTheMiddle)
        table.swap(to: try load())
        _ = call(Self.count)
        inTheMiddle.withLock { $0 = { table.swap(to: nil) } }
        #expect(call(Self.middle) == 2)
        #expect(call(Self.count) == nil)
        #expect(table.isIdle)
        #expect(reports.withLock { $0 }.isEmpty)
    }

    @Test("a failure after a swap in the middle is not counted against the new module")
    func failureAfterSwap() throws {
        let (table, inTheMiddle) = (table, inTheMiddle)
        let first = try load { $0.callNanoseconds = 20_000_000 }
        table.swap(to: first)
        _ = call(Self.count)
        inTheMiddle.withLock {
            $0 = {
                table.swap(to: nil)
                _ = Self.call(table, Self.trap)
            }
        }
        _ = call(Self.middle)
        #expect(first.isIdle && table.isIdle)
        table.swap(to: first)
        #expect(call(Self.count) == 1, "what was in the middle of a failure is gone")
    }

    @Test("what was demoted is native's again only until its module is made active again")
    func demotion() throws {
        let module = try load()
        table.swap(to: module)
        _ = call(Self.count)
        for _ in 0..<5 { _ = call(Self.trap) }
        #expect(reports.withLock { $0 } == [.trapped, .demoted])
        table.swap(to: module)
        _ = call(Self.count)
        _ = call(Self.trap)
        #expect(reports.withLock { $0 } == [.trapped, .demoted, .trapped])
    }

    @Test(
        "no more instances are kept than the limits say, and none once nobody has the table",
        arguments: [(0, 0), (2, 2), (8, 8), (11, 11), (40, 12)])
    func kept(_ limit: Int, _ expected: Int) throws {
        final class Seen { weak var instance: ModuleInstance? }
        var seen: [Seen] = []
        weak var gone: LoadedModule?
        do {
            let table = RoutingTable { _, _ in }
            let module = try load { $0.idleInstances = limit }
            gone = module
            table.swap(to: module)
            var leases = (0..<12).map { _ in table.lease(of: module) }
            for index in leases.indices {
                let one = Seen()
                one.instance = try leases[index].instance()
                seen.append(one)
                leases[index].hasReturned = true
            }
            #expect(seen.allSatisfy { $0.instance != nil })
            while let lease = leases.popLast() { table.end(lease) }
            #expect(seen.count { $0.instance != nil } == expected)
            #expect(Self.call(table, Self.count) == 1)
            #expect(seen.count { $0.instance != nil } == expected)
        }
        #expect(gone == nil)
        #expect(seen.allSatisfy { $0.instance == nil })
    }

    @Test("an async call takes an idle instance and leaves it for the next call")
    func tasks() async throws {
        table.swap(to: try load())
        #expect(call(Self.count) == 1)
        let (outcome, found) = await table.serveTask(Self.count, { _ in }, { try $0.i32() })
        #expect(outcome.isServed && found == 2)
        #expect(call(Self.count) == 3)
    }
}
