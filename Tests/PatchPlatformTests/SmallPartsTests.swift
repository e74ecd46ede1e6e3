import Foundation
import PatchPlatform
import Testing

@Suite struct SmallPartsTests {
    @Test("a lock lets one thread at a time through")
    func lock() {
        let counter = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test("a lock is free again after an error")
    func lockAfterError() {
        struct Oops: Error {}
        let value = Lock(1)
        #expect(throws: Oops.self) { try value.withLock { _ in throw Oops() } }
        #expect(value.withLock { $0 } == 1)
    }

    @Test("a thread slot is each thread's own")
    func threadSlot() {
        let slot = ThreadSlot()
        slot.pointer = UnsafeMutableRawPointer(bitPattern: 8)
        let done = DispatchSemaphore(value: 0)
        let seen = Lock(true)
        Thread.detachNewThread {
            seen.withLock { $0 = slot.pointer != nil }
            done.signal()
        }
        done.wait()
        #expect(seen.withLock { $0 } == false)
        #expect(slot.pointer == UnsafeMutableRawPointer(bitPattern: 8))
        slot.pointer = nil
    }

    @Test("seeded numbers repeat, live ones do not")
    func random() {
        #expect(SeededRandom(seed: 1).bytes(16) == SeededRandom(seed: 1).bytes(16))
        #expect(LiveRandom().bytes(16) != LiveRandom().bytes(16))
        #expect(LiveRandom().bytes(0).isEmpty)
    }

    @Test("random UUIDs are of version 4 and in lower case")
    func uuid() throws {
        for seed in 0..<50 {
            let text = SeededRandom(seed: UInt64(seed)).uuid()
            let parsed = try #require(UUID(uuidString: text))
            #expect(parsed.uuidString.lowercased() == text)
            #expect(parsed.uuid.6 >> 4 == 4)
            #expect(parsed.uuid.8 >> 6 == 2)
        }
    }

    @Test("the live clock moves on; the manual one only when told")
    func clocks() {
        let live = LiveClock()
        #expect(live.monotonicNanoseconds() <= live.monotonicNanoseconds())
        #expect(abs(live.now() - Date().timeIntervalSince1970) < 60)
        let manual = ManualClock(now: 100)
        manual.advance(by: 2)
        #expect(manual.now() == 102 && manual.monotonicNanoseconds() == 2_000_000_000)
        manual.advance(by: -50)
        #expect(manual.now() == 52 && manual.monotonicNanoseconds() == 2_000_000_000)
    }

    @Test("this process knows itself")
    func process() {
        let process = LiveProcess()
        #expect(process.processIdentifier == ProcessInfo.processInfo.processIdentifier)
        #expect(process.kind == .app)
        #expect(process.bootIdentifier == LiveProcess().bootIdentifier)
    }
}
