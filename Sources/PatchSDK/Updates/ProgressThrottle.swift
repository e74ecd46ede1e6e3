import PatchPlatform

/// Passes a download's progress on in whole percents.
final class ProgressThrottle: Sendable {
    private let last = Lock(-1)
    private let post: @Sendable (PatchUpdateState) -> Void

    init(post: @escaping @Sendable (PatchUpdateState) -> Void) { self.post = post }

    func report(_ share: Double) {
        let percent = Int(share * 100)
        let isNews = last.withLock {
            let isNews = percent > $0
            if isNews { $0 = percent }
            return isNews
        }
        if isNews { post(.downloading(share)) }
    }
}
