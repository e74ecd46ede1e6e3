import Foundation
import PatchCrypto
import TestSupport
import Testing
import WebAssembly

@testable import patchcli

@Suite("patchcli wasm run, looked at")
struct WasmObserveTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory("observe")
        try Data(NamedModule.named).write(to: folder.file("m.wasm"))
    }

    private func run(_ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(
            Tools.builtProducts.appendingPathComponent("patchcli").path,
            ["wasm", "run"] + arguments,
            in: folder.url)
    }

    @Test("a trace shows calls inside each other with arguments and results")
    func trace() throws {
        let result = try run("m.wasm", "--trace", "--invoke", "run", "5")
        #expect(result.standardOutput == "12\n")
        let inner = "  \(NamedModule.readable)"
        #expect(
            result.standardError == """
                run(5)
                \(inner)(5)
                    leaf(5) = 6
                \(inner) = 6
                \(inner)(5)
                    leaf(5) = 6
                \(inner) = 6
                run = 12

                """)
    }

    @Test("a trace ends after its limit and says how much it left out")
    func traceLimit() throws {
        let result = try run("m.wasm", "--trace", "--trace-limit", "2", "--invoke", "run", "5")
        #expect(result.status == 0)
        #expect(
            result.standardError == """
                run(5)
                  \(NamedModule.readable)(5)
                … and 3 more calls (--trace-limit)

                """)
    }

    @Test("system calls are in a trace, by the names that the module imports")
    func systemCalls() throws {
        try Data(try WasmPrograms.echoArguments.get()).write(to: folder.file("p.wasm"))
        let result = try run("p.wasm", "--trace", "word")
        #expect(result.standardOutput == "p.wasm\nword\n")
        #expect(result.standardError.contains("  wasi_snapshot_preview1.args_sizes_get("))
        #expect(result.standardError.contains("wasi_snapshot_preview1.fd_write(1, "))
        #expect(result.standardError.contains("\nstart() did not return"))
        #expect(result.status == 2)
    }

    @Test("a trap names its frames, by the debug file as well, and says where they stood")
    func backtrace() throws {
        let bytes = NamedModule.code
        try Data(bytes).write(to: folder.file("bare.wasm"))
        try Data(NamedModule.debug(digest: SHA256.hash(bytes))).write(to: folder.file("names"))
        for arguments in [["m.wasm"], ["bare.wasm", "--debug", "names"]] {
            let result = try ChildProcess.run(
                Tools.builtProducts.appendingPathComponent("patchcli").path,
                ["wasm", "run"] + arguments + ["--trace", "--invoke", "run", "0"], in: folder.url)
            #expect(result.status == 70)
            let lines = result.standardError.split(separator: "\n").map(String.init)
            #expect(lines.contains("    leaf(0) did not return"))
            #expect(lines.contains("error: trap: unreachable"))
            let frames = lines.suffix(3)
            #expect(frames.first?.hasPrefix("  in leaf at byte ") == true)
            #expect(frames.contains { $0.hasPrefix("  in \(NamedModule.readable) at byte ") })
            let offset = frames.first?.split(separator: " ").last.flatMap { Int($0) }
            #expect(offset.map { bytes[$0] } == 0x00)
        }
    }

    @Test("a profile counts calls, and writes folded stacks that add up to its time")
    func profile() throws {
        let result = try run(
            "m.wasm", "--profile", "--folded", "stacks", "--json", "--invoke", "run", "5")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
                as? [String: Any])
        let rows = try #require(document["profile"] as? [[String: Any]])
        var calls: [String: Int] = [:]
        var own = 0
        for row in rows {
            let name = try #require(row["function"] as? String)
            calls[name] = row["calls"] as? Int
            own += try #require(row["self_ns"] as? Int)
        }
        #expect(calls == ["run": 1, NamedModule.readable: 2, "leaf": 2])
        let text = try String(contentsOf: folder.file("stacks"), encoding: .utf8)
        let stacks = text.split(separator: "\n")
        let sum = stacks.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(sum.count == stacks.count && sum.reduce(0, +) == own)
        #expect(stacks.allSatisfy { $0.hasPrefix("run") })
    }

    @Test("a person gets a table on standard error, results on standard output, after a trap too")
    func table() throws {
        let result = try run("m.wasm", "--profile", "--invoke", "run", "5")
        #expect(result.standardOutput == "12\n")
        #expect(result.standardError.contains("in 5 calls of 3 functions"))
        #expect(result.standardError.contains("self ms"))
        let trapped = try run("m.wasm", "--profile", "--invoke", "run", "0")
        #expect(trapped.status == 70)
        #expect(trapped.standardError.contains("in 3 calls of 3 functions"))
    }

    @Test("options that cannot go together are refused")
    func conflicts() throws {
        #expect(try run("m.wasm", "--trace", "--profile", "--invoke", "run", "5").status == 64)
        #expect(try run("m.wasm", "--folded", "x", "--invoke", "run", "5").status == 64)
        #expect(try run("m.wasm", "--trace-limit", "0", "--invoke", "run", "5").status == 64)
        let result = try run(
            "m.wasm", "--profile", "--folded", "absent/x", "--invoke", "run", "5")
        #expect(result.status == 73)
    }

    // MARK: - The profile itself, by a clock of its own

    /// A module in which `f(n)` calls itself until n is 0.
    private static let recursion = WasmBytes.module(
        exporting: "f", type: WasmBytes.type([0x7f]),
        code: [0x20, 0, 0x04, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x10, 0, 0x0b])

    /// Calls `f(depth)` under a clock that goes on by 10 each time somebody looks.
    private func profiled(depth: UInt32, maximumNodes: Int = 100) throws -> CallProfile {
        final class Clock { var now: UInt64 = 0 }
        let clock = Clock()
        let profile = CallProfile(maximumNodes: maximumNodes) {
            clock.now += 10
            return clock.now
        }
        let store = Store(engine: Engine(), observer: profile)
        let instance = try parseWasm(bytes: Self.recursion).instantiate(store: store)
        try instance.exports[function: "f"]?.invoke([.i32(depth)])
        return profile
    }

    @Test("time in a recursion is counted once, and what probing costs not at all")
    func recursion() throws {
        let profile = try profiled(depth: 3)
        // Between two probes the clock is looked at once on the way in and once on the way out:
        // ten units in a function for each stretch. Four calls make seven stretches, and the
        // translation at the first call one more.
        #expect(profile.rows.count == 1)
        #expect(profile.rows[0].calls == 4)
        #expect(profile.rows[0].own == profile.total)
        #expect(profile.rows[0].total == profile.total)
        #expect(profile.total == 70)
        #expect(profile.depth == 0)
        let folded = profile.folded { _ in "f;g" }
        #expect(folded == ["f,g 20", "f,g;f,g 20", "f,g;f,g;f,g 20", "f,g;f,g;f,g;f,g 10"])
    }

    @Test("a tree that grows too large loses depth, not time")
    func truncation() throws {
        let profile = try profiled(depth: 50, maximumNodes: 3)
        #expect(profile.isTruncated)
        #expect(profile.rows[0].calls == 51)
        let sum = profile.folded { _ in "f" }
            .compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }.reduce(0, +)
        #expect(sum == profile.total)
        #expect(profile.total == 1_010)
    }
}
