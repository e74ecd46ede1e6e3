import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import TestSupport
import Testing
import WebAssembly

@testable import PatchSDK

/// The parts that the larger tests only pass through.
@Suite struct SmallPartsTests {
    @Test("every kind of value survives its encoding")
    func valuesRoundTrip() throws {
        var generator = SeededGenerator()
        func check<Value: PatchValue & Equatable>(_ value: Value) throws {
            var writer = MessagePackWriter()
            value.write(to: &writer)
            var reader = MessagePackReader(writer.bytes)
            #expect(try Value(from: &reader) == value, "\(generator)")
            try reader.finish()
        }
        for _ in 0..<500 {
            let bits = UInt64.random(in: 0 ... .max, using: &generator)
            let shift = Int.random(in: 0..<64, using: &generator)
            try check(Int(truncatingIfNeeded: bits) >> shift)
            try check(UInt64(bits >> UInt64(shift)))
            try check(Int8(truncatingIfNeeded: bits))
            try check(UInt16(truncatingIfNeeded: bits))
            try check(bits & 1 == 0)
            try check(Double(Int64(bitPattern: bits)) / 3)
            try check(Float(Int32(truncatingIfNeeded: bits)) / 3)
            try check(bits & 2 == 0 ? Optional(Int(shift)) : nil)
            let text = String(
                (0..<shift).map { _ in "aß€😀".randomElement(using: &generator) ?? "x" })
            try check(text)
            try check([text, "", text])
            try check([[shift], [], [1, 2, 3]])
            try check([Optional(text), nil])
            try check(Data(text.utf8))
        }
    }

    @Test("a number that does not fit its type is an error when decoded")
    func narrowing() {
        var writer = MessagePackWriter()
        writer.int(300)
        let bytes = writer.bytes
        #expect(throws: MessagePackError.self) {
            var reader = MessagePackReader(bytes)
            _ = try UInt8(from: &reader)
        }
        #expect(throws: PatchError.self) {
            var two = MessagePackWriter()
            two.arrayHeader(2)
            two.int(1)
            two.int(2)
            var reader = MessagePackReader(two.bytes)
            _ = try Int?(from: &reader)
        }
    }

    @Test("arguments keep their order, types and number")
    func arguments() {
        var written = PatchArguments()
        written.i32(7)
        written.i64(.max)
        written.f32(1.5)
        written.f64(-2)
        #expect(written.count == 4)
        #expect(written.types == PatchArguments.packed([.i32, .i64, .f32, .f64]))
        #expect(written.slots[0] == 7 && written.slots[1] == .max)
        #expect(written.slots[2] == UInt64(Float(1.5).bitPattern))
        #expect(written.slots[3] == (-2.0).bitPattern)
        #expect(PatchArguments.packed([.funcRef]) == nil)
        #expect(PatchArguments.packed(Array(repeating: .i32, count: 17)) == nil)
        let four = patch_function(
            FunctionType(parameters: [.i32, .i64, .f32, .f64]), at: 0)
        #expect(written.fits(four))
        for _ in 0..<20 { written.i32(1) }
        #expect(!written.fits(four))
        #expect(!written.fits(patch_function(FunctionType(parameters: [.funcRef]), at: 0)))
    }

    @Test("a packed nil reads as nil, and the right scalar type is insisted on")
    func results() throws {
        var none = PatchResult(slot: 0, type: 1, instance: nil)
        #expect(try none.decoded { try $0.nextIsNil() })
        let number = PatchResult(slot: 5, type: 0, instance: nil)
        #expect(try number.i32() == 5)
        #expect(throws: PatchError(.resultMismatch)) { try number.i64() }
        #expect(throws: PatchError(.resultMismatch)) { try number.f64() }
        let nothing = PatchResult(slot: 0, type: 4, instance: nil)
        #expect(throws: PatchError(.resultMismatch)) { try nothing.i32() }
    }

    @Test("observers are called in order until they are cancelled")
    func observers() {
        let observers = Observers()
        let seen = Lock<[String]>([])
        func add(_ name: String) -> PatchObservation {
            observers.add { notice in
                guard case .state(let state) = notice else { return }
                seen.withLock { $0.append("\(name) \(state)") }
            }
        }
        let first = add("a")
        let second = add("b")
        observers.send(.state(.checking))
        first.cancel()
        observers.send(.state(.upToDate))
        observers.send(.release(nil))
        #expect(seen.withLock { $0 } == ["a checking", "b checking", "b upToDate"])
        second.cancel()
    }

    @Test("a download's progress is passed on once for each percent")
    func throttle() {
        let posted = Lock(0)
        let throttle = ProgressThrottle { _ in posted.withLock { $0 += 1 } }
        for step in 0...10_000 { throttle.report(Double(step) / 10_000) }
        #expect(posted.withLock { $0 } == 101)
    }

    @MainActor
    @Test("states arrive in order, to callbacks and to streams, until nobody listens")
    func observable() async {
        let observable = PatchUpdateStateObservable()
        var seen: [PatchUpdateState] = []
        observable.onChange { seen.append($0) }
        var stream = observable.states.makeAsyncIterator()
        #expect(await stream.next() == .idle)
        for share in [0.1, 0.2, 0.3] { observable.post(.downloading(share)) }
        observable.post(.readyToReload)
        #expect(await stream.next() == .downloading(0.1))
        #expect(await stream.next() == .downloading(0.2))
        #expect(await stream.next() == .downloading(0.3))
        #expect(await stream.next() == .readyToReload)
        #expect(observable.state == .readyToReload)
        #expect(seen.last == .readyToReload && seen.count == 4)
    }

    @Test("errors and events say what happened, why, and what to do")
    func texts() {
        let error = PatchError(.capabilityDenied, "'openpatch.fetch.get'")
        #expect(error.code == "capability_denied")
        #expect(error.description.contains("'openpatch.fetch.get'"))
        #expect(error.description.contains(Reason.capabilityDenied.advice))
        let event = PatchEvent(
            kind: .call, reason: .trapped, text: "it trapped",
            release: PatchRelease(version: "1.2", sequence: 3, digest: "", origin: .downloaded))
        #expect(event.description == "call 1.2: it trapped [trapped]")
    }
}
