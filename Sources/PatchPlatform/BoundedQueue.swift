#if canImport(FoundationNetworking)
    import Foundation

    /// A delegate queue that makes whoever feeds it wait while much is in it.
    ///
    /// FoundationNetworking hands out a body as fast as the network brings it, one block a piece, and
    /// neither looks at how many wait nor can pause (its `suspend` ends the process). With a disk that
    /// is slower than the network the whole body would queue up in memory. Its transfer thread feeds
    /// the queue, so making that wait is what makes the sender wait.
    package final class BoundedQueue: OperationQueue, @unchecked Sendable {
        // Unchecked: all that changes is behind the condition's lock.
        private static let most = 64
        private let condition = NSCondition()
        private var waiting = 0
        private var openings = 0

        package override init() {
            super.init()
            maxConcurrentOperationCount = 1
        }

        package override func addOperation(_ block: @escaping @Sendable () -> Void) {
            condition.lock()
            while waiting >= Self.most, openings == 0 { condition.wait() }
            waiting += 1
            condition.unlock()
            super.addOperation { [self] in
                block()
                condition.lock()
                waiting -= 1
                condition.signal()
                condition.unlock()
            }
        }

        /// Runs `body` while nobody waits: what calls into the session waits for the very thread that
        /// may be waiting here.
        package func withoutBound(_ body: () -> Void) {
            condition.lock()
            openings += 1
            condition.broadcast()
            condition.unlock()
            body()
            condition.lock()
            openings -= 1
            condition.unlock()
        }
    }
#endif
