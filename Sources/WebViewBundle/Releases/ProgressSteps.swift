import PatchPlatform

/// Passes a download's progress on when it has come a hundredth further.
final class ProgressSteps: Sendable {
    private let last = Lock(-1)
    private let post: @Sendable (Int, Int) -> Void

    init(post: @escaping @Sendable (Int, Int) -> Void) { self.post = post }

    func report(_ received: Int, _ total: Int) {
        let percent = total == 0 ? 100 : received * 100 / total
        let isNews = last.withLock { last in
            let isNews = percent != last
            last = percent
            return isNews
        }
        if isNews { post(received, total) }
    }
}
