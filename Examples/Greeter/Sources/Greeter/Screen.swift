import Foundation
import PatchSDK

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the program shows.
struct Frame: Equatable {
    var release: String
    var greeting: String
    var price: String
    var bigPrice: String
    var reason: String
}

/// Writes frames to standard output, for people or for scripts.
struct Screen {
    let isPlain: Bool
    private let hasColour: Bool
    /// Whether a line may be drawn over.
    let drawsOver: Bool

    init(isPlain: Bool) {
        self.isPlain = isPlain
        let forbids = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let isTerminal = isatty(1) == 1
        drawsOver = !isPlain && isTerminal
        hasColour = !isPlain && !forbids && isTerminal
    }

    func show(_ frame: Frame) {
        if isPlain {
            write(
                """
                release: \(frame.release)
                greeting: \(frame.greeting)
                price: \(frame.price)
                big price: \(frame.bigPrice)
                reason: \(frame.reason)

                """)
            return
        }
        let width = 54
        func row(_ name: String, _ value: String, _ colour: String) -> String {
            let padded = name.padding(toLength: 9, withPad: " ", startingAt: 0)
            let shown = String(value.prefix(width - 15))
            let fill = String(repeating: " ", count: max(0, width - 15 - shown.count))
            return "│ \(tint(padded, "2")) \(tint(shown, colour))\(fill)  │\n"
        }
        let line = String(repeating: "─", count: width - 2)
        write(
            "╭\(line)╮\n" + row("greeting", frame.greeting, "1;36")
                + row("price", "\(frame.price)   \(frame.bigPrice)", "1;33")
                + row("release", frame.release, "32") + row("reason", frame.reason, "2")
                + "╰\(line)╯\n")
    }

    func timing(_ timing: Timing) {
        let text =
            "check \(timing.check.milliseconds), download+verify \(timing.fetch.milliseconds), "
            + "swap \(timing.swap.milliseconds), "
            + "download+verify+swap \((timing.fetch + timing.swap).milliseconds)"
        write(isPlain ? "timing: \(text)\n" : tint("  ⤷ \(text)\n", "2"))
    }

    func problem(_ text: String) {
        write(isPlain ? "problem: \(text)\n" : tint("  ! \(text)\n", "31"))
    }

    func tint(_ text: String, _ code: String) -> String {
        hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    // Unbuffered, so that a script that reads the output sees it at once.
    func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}

/// How long the parts of an update took, in nanoseconds.
struct Timing {
    var check: UInt64 = 0
    var fetch: UInt64 = 0
    var swap: UInt64 = 0
}

extension UInt64 {
    var milliseconds: String {
        let tenths = (self + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
