import Foundation
import TestSupport
import Testing
import WebAssembly

@testable import patchcli

@Suite("Source lines in backtraces")
struct LineTableTests {
    private static let source = """
        static __attribute__((noinline)) int half(int n) {
            if (n & 1)
                __builtin_trap();
            return n / 2;
        }
        __attribute__((export_name("run"))) int run(int n) {
            n = half(n);
            return half(n) + 1;
        }
        """

    private static func program(_ version: Int) throws -> [UInt8] {
        try WasmPrograms.compile(source, flags: ["-g", "-gdwarf-\(version)"])
    }

    @Test("each frame of a trap has its line, whatever version the table has", arguments: 2...5)
    func backtrace(version: Int) throws {
        let folder = try TemporaryDirectory("lines")
        try Data(try Self.program(version)).write(to: folder.file("p.wasm"))
        func run(_ argument: String) throws -> ChildProcess.Result {
            try ChildProcess.run(
                Tools.builtProducts.appendingPathComponent("patchcli").path,
                ["wasm", "run", "p.wasm", "--invoke", "run", argument], in: folder.url)
        }
        #expect(try run("8").standardOutput == "3\n")
        let first = try run("3").standardError
        #expect(first.contains("in half at p.c:3, byte "))
        #expect(first.contains("in run at p.c:7, byte "))
        let second = try run("6").standardError
        #expect(second.contains("in half at p.c:3, byte "))
        #expect(second.contains("in run at p.c:8, byte "))
    }

    @Test("a table that is cut short or changed gives other lines or none, and never a crash")
    func malformed() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for version in [2, 4, 5] {
            let sections = try parseWasm(bytes: try Self.program(version)).customSections
                .filter { $0.name.hasPrefix(".debug_") }
            let lines = try #require(sections.first { $0.name == ".debug_line" })
            func look(_ bytes: [UInt8]) throws {
                // By way of a module, as every section comes.
                let other = sections.filter { $0.name != ".debug_line" }
                let all = other.map { ($0.name, $0.bytes) } + [(".debug_line", bytes)]
                let module = WasmBytes.module(
                    all.flatMap { WasmBytes.section(0, WasmBytes.name($0.0) + $0.1) })
                let table = LineTable(try parseWasm(bytes: module).customSections)
                _ = table?.places(of: [0, 1, 20, 40, 60, 1 << 40, -5])
            }
            for count in stride(from: 0, to: lines.bytes.count, by: 7) {
                try look(Array(lines.bytes.prefix(count)))
            }
            for _ in 0..<500 {
                var bytes = lines.bytes
                for _ in 0..<(1 + random.next() % 4) {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                        truncatingIfNeeded: random.next())
                }
                try look(bytes)
            }
        }
    }
}

/// A small generator of pseudo-random numbers whose whole state is one printed number.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
