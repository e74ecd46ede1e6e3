// Objects that stay in the app. A module has a number for each during a call, and one object of
// its own that stands for it, so that the same object is the same here.

/// The number of an object of the app: which call it belongs to in the upper half, which of that
/// call's objects it is in the lower.
public final class Handle {
    /// What the host knows the object by.
    public let number: UInt64

    /// A handle for an object with a number.
    public init(_ number: UInt64) { self.number = number }

    deinit { Objects.forget(number) }
}

/// What stands for the app's objects now.
public enum Objects {
    nonisolated(unsafe) private static var all: [Unmanaged<AnyObject>?] = []
    private static let maximumCount = 100_000

    private static func index(_ number: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: number)) }

    /// What stands for an object already.
    public static func find(_ number: UInt64) -> AnyObject? {
        let index = index(number)
        return index < all.count ? all[index]?.takeUnretainedValue() : nil
    }

    /// Lets something stand for an object, as long as its handle lives.
    public static func remember(_ object: AnyObject, _ number: UInt64) {
        let index = index(number)
        // The host numbers the objects of a call one after the other.
        guard index < maximumCount else { fatalError() }
        while all.count <= index { all.append(nil) }
        all[index] = Unmanaged.passUnretained(object)
    }

    fileprivate static func forget(_ number: UInt64) {
        let index = index(number)
        if index < all.count { all[index] = nil }
    }
}
