import Foundation
import PatchSDK

/// The update banner as a terminal can show it: one line that is drawn over and over, with a bar
/// and bytes while a download runs. Where the output is no terminal every new thing is a line of
/// its own, and a download is said at its beginning and its end.
final class UpdateBanner: @unchecked Sendable {
    // Unchecked: everything that changes is touched under the lock only.
    private let lock = NSLock()
    private let screen: Screen
    private var update: UpdateInfo?
    private var isLineOpen = false
    private var lastText = ""

    init(_ screen: Screen) { self.screen = screen }

    func show(_ state: PatchUpdateState) {
        lock.lock()
        defer { lock.unlock() }
        if case .available(let info) = state { update = info }
        guard let line = line(state) else { return close() }
        if screen.drawsOver {
            screen.write("\r\(screen.tint(line, "1;35"))\u{1B}[K")
            isLineOpen = true
        } else if !isRedundant(state), line != lastText {
            screen.write("update: \(line.drop(while: { $0 == " " }))\n")
        }
        lastText = line
    }

    /// Ends the line, before something else is shown.
    func hide() {
        lock.lock()
        defer { lock.unlock() }
        close()
    }

    private func close() {
        lastText = ""
        guard isLineOpen else { return }
        screen.write("\r\u{1B}[K")
        isLineOpen = false
    }

    private func isRedundant(_ state: PatchUpdateState) -> Bool {
        if case .downloading(let share) = state { return share > 0 && share < 1 }
        return false
    }

    private func line(_ state: PatchUpdateState) -> String? {
        switch state {
        case .idle, .checking, .upToDate, .failed: return nil
        case .available(let info):
            let size = info.sizeBytes == 0 ? "" : ", \(bytesText(info.sizeBytes))"
            return info.isRollback
                ? "  ↶ going back to \(info.version)" : "  ↓ update \(info.version)\(size)"
        case .downloading(let share):
            return "  ↓ " + progressText(share, of: update?.sizeBytes ?? 0, width: 24)
        case .readyToReload: return "  ✓ the update is ready"
        }
    }
}

/// A bar, the bytes so far and the percent: `▕██████░░░░░░▏ 1.2 of 2.4 kB  50 %`.
func progressText(_ share: Double, of total: Int, width: Int) -> String {
    let share = share.isNaN ? 0 : min(max(share, 0), 1)
    let full = Int(share * Double(width))
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
    let percent = Int(share * 100)
    guard total > 0 else { return "▕\(bar)▏ \(percent) %" }
    let done = Int(share * Double(total))
    return "▕\(bar)▏ \(bytesText(done)) of \(bytesText(total))  \(percent) %"
}

/// A size for people.
func bytesText(_ bytes: Int) -> String {
    if bytes < 1000 { return "\(bytes) B" }
    if bytes < 1_000_000 { return "\(bytes / 1000).\(bytes / 100 % 10) kB" }
    return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
}
