import CommandLineKit
import Dispatch
import Foundation

/// Parameters of every fuzzer, and the loop around its cases.
struct FuzzLoop {
    static let seed = Parameter<UInt64>.option(
        "seed", placeholder: "number", default: 1, help: "What all cases follow from.")
    static let from = Parameter<UInt64>.option(
        "from", placeholder: "number", default: 0, help: "The first case.")
    static let count = Parameter<UInt64?>.option(
        "count", placeholder: "number", help: "How many cases to run.")
    static let minutes = Parameter<Double?>.option(
        "minutes", placeholder: "number", help: "How long to run instead.")
    static let only = Parameter<UInt64?>.option(
        "case", placeholder: "number", help: "Run this case alone and print what happens in it.")
    static let progress = Parameter<String?>.option(
        "progress", placeholder: "file",
        help: "Keeps the number of the running case in a file, to be read after a crash.",
        completion: .file([]))

    static let all: [AnyParameter] = parameters(seed, from, count, minutes, only, progress)

    let seedValue: UInt64
    let onlyCase: UInt64?
    private let start: UInt64
    private let limit: UInt64
    private let deadline: DispatchTime?
    private let console: Console
    private let status: FileHandle?
    private let watch: Watch

    init(_ invocation: Invocation, most: UInt64 = .max) throws {
        console = invocation.console
        seedValue = try invocation[Self.seed]
        onlyCase = try invocation[Self.only]
        start = try onlyCase ?? invocation[Self.from]
        let minutes = try invocation[Self.minutes]
        let count = try invocation[Self.count]
        limit = onlyCase != nil ? 1 : min(most, count ?? (minutes == nil ? 1000 : .max))
        deadline = minutes.map { .now() + $0 * 60 }
        if let path = try invocation[Self.progress] {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            status = FileHandle(forWritingAtPath: path)
        } else {
            status = nil
        }
        watch = Watch(seed: seedValue)
    }

    /// Calls `body` with one case number after another; it answers the defects that it found.
    /// - Throws: ``SilentExit`` when there were any.
    func run(_ what: String, _ body: (UInt64) throws -> [String]) throws {
        var found = 0
        var done: UInt64 = 0
        let began = DispatchTime.now()
        var said = began
        watch.begin()
        while done < limit, found < 20 {
            if let deadline, DispatchTime.now() >= deadline { break }
            let number = start + done
            watch.enter(number)
            note(number)
            for defect in try body(number) {
                found += 1
                console.print("seed \(seedValue) case \(number): \(defect)")
            }
            done += 1
            let now = DispatchTime.now()
            if now.uptimeNanoseconds - said.uptimeNanoseconds > 60_000_000_000 {
                said = now
                console.note("… \(done) \(what), \(found) finds")
            }
        }
        watch.end()
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds) / 1e9
        console.print(
            "seed \(seedValue), cases \(start)..<\(start + done): \(done) \(what) in "
                + String(format: "%.1f", seconds) + " s, \(found) finds")
        if found > 0 { throw SilentExit(.failure) }
    }

    private func note(_ number: UInt64) {
        guard let status else { return }
        try? status.seek(toOffset: 0)
        status.write(Data("\(number)\n".utf8))
    }
}

/// Ends the process when one case works for too long: nothing else would tell of a hang. It counts
/// the processor's time, so that a machine that is busy or asleep is not taken for one.
final class Watch: @unchecked Sendable {
    // Unchecked: both fields are only touched under the lock.
    private let lock = NSLock()
    private var running: (number: UInt64, since: UInt64)?
    private let seed: UInt64
    private let seconds: UInt64 = 60

    init(seed: UInt64) { self.seed = seed }

    func begin() {
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 1)
                guard let (number, since) = lock.withLock({ running }) else { continue }
                if Self.processorSeconds() - since > seconds {
                    print("seed \(seed) case \(number): does not end within \(seconds) s of work")
                    fflush(nil)
                    abort()
                }
            }
        }
    }

    func enter(_ number: UInt64) {
        let now = Self.processorSeconds()
        lock.withLock { running = (number, now) }
    }

    func end() { lock.withLock { running = nil } }

    private static func processorSeconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec)
    }
}
