import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import Testing

@testable import PatchSDK

/// `Patch.call(_:_:returning:)`.
@Suite struct TypedCallTests {
    let patch = Patch()

    init() throws {
        patch.routing.swap(to: try Guests.load(try Guests.fullModule("hello", number: 1)))
    }

    @Test("the seed's greeting is read byte by byte")
    func greeting() throws {
        let count = try patch.call("greeting_len", returning: Int32.self)
        var bytes: [UInt8] = []
        for index in 0..<count {
            bytes.append(UInt8(try patch.call("greeting_byte", index, returning: Int32.self)))
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "hello")
    }

    @Test("Int crosses with 64 bits")
    func wideIntegers() throws {
        let sum = try patch.call(
            Guests.export(Guests.add), 5_000_000_000, -1, returning: Int.self)
        #expect(sum == 5_000_000_000)
    }

    @Test("text, bytes, arrays and optionals cross encoded")
    func encodedValues() throws {
        let echo = Guests.export(Guests.echo)
        #expect(try patch.call(echo, "Grüße", returning: String.self) == "Grüße")
        #expect(try patch.call(echo, Data([1, 2]), returning: Data.self) == Data([1, 2]))
        #expect(try patch.call(echo, [1, -2, 300], returning: [Int].self) == [1, -2, 300])
        #expect(try patch.call(echo, ["a": 1].keys.map { $0 }, returning: [String].self) == ["a"])
        #expect(try patch.call(echo, Int?.none, returning: Int?.self) == nil)
        #expect(try patch.call(echo, Optional("x"), returning: String?.self) == "x")
        #expect(try patch.call(echo, [true, false], returning: [Bool].self) == [true, false])
        #expect(try patch.call(echo, [1.5, -0.0], returning: [Double].self) == [1.5, 0])
        // Several arguments are one array.
        #expect(try patch.call(echo, "a", "b", returning: [String].self) == ["a", "b"])
    }

    func reason(_ body: () throws -> Void) -> Reason? {
        do {
            try body()
            return nil
        } catch {
            return (error as? PatchError)?.reason
        }
    }

    @Test("wrong names and types are errors with a code")
    func mistakes() {
        #expect(
            reason { _ = try patch.call("gone", returning: Int32.self) } == .exportMissing)
        #expect(
            reason { _ = try patch.call("greeting_byte", returning: Int32.self) }
                == .argumentMismatch)
        #expect(
            reason { _ = try patch.call("greeting_byte", 1, returning: Int32.self) }
                == .argumentMismatch)
        #expect(
            reason { _ = try patch.call("greeting_len", returning: Int.self) } == .resultMismatch)
        #expect(
            reason { _ = try patch.call("greeting_len", returning: UInt8.self) } == nil)
        #expect(
            reason { _ = try patch.call("greeting_len", "text", returning: Int32.self) }
                == .argumentMismatch)
        #expect(
            reason {
                _ = try patch.call(Guests.export(Guests.echo), "x", returning: Int.self)
            } == nil)
        #expect(
            reason { _ = try patch.call(Guests.export(Guests.trap), returning: Int32.self) }
                == .trapped)
        patch.routing.swap(to: nil)
        #expect(
            reason { _ = try patch.call("greeting_len", returning: Int32.self) }
                == .noActiveModule)
    }

    @Test("a value that does not fit the type asked for is an error, not another number")
    func tooLarge() throws {
        var wasm = WasmBuilder()
        wasm.function("big", [], [.i32], WasmBuilder.i32(300))
        wasm.function("negative", [], [.i32], WasmBuilder.i32(-1))
        patch.routing.swap(to: try Guests.load(try Guests.module(wasm)))
        #expect(reason { _ = try patch.call("big", returning: UInt8.self) } == .resultMalformed)
        #expect(try patch.call("negative", returning: Int8.self) == -1)
        #expect(try patch.call("negative", returning: UInt32.self) == .max)
        #expect(try patch.call("negative", returning: Bool.self))
    }

    @Test("an export without a result is called for its effect")
    func noResult() throws {
        try patch.call("op_free", Int32(0), Int32(0))
        #expect(reason { try patch.call("gone") } == .exportMissing)
    }
}
