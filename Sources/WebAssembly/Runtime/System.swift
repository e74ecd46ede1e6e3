#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the engine takes from the operating system: pages, a lock and a clock.
enum System {
    /// Zeroed pages, which cost memory only when they are touched; nil when there is no room.
    static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        var flags = MAP_PRIVATE | MAP_ANONYMOUS
        #if os(Linux) || os(Android)
            flags |= MAP_NORESERVE
        #endif
        guard let pages = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0),
            pages != MAP_FAILED
        else { return nil }
        return pages
    }

    /// Gives pages back.
    static func unmap(_ pages: UnsafeMutableRawPointer, _ bytes: Int) { munmap(pages, bytes) }

    /// Zeroed records; lazily, for large numbers.
    static func zeroed<T>(_ type: T.Type, _ count: Int) -> UnsafeMutablePointer<T>? {
        calloc(max(count, 1), MemoryLayout<T>.stride)?.bindMemory(
            to: T.self, capacity: max(count, 1))
    }

    /// Whether `count` bytes are the same.
    static func equal(
        _ first: UnsafePointer<UInt8>?, _ second: UnsafePointer<UInt8>, _ count: Int
    ) -> Bool {
        guard let first else { return false }
        return first == second || memcmp(first, second, count) == 0
    }

    static func free(_ pointer: UnsafeMutableRawPointer) {
        #if canImport(Darwin)
            Darwin.free(pointer)
        #elseif canImport(Glibc)
            Glibc.free(pointer)
        #elseif canImport(Musl)
            Musl.free(pointer)
        #endif
    }

    /// A clock that only goes forward, in nanoseconds.
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// A mutual exclusion lock.
final class Lock: @unchecked Sendable {
    // Unchecked: the mutex is made for use from several threads, and its address never changes.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func locked<T>(_ body: () throws -> T) rethrows -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
