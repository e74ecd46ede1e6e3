// Weak references, which Embedded Swift lacks.

/// Whether an object lives, known to those that do not keep it alive.
public final class Life {
    fileprivate final class Cell {
        var isAlive = true
    }

    fileprivate let cell = Cell()

    /// The life of a new object, which holds it.
    public init() {}

    deinit { cell.isAlive = false }

    /// Says that the object goes, before what its own deinitialiser does.
    public func end() { cell.isAlive = false }
}

/// An object that others refer to weakly.
public protocol Mortal: AnyObject {
    /// Its life.
    var op_life: Life { get }
}

/// A reference that is nil once its object is gone.
@propertyWrapper
public struct Weak<Object: Mortal> {
    private var cell: Life.Cell?
    private var object: Unmanaged<Object>?

    /// A reference to nothing.
    public init() {}

    /// A reference.
    public init(wrappedValue: Object?) { self.wrappedValue = wrappedValue }

    /// The object, while it lives.
    public var wrappedValue: Object? {
        get {
            guard let cell, cell.isAlive else { return nil }
            return object?.takeUnretainedValue()
        }
        set {
            cell = newValue?.op_life.cell
            object = newValue.map { Unmanaged.passUnretained($0) }
        }
    }
}
