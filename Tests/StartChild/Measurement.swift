import Foundation
import PatchPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts the app with and without the SDK by turns and compares.
struct Measurement {
    let folder: String
    let runs: Int

    /// What one process took, in milliseconds.
    private struct Cost {
        /// From outside, until its end.
        var wall: Double
        /// Of processors.
        var processor: Double
        /// What it says that its own start took.
        var inside: Double
    }

    func run() throws {
        var with: [Cost] = []
        var without: [Cost] = []
        for run in 0...runs {
            let plain = try cost(["plain"])
            let started = try cost(["start", folder])
            // The first pair warms the caches of the disk.
            if run == 0 { continue }
            without.append(plain)
            with.append(started)
        }
        compare("process, wall time", without.map(\.wall), with.map(\.wall))
        compare("process, processor time", without.map(\.processor), with.map(\.processor))
        let inside = Self.text(Self.median(with.map(\.inside)))
        print("configure, start and the first call: \(inside) ms; medians of \(runs) starts each")
    }

    private func compare(_ what: String, _ without: [Double], _ with: [Double]) {
        let (a, b) = (Self.median(without), Self.median(with))
        print(
            "\(what): \(Self.text(a)) ms without, \(Self.text(b)) ms with, "
                + "\(Self.text(b - a)) ms beyond, ratio \(Self.text(b / a))")
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private func cost(_ arguments: [String]) throws -> Cost {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(ends[0]) }
        var words = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let begun = LiveClock().monotonicNanoseconds()
        let child = try spawn(&words, output: ends[1])
        close(ends[1])
        var status: Int32 = 0
        var usage = rusage()
        wait4(child, &status, 0, &usage)
        let wall = Double(LiveClock().monotonicNanoseconds() - begun) / 1e6
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(ends[0], &buffer, buffer.count)
        let said = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            .split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard said.first == "started", let inside = said.last.flatMap({ Double($0) }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        func milliseconds(_ time: timeval) -> Double {
            Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3
        }
        return Cost(
            wall: wall,
            processor: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
            inside: inside / 1e6)
    }

    private func spawn(
        _ words: inout [UnsafeMutablePointer<CChar>?], output: Int32
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var child = pid_t()
        let error = posix_spawn(&child, CommandLine.arguments[0], &actions, nil, &words, nil)
        guard error == 0 else { throw CocoaError(.executableLoad) }
        return child
    }
}
