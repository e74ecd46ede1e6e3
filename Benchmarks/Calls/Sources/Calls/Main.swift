import Dispatch
import Foundation
import PatchSDK

/// The same as `sum`, generic so that it stays native.
enum Plain {
    @inline(never)
    static func sum<Number: FixedWidthInteger>(_ a: Number, _ b: Number, _ c: Number) -> Number {
        a &+ b &* c
    }
}

/// Prints nanoseconds a call, the median of several rounds, one figure a line.
@main
struct Calls {
    static func main() async throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let native = measure(20_000_000) { sum($0, 2, 3) }
        let plain = measure(20_000_000) { Plain.sum($0, 2, 3) }
        var configuration = PatchConfiguration(appKey: "bench", apiBaseURL: nil)
        configuration.resources = folder
        configuration.stateFolder = folder.appendingPathComponent("state")
        Patch.configure(configuration)
        _ = await Patch.shared.start()
        guard sum(1, 2, 3) == 8, turned(Wide()).a == 4 else {
            print("error: the module does not serve the calls")
            exit(70)
        }
        let scalars = measure(2_000_000) { sum($0, 2, 3) }
        var wide = Wide()
        let values = measure(100_000) {
            wide.b = $0
            wide = turned(wide)
            return wide.a
        }
        print("direct_call_ns \(plain)")
        print("closed_gate_over_direct_ns \(native - plain)")
        print("patched_three_scalars_ns \(scalars)")
        print("patched_struct_of_20_ns \(values)")
    }

    /// The median of seven rounds.
    static func measure(_ count: Int, _ body: (Int) -> Int) -> Double {
        var sink = 0
        let rounds = (0..<7).map { _ -> Double in
            let begun = DispatchTime.now().uptimeNanoseconds
            for index in 0..<count { sink = sink &+ body(index) }
            return Double(DispatchTime.now().uptimeNanoseconds - begun) / Double(count)
        }
        precondition(sink != 1)
        return rounds.sorted()[3]
    }
}
