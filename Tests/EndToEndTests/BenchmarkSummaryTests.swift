import Foundation
import TestSupport
import Testing

/// `Benchmarks/summary.py` on made-up measurements.
@Suite("The summary of benchmarks")
struct BenchmarkSummaryTests {
    private func summary(history: String?) throws -> String {
        let folder = try TemporaryDirectory("summary")
        try folder.write(
            """
            {"fib/wasmkit016": 0.4, "fib/ours": 0.2, "json/wasmkit016": 0.8, "json/ours": 0.1,
             "memcopy/wasmkit016": 0.3, "memcopy/ours": 0.3}
            """, to: "last.json")
        try folder.write("host to guest: 18.5 ns a call\n", to: "cost.txt")
        try folder.write("swift.wasm\nbytes: 5\nparse: 61.0 us\n", to: "startup.txt")
        try folder.write("wasm64 vs wasm32: 0.98\n", to: "variants.txt")
        try folder.write("debug coremark s: 0.09\n", to: "debug.txt")
        let result = try ChildProcess.run(
            "python3",
            [
                SharedData.checkout.appendingPathComponent("Benchmarks/summary.py").path,
                "last.json", "cost.txt", "startup.txt", "variants.txt", "debug.txt",
                history ?? "", "abc123",
            ], in: folder.url)
        #expect(result.status == 0, "\(result.standardError)")
        return result.standardOutput
    }

    @Test("ratios, means with and without memory.copy, and costs are printed")
    func printed() throws {
        let lines = Set(try summary(history: nil).split(separator: "\n").map(String.init))
        #expect(lines.contains("fib vs wasmkit: 2.00x"))
        #expect(lines.contains("json vs wasmkit: 8.00x"))
        #expect(lines.contains("geomean vs wasmkit: 2.52x"))
        #expect(lines.contains("geomean vs wasmkit without memory.copy: 4.00x"))
        #expect(lines.contains("host to guest ns: 18.50"))
        #expect(lines.contains("parse swift.wasm us: 61.00"))
        #expect(lines.contains("wasm64 vs wasm32: 0.98x"))
        #expect(lines.contains("debug coremark s: 0.09"))
    }

    @Test("each run appends its figures to the history under one header")
    func history() throws {
        let folder = try TemporaryDirectory("history")
        let file = folder.file("history.csv")
        _ = try summary(history: file.path)
        _ = try summary(history: file.path)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.first == "date,commit,figure,value")
        #expect(lines.filter { $0.hasPrefix("date") }.count == 1)
        #expect(lines.filter { $0.hasSuffix(",abc123,fib vs wasmkit,2.000") }.count == 2)
        #expect(lines.count == 1 + 2 * 9)
    }
}
