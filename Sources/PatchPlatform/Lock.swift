#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A value that only one thread at a time may touch.
///
/// The floor of deployment (iOS 15) is below `Synchronization.Mutex`, hence a wrapper of our own.
public final class Lock<Value>: @unchecked Sendable {
    // Unchecked: `value` is reached only between lock and unlock of `mutex`, and it enters by
    // `sending`, so nobody outside holds a reference that could race with it.
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Takes `value` over; the caller must not keep a reference to mutable parts of it.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs `body` alone with the value. Not re-entrant: taking the same lock inside `body`
    /// never returns, so keep the body short and call nobody else's code in it.
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
