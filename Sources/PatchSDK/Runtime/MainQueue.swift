import Dispatch
import Foundation

/// Where functions of the main actor run.
enum MainQueue {
    private struct Mark: @unchecked Sendable {
        let key = DispatchSpecificKey<Bool>()
    }

    private static let mark: Mark = {
        let mark = Mark()
        DispatchQueue.main.setSpecific(key: mark.key, value: true)
        return mark
    }()

    /// Whether this code runs on the main queue. In a program whose `main` is async, that queue leaves
    /// the main thread on Linux, so the thread alone does not tell.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark.key) == true
    }
}
