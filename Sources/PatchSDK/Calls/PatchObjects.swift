import PatchPlatform

/// The app's objects that a call into a module has numbers for. A number is good for one call: what
/// a module keeps beyond that, makes up, or has from elsewhere names nothing.
struct PatchObjects {
    /// Objects that one call may name.
    static let maximumCount = 100_000

    /// Stands for no object.
    static let none = UInt64.max

    /// Counts the calls that had any.
    private static let calls = Lock<UInt64>(0)

    private var objects: [AnyObject] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    /// Of which call these are, in the upper half of a number.
    private var call: UInt64 = 0

    var isEmpty: Bool { objects.isEmpty }

    /// Forgets all of them.
    mutating func removeAll() {
        if !objects.isEmpty { self = PatchObjects() }
    }

    /// The number of an object; ``none`` when there are too many.
    mutating func number(of object: AnyObject) -> UInt64 {
        if let index = indices[ObjectIdentifier(object)] { return call << 32 | UInt64(index) }
        guard objects.count < Self.maximumCount else { return Self.none }
        if objects.isEmpty {
            call = Self.calls.withLock { count in
                // One value less than there is room for, so that no number means ``none``.
                count = (count + 1) % UInt64(UInt32.max)
                return count
            }
        }
        indices[ObjectIdentifier(object)] = objects.count
        objects.append(object)
        return call << 32 | UInt64(objects.count - 1)
    }

    /// The object that a number names.
    func object(_ number: UInt64) -> AnyObject? {
        let index = Int(number & 0xffff_ffff)
        guard number >> 32 == call, index < objects.count else { return nil }
        return objects[index]
    }

    // MARK: - Before a call

    /// Objects among the arguments of a call that has not begun, for the thread that makes it.
    private final class Pending {
        var objects = PatchObjects()
    }

    private static let slot = ThreadSlot()

    private static var pending: Pending? {
        slot.pointer.map { Unmanaged<Pending>.fromOpaque($0).takeUnretainedValue() }
    }

    /// What the arguments of the call that begins now name.
    static func takePending() -> PatchObjects? {
        guard let pending, !pending.objects.isEmpty else { return nil }
        defer { pending.objects = PatchObjects() }
        return pending.objects
    }

    fileprivate static func numberInArguments(of object: AnyObject) -> UInt64 {
        pending?.objects.number(of: object) ?? none
    }

    fileprivate static func withPending<Result>(
        _ body: () throws -> Result
    ) rethrows -> Result {
        let pending = Pending()
        let outer = slot.pointer
        slot.pointer = Unmanaged.passUnretained(pending).toOpaque()
        defer { slot.pointer = outer }
        return try withExtendedLifetime(pending) { try body() }
    }
}

extension PatchCall {
    /// Makes a call whose arguments hold objects of the app.
    public static func withObjects<Result>(_ body: () throws -> Result) rethrows -> Result {
        try PatchObjects.withPending(body)
    }

    /// The number by which the module that is being called knows an object of the app.
    public static func number(of object: AnyObject) -> UInt64 {
        CallFrame.instance?.natives.number(of: object)
            ?? PatchObjects.numberInArguments(of: object)
    }

    /// The object that a module named by its number.
    /// - Throws: ``MessagePackError`` when there is none, or one of another class.
    public static func object<Object: AnyObject>(
        _ number: UInt64, as type: Object.Type
    ) throws -> Object {
        guard let object = CallFrame.instance?.natives.object(number) as? Object else {
            throw MessagePackError(.invalidValue, at: 0)
        }
        return object
    }
}
