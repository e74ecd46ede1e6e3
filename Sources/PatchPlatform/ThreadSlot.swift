#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One pointer per thread. The owner of what it points at keeps it alive; nothing is freed here.
public final class ThreadSlot: Sendable {
    private let key: pthread_key_t?

    /// A slot that is nil in every thread.
    public init() {
        var fresh = pthread_key_t()
        // A process has at least 128 keys; without one, every thread reads nil.
        key = pthread_key_create(&fresh, nil) == 0 ? fresh : nil
    }

    deinit { if let key { pthread_key_delete(key) } }

    /// The pointer of the calling thread; nil until it is set there.
    public var pointer: UnsafeMutableRawPointer? {
        get { key.flatMap { pthread_getspecific($0) } }
        set { if let key { pthread_setspecific(key, newValue) } }
    }
}
