import Foundation

/// A long step that a person can watch: a spinner or a bar on a terminal, one line elsewhere.
public final class ProgressStep: @unchecked Sendable {
    // Unchecked: every mutable field is read and written under `lock`.
    private let lock = NSLock()
    private let console: Console
    private let title: String
    private let started = Date()
    private var detail = ""
    private var fraction: Double?
    private var frame = 0
    private var isFinished = false

    init(_ title: String, console: Console) {
        self.console = console
        self.title = title
        guard console.animates else { return }
        Thread.detachNewThread { [weak self] in
            while let step = self, step.draw() {
                Thread.sleep(forTimeInterval: 0.08)
            }
        }
    }

    /// Shows how far the step is, 0…1; nil when that is not known.
    public func update(_ fraction: Double?, _ detail: String = "") {
        lock.lock()
        defer { lock.unlock() }
        self.fraction = fraction.map { min(1, max(0, $0)) }
        self.detail = detail
    }

    func finish(succeeded: Bool) {
        lock.lock()
        defer { lock.unlock() }
        guard !isFinished else { return }
        isFinished = true
        let style = console.errorStyle
        let mark = succeeded ? style.green("✓") : style.red("✗")
        let seconds = Date().timeIntervalSince(started)
        let time = seconds >= 0.05 ? style.dim("  " + Quantity.seconds(seconds)) : ""
        let suffix = detail.isEmpty ? "" : " " + style.dim(detail)
        let clear = console.animates ? "\r\u{1B}[2K" : ""
        console.errors(clear + mark + " " + title + suffix + time + "\n")
    }

    /// Draws one frame. False once the step is over.
    private func draw() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard !isFinished else { return false }
        let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
        frame = (frame + 1) % frames.count
        var line = console.errorStyle.cyan(frames[frame]) + " " + title
        if let fraction {
            let full = Int(fraction * 20)
            line +=
                " " + String(repeating: "█", count: full)
                + console.errorStyle.dim(String(repeating: "░", count: 20 - full))
                + " \(Int(fraction * 100)) %"
        }
        if !detail.isEmpty { line += " " + console.errorStyle.dim(detail) }
        console.errors("\r\u{1B}[2K" + line)
        return true
    }
}

extension Console {
    /// Does `work` under a line that shows it is going on and how long it took.
    public func step<Result>(
        _ title: String, _ work: (ProgressStep) async throws -> Result
    ) async rethrows -> Result {
        let progress = ProgressStep(title, console: self)
        do {
            let result = try await work(progress)
            progress.finish(succeeded: true)
            return result
        } catch {
            progress.finish(succeeded: false)
            throw error
        }
    }
}

/// Numbers as people read them.
public enum Quantity {
    /// `812 B`, `4.1 KB`, `2.30 MB` (powers of 1,000).
    public static func bytes(_ count: Int) -> String {
        if count < 1_000 { return "\(count) B" }
        if count < 1_000_000 { return decimal(Double(count) / 1_000, 1) + " KB" }
        return decimal(Double(count) / 1_000_000, 2) + " MB"
    }

    /// `85 ms`, `3.1 s`, `2 min 5 s`.
    public static func seconds(_ seconds: Double) -> String {
        if seconds < 1 { return "\(Int((seconds * 1_000).rounded())) ms" }
        if seconds < 60 { return decimal(seconds, 1) + " s" }
        return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }

    /// `1 function`, `3 functions`.
    public static func count(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count) " + (count == 1 ? singular : plural ?? singular + "s")
    }

    /// `31,204`.
    public static func number(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
        String(format: "%.\(places)f", value)
    }
}
