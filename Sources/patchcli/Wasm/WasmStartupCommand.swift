import CommandLineKit
import WebAssembly
import WebAssemblyWASI

/// `patchcli wasm startup FILE`: what it takes until a module can be called, for `make bench`.
enum WasmStartupCommand {
    private static let rounds = Parameter<Int>.option(
        "rounds", default: 21, help: "How often to measure; medians are printed.",
        check: { (1...1000).contains($0) ? nil : "expected 1 to 1000" })

    private struct Report: Encodable {
        let bytes: Int
        /// nil where the system does not tell.
        let growthKilobytes: Int?
        /// nil for a module without `run(i32)`.
        let firstCallMicroseconds: Double?
        let parseMicroseconds: Double
        let instantiateMicroseconds: Double
        let validateMegabytesPerSecond: Double

        enum CodingKeys: String, CodingKey {
            case bytes
            case growthKilobytes = "growth_kb"
            case firstCallMicroseconds = "first_call_us"
            case parseMicroseconds = "parse_us"
            case instantiateMicroseconds = "instantiate_us"
            case validateMegabytesPerSecond = "validate_mb_per_s"
        }
    }

    static var command: Command {
        Command(
            "startup", abstract: "Measure how long a module takes to load.",
            parameters: parameters(WasmCommands.file, rounds), hidden: true
        ) { invocation in
            let file = try WasmFile(path: try invocation[WasmCommands.file])
            let rounds = try invocation[rounds]
            let report = try WasmFailure.explaining(file.path, file.bytes) {
                try measure(file.bytes, rounds: rounds)
            }
            try invocation.console.report(report) { console in
                console.print("bytes: \(report.bytes)")
                if let growth = report.growthKilobytes { console.print("growth: \(growth) KB") }
                if let first = report.firstCallMicroseconds {
                    console.print("first call: \(Measured.text(first)) us")
                }
                console.print("parse: \(Measured.text(report.parseMicroseconds)) us")
                console.print("instantiate: \(Measured.text(report.instantiateMicroseconds)) us")
                console.print(
                    "validate: \(Measured.text(report.validateMegabytesPerSecond)) MB/s")
            }
        }
    }

    private static func measure(_ bytes: [UInt8], rounds: Int) throws -> Report {
        var parse: [Double] = []
        var instantiate: [Double] = []
        var validate: [Double] = []
        let loaded = try load(bytes)
        for _ in 0..<rounds {
            let store = Store(engine: Engine())
            var imports = Imports()
            try WASIBridgeToHost().link(to: &imports, store: store)
            var start = ProcessClock.nanoseconds
            let module = try parseWasm(bytes: bytes)
            parse.append(Double(ProcessClock.nanoseconds - start) / 1e3)
            start = ProcessClock.nanoseconds
            _ = try module.instantiate(store: store, imports: imports)
            instantiate.append(Double(ProcessClock.nanoseconds - start) / 1e3)
            start = ProcessClock.nanoseconds
            try module.validate()
            let seconds = Double(ProcessClock.nanoseconds - start) / 1e9
            validate.append(Double(bytes.count) / 1e6 / max(seconds, 1e-9))
        }
        return Report(
            bytes: bytes.count, growthKilobytes: loaded.growth,
            firstCallMicroseconds: loaded.firstCall, parseMicroseconds: Measured.median(parse),
            instantiateMicroseconds: Measured.median(instantiate),
            validateMegabytesPerSecond: Measured.median(validate))
    }

    /// Loads the module once and calls its `run(1)`, if it has one: what the process grows by, the
    /// module's own bytes not counted, and how long the call takes.
    private static func load(_ bytes: [UInt8]) throws -> (growth: Int?, firstCall: Double?) {
        let before = ResidentMemory.kilobytes
        let store = Store(engine: Engine())
        var imports = Imports()
        try WASIBridgeToHost().link(to: &imports, store: store)
        let instance = try parseWasm(bytes: bytes).instantiate(store: store, imports: imports)
        var firstCall: Double?
        if let run = instance.exports[function: "run"], run.type.parameters == [.i32] {
            let start = ProcessClock.nanoseconds
            _ = try run.invoke([.i32(1)])
            firstCall = Double(ProcessClock.nanoseconds - start) / 1e3
        }
        guard let before, let after = ResidentMemory.kilobytes else { return (nil, firstCall) }
        return (after - before, firstCall)
    }
}
