import CommandLineKit
import WebAssembly

/// `patchcli wasm call-cost`: what it costs to cross between host and guest, for `make bench`.
enum WasmCallCostCommand {
    private static let rounds = Parameter<Int>.option(
        "rounds", default: 7, help: "How often to measure; the median is printed.",
        check: { (1...1000).contains($0) ? nil : "expected 1 to 1000" })

    private struct Report: Encodable {
        let hostToGuestNanoseconds: Double
        let hostToGuestWithArraysNanoseconds: Double
        let guestToHostNanoseconds: Double

        enum CodingKeys: String, CodingKey {
            case hostToGuestNanoseconds = "host_to_guest_ns"
            case hostToGuestWithArraysNanoseconds = "host_to_guest_values_ns"
            case guestToHostNanoseconds = "guest_to_host_ns"
        }
    }

    static var command: Command {
        Command(
            "call-cost", abstract: "Measure what a call between host and guest costs.",
            parameters: parameters(rounds), hidden: true
        ) { invocation in
            let report = try measure(rounds: try invocation[rounds])
            try invocation.console.report(report) { console in
                console.print(
                    "host to guest: \(Measured.text(report.hostToGuestNanoseconds)) ns a call")
                console.print(
                    "host to guest, with value arrays: "
                        + "\(Measured.text(report.hostToGuestWithArraysNanoseconds)) ns a call")
                console.print(
                    "guest to host: \(Measured.text(report.guestToHostNanoseconds)) ns a call")
            }
        }
    }

    private static func measure(rounds: Int) throws -> Report {
        let store = Store(engine: Engine())
        var imports = Imports()
        imports.define(
            module: "host", name: "f",
            Function(store: store, type: FunctionType(parameters: [.i32], results: [.i32])) {
                _, _ in
            })
        let instance = try parseWasm(bytes: guest).instantiate(store: store, imports: imports)
        guard let same = instance.exports[function: "same"],
            let calls = instance.exports[function: "calls"],
            let loop = instance.exports[function: "loop"]
        else { throw CommandFailure("no_such_export", "The measured module lost its exports") }
        let count = 1_000_000
        var direct: [Double] = []
        var arrays: [Double] = []
        var outward: [Double] = []
        var slot: [UInt64] = [1]
        for _ in 0..<rounds {
            direct.append(
                try nanoseconds(per: count) {
                    try slot.withUnsafeMutableBufferPointer { slots in
                        for _ in 0..<count { try same.invoke(slots: slots) }
                    }
                })
            arrays.append(
                try nanoseconds(per: count / 10) {
                    for _ in 0..<count / 10 { try same.invoke([.i32(1)]) }
                })
            // What the loop itself takes is not part of the calls' cost.
            let both = try nanoseconds(per: count) { try calls.invoke([.i32(UInt32(count))]) }
            let bare = try nanoseconds(per: count) { try loop.invoke([.i32(UInt32(count))]) }
            outward.append(both - bare)
        }
        return Report(
            hostToGuestNanoseconds: Measured.median(direct),
            hostToGuestWithArraysNanoseconds: Measured.median(arrays),
            guestToHostNanoseconds: Measured.median(outward))
    }

    private static func nanoseconds<T>(per count: Int, _ body: () throws -> T) rethrows -> Double {
        let start = ProcessClock.nanoseconds
        _ = try body()
        return Double(ProcessClock.nanoseconds - start) / Double(count)
    }

    /// `same(i32) -> i32` gives its argument back, `calls(n)` calls the host's `f` n times, and
    /// `loop(n)` counts down without calling.
    private static let guest: [UInt8] =
        [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        + section(1, [2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 0])
        + section(2, [1, 4] + Array("host".utf8) + [1] + Array("f".utf8) + [0, 0])
        + section(3, [3, 0, 1, 1])
        + section(
            7,
            [3, 4] + Array("same".utf8) + [0, 1, 5] + Array("calls".utf8) + [0, 2, 4]
                + Array("loop".utf8) + [0, 3])
        + section(
            10,
            [3, 4, 0, 0x20, 0, 0x0b]
                // loop: f(n); drop; if --n: again
                + [19, 0, 0x03, 0x40, 0x20, 0, 0x10, 0, 0x1a]
                + [0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x0b]
                + [14, 0, 0x03, 0x40]
                + [0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x0b])

    private static func section(_ number: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [number, UInt8(contents.count)] + contents
    }
}
