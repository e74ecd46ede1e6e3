import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import Testing

@testable import PatchSDK

/// Calls into a module: what comes back, and what happens when it goes wrong.
@Suite struct CallTests {
    let reports = Lock<[Reason]>([])
    let table: RoutingTable

    init() throws {
        let reports = reports
        table = RoutingTable { error, _ in reports.withLock { $0.append(error.reason) } }
        table.swap(to: try Guests.load(try Guests.fullModule("hello", number: 0)))
    }

    func activate(
        number: Int64 = 0, _ change: (inout ModuleExpectation) -> Void = { _ in }
    ) throws {
        table.swap(to: try Guests.load(try Guests.fullModule("x", number: number), change))
    }

    func add(_ left: Int64, _ right: Int64) -> Int64? {
        table.invoke(
            Guests.add,
            {
                $0.i64(UInt64(bitPattern: left))
                $0.i64(UInt64(bitPattern: right))
            }, { Int64(bitPattern: try $0.i64()) })
    }

    // MARK: Routed functions

    @Test("scalars go in and come out, 64 bits wide")
    func scalars() {
        #expect(add(2, 3) == 5)
        #expect(add(5_000_000_000, 0) == 5_000_000_000)
        #expect(add(.min, -1) == .max)
    }

    @Test("floats and narrow integers keep their values")
    func floats() {
        let result: Double? = table.invoke(
            Guests.mixed,
            {
                $0.i32(UInt32(bitPattern: -7))
                $0.f32(0.5)
                $0.f64(1e12)
            }, { try $0.f64() })
        #expect(result == 1e12 + 0.5 - 7)
    }

    @Test("an encoded value crosses both ways")
    func encoded() {
        let text = String(repeating: "Grüße ", count: 100)
        let result: String? = table.invoke(
            Guests.echo, { $0.encoded { $0.string(text) } },
            { try $0.decoded { try $0.string() } })
        #expect(result == text)
        let label: String? = table.invoke(
            Guests.label, { $0.i64(1) }, { try $0.decoded { try $0.string() } })
        #expect(label == "label 0")
    }

    @Test("a function that the module does not cover is native's")
    func uncovered() {
        #expect(table.invoke(0xFFFF, { _ in }, { try $0.i32() }) == nil)
        table.swap(to: nil)
        #expect(add(1, 1) == nil)
        #expect(reports.withLock { $0 }.isEmpty)
    }

    @Test("a trap is served natively, reported once, and the next call gets a fresh instance")
    func trap() {
        #expect(table.invoke(Guests.trap, { _ in }, { try $0.i32() }) == nil)
        #expect(table.invoke(Guests.trap, { _ in }, { try $0.i32() }) == nil)
        #expect(reports.withLock { $0 } == [.trapped])
        #expect(add(1, 1) == 2)
    }

    @Test("a function that fails three times is native's until the next release")
    func demotion() throws {
        for _ in 0..<10 { _ = table.invoke(Guests.trap, { _ in }, { try $0.i32() }) }
        #expect(reports.withLock { $0 } == [.trapped, .demoted])
        #expect(add(1, 1) == 2)
        try activate()
        _ = table.invoke(Guests.trap, { _ in }, { try $0.i32() })
        #expect(reports.withLock { $0 } == [.trapped, .demoted, .trapped])
    }

    @Test("an endless loop ends at its limit and the app lives")
    func endlessLoop() throws {
        try activate { $0.limits.callNanoseconds = 500_000_000 }
        let begun = LiveClock().monotonicNanoseconds()
        #expect(table.invoke(Guests.loop, { _ in }, { try $0.i32() }) == nil)
        #expect(LiveClock().monotonicNanoseconds() - begun >= 500_000_000)
        #expect(reports.withLock { $0 } == [.timeLimit])
        #expect(add(1, 1) == 2)
    }

    @Test("unbounded recursion ends in a trap and the app lives")
    func recursion() {
        #expect(table.invoke(Guests.recursion, { $0.i32(1) }, { try $0.i32() }) == nil)
        #expect(reports.withLock { $0 } == [.trapped])
        #expect(add(1, 1) == 2)
    }

    @Test("a result that points outside the module's memory is refused")
    func liar() {
        let result: String? = table.invoke(
            Guests.liar, { _ in }, { try $0.decoded { try $0.string() } })
        #expect(result == nil)
        #expect(reports.withLock { $0 } == [.guestMemoryFault])
        #expect(add(1, 1) == 2)
    }

