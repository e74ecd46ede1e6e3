import Foundation
import PatchSDK

/// The same as `sum`, generic so that it stays native.
enum Plain {
    @inline(never)
    static func sum<Number: FixedWidthInteger>(_ a: Number, _ b: Number, _ c: Number) -> Number {
        a &+ b &* c
    }
}

/// Prints nanoseconds a call, in processor time of the thread, the median of many short rounds, one
/// figure a line.
@main
struct Calls {
    static func main() async throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        var configuration = PatchConfiguration(
            appKey: "bench", apiBaseURL: nil, fingerprint: CommandLine.arguments[2])
        configuration.resources = folder
        configuration.stateFolder = folder.appendingPathComponent("state")
        // In turn, so that whatever else the machine does meets both.
        var direct: [Double] = []
        var routed: [Double] = []
        for _ in 0..<51 {
            direct.append(round(1_000_000) { Plain.sum($0, 2, 3) })
            routed.append(round(1_000_000) { sum($0, 2, 3) })
        }
        Patch.configure(configuration)
        let outcome = await Patch.shared.start()
        guard sum(1, 2, 3) == 8, turned(Wide()).a == 4 else {
            print("error: the module does not serve the calls (\(outcome))")
            exit(70)
        }
        let scalars = (0..<51).map { _ in round(100_000) { sum($0, 2, 3) } }
        let values = (0..<51).map { _ in
            var wide = Wide()
            return round(2_000) {
                wide.b = $0
                wide = turned(wide)
                return wide.a
            }
        }
        print("direct_call_ns \(text(median(direct)))")
        print("closed_gate_over_direct_ns \(text(median(zip(routed, direct).map { $0 - $1 })))")
        print("patched_three_scalars_ns \(text(median(scalars)))")
        print("patched_struct_of_20_ns \(text(median(values)))")
    }

    static func median(_ all: [Double]) -> Double { all.sorted()[all.count / 2] }

    static func text(_ value: Double) -> String { String(format: "%.2f", value) }

    /// Nanoseconds of one of `count` calls.
    static func round(_ count: Int, _ body: (Int) -> Int) -> Double {
        var sink = 0
        let begun = processorTime()
        for index in 0..<count { sink = sink &+ body(index) }
        let took = processorTime() - begun
        precondition(sink != 1)
        return took / Double(count)
    }

    /// Nanoseconds that this thread has had a processor.
    static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