    @Test("arguments and results of other types than the export's are refused, not reinterpreted")
    func types() {
        #expect(table.invoke(Guests.add, { $0.i64(1) }, { try $0.i64() }) == nil)
        #expect(
            table.invoke(
                Guests.add,
                {
                    $0.i32(1)
                    $0.i64(1)
                }, { try $0.i64() }) == nil)
        #expect(reports.withLock { $0 } == [.argumentMismatch])
        let wrong: UInt32? = table.invoke(
            Guests.label, { $0.i64(0) }, { try $0.i32() })
        #expect(wrong == nil)
        #expect(reports.withLock { $0 } == [.argumentMismatch, .resultMismatch])
    }

    @Test("bytes that decode to something else, or to less than all, are refused")
    func malformedResult() {
        let number: Int64? = table.invoke(
            Guests.label, { $0.i64(0) }, { try $0.decoded { try $0.int() } })
        #expect(number == nil)
        let nothing: Bool? = table.invoke(
            Guests.label, { $0.i64(0) }, { try $0.decoded { _ in true } })
        #expect(nothing == nil)
        #expect(reports.withLock { $0 } == [.resultMalformed])
    }

    @Test("more scalars than a call carries are native's")
    func tooMany() {
        let result: UInt64? = table.invoke(
            Guests.add, { for index in 0..<40 { $0.i64(UInt64(index)) } }, { try $0.i64() })
        #expect(result == nil)
        #expect(reports.withLock { $0 } == [.argumentMismatch])
    }

    // MARK: Versions and threads

    @Test("a call made inside a call reaches the same instance and the same version")
    func nested() throws {
        let table = table
        let seen = Lock<[Int64?]>([])
        let next = try Guests.load(try Guests.fullModule("two", number: 200))
        let module = try Guests.load(
            try Guests.fullModule("one", number: 100),
            log: { _, _ in
                // A swap in the middle of the outer call.
                table.swap(to: next)
                let inner: Int64? = table.invoke(
                    Guests.add,
                    {
                        $0.i64(1)
                        $0.i64(2)
                    }, { Int64(bitPattern: try $0.i64()) })
                seen.withLock { $0.append(inner) }
            })
        table.swap(to: module)
        #expect(table.invoke(Guests.logs, { $0.i64(7) }, { try $0.i64() }) == 7)
        #expect(seen.withLock { $0 } == [103])
        #expect(add(1, 2) == 203)
    }

    @Test("what a module logs arrives")
    func logs() throws {
        let lines = Lock<[String]>([])
        table.swap(
            to: try Guests.load(
                try Guests.fullModule("a line"),
                log: { level, text in lines.withLock { $0.append("\(level) \(text)") } }))
        #expect(table.invoke(Guests.logs, { $0.i64(1) }, { try $0.i64() }) == 1)
        #expect(lines.withLock { $0 } == ["1 a line"])
    }

    @Test("eight threads call while versions are swapped, and no call sees two of them")
    func threads() throws {
        let versions = try (0..<4).map {
            try Guests.load(try Guests.fullModule("v", number: Int64($0) * 1000))
        }
        table.swap(to: versions[0])
        let table = table
        let wrong = Lock<[Int64]>([])
        DispatchQueue.concurrentPerform(iterations: 9) { worker in
            if worker == 8 {
                for round in 0..<200 { table.swap(to: versions[round % 4]) }
                return
            }
            for round in 0..<300 {
                let sum: Int64? = table.invoke(
                    Guests.add,
                    {
                        $0.i64(UInt64(worker))
                        $0.i64(UInt64(round))
                    }, { Int64(bitPattern: try $0.i64()) })
                let rest = (sum ?? -1) - Int64(worker + round)
                if ![0, 1000, 2000, 3000].contains(rest) { wrong.withLock { $0.append(rest) } }
            }
        }
        #expect(wrong.withLock { $0 }.isEmpty)
        #expect(reports.withLock { $0 }.isEmpty)
    }

    // MARK: Gates

    @Test("gates open for what the module serves with the same signature, and close again")
    func gates() throws {
        var surface = Guests.surface
        surface.functions[Guests.trap]?.sig = 1
        surface.functions[0xB0] = Surface.Function(gate: 0xB0, sig: Guests.signature)
        table.setSurface(surface)
        table.swap(to: try Guests.load(try Guests.fullModule()))
        #expect(patch_gate_is_open(UInt16(Guests.add)))
        #expect(!patch_gate_is_open(UInt16(Guests.trap)))
        #expect(!patch_gate_is_open(0xB0))
        for _ in 0..<3 { _ = table.invoke(Guests.recursion, { $0.i32(1) }, { try $0.i32() }) }
        #expect(!patch_gate_is_open(UInt16(Guests.recursion)))
        table.swap(to: nil)
        #expect(!patch_gate_is_open(UInt16(Guests.add)))
    }

    @Test("a surface is read as the generated code writes it")
    func surfaceDocument() throws {
        let json = """
            {"v":1,"fp_surface":"ab","functions":[\
            {"id":"00000000000000a1","gate":3,"sig":"0000000000000051"}]}
            """
        let surface = try Surface(json: Array(json.utf8))
        #expect(surface.functions == [Guests.add: .init(gate: 3, sig: Guests.signature)])
        #expect(surface.signatures == ["00000000000000a1": "0000000000000051"])
        for bad in [
            "", "{}", "{\"v\":2,\"functions\":[]}",
            "{\"v\":1,\"functions\":[{\"id\":\"x\",\"gate\":1,\"sig\":\"y\"}]}",
            "{\"v\":1,\"functions\":[{\"id\":\"00000000000000a1\",\"gate\":70000,\"sig\":\"0\"}]}",
        ] {
            let error = #expect(throws: PatchError.self) { try Surface(json: Array(bad.utf8)) }
            #expect(error?.reason == .surfaceMalformed)
        }
        // The tests themselves were never prepared.
        #expect(try Surface.compiledIn() == nil)
    }
}
