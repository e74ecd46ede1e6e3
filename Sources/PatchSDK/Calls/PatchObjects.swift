/// The app's objects that one instance of a module has numbers for. A number is good for one call:
/// what a module keeps beyond that, makes up, or has from elsewhere names nothing.
struct PatchObjects {
    /// Objects that one call may name.
    static let maximumCount = 100_000

    /// Stands for no object.
    static let none = UInt64.max

    private var objects: [AnyObject] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    /// Counts calls, in the upper half of a number.
    private var call: UInt64 = 0

    /// Forgets all of them.
    mutating func removeAll() {
        guard !objects.isEmpty else { return }
        objects = []
        indices = [:]
        // One value less than there is room for, so that no number means ``none``.
        call = (call + 1) % UInt64(UInt32.max)
    }

    /// The number of an object; ``none`` when there are too many.
    mutating func number(of object: AnyObject) -> UInt64 {
        let known = indices[ObjectIdentifier(object)]
        guard let index = known ?? (objects.count < Self.maximumCount ? objects.count : nil) else {
            return Self.none
        }
        if known == nil {
            objects.append(object)
            indices[ObjectIdentifier(object)] = index
        }
        return call << 32 | UInt64(index)
    }

    /// The object that a number names.
    func object(_ number: UInt64) -> AnyObject? {
        let index = Int(number & 0xffff_ffff)
        guard number >> 32 == call, index < objects.count else { return nil }
        return objects[index]
    }
}

extension PatchCall {
    /// The number by which the module that is being called knows an object of the app.
    public static func number(of object: AnyObject) -> UInt64 {
        CallFrame.current?.instance.natives.objects.number(of: object) ?? PatchObjects.none
    }

    /// The object that a module named by its number.
    /// - Throws: ``MessagePackError`` when there is none, or one of another class.
    public static func object<Object: AnyObject>(
        _ number: UInt64, as type: Object.Type
    ) throws -> Object {
        guard
            let object = CallFrame.current?.instance.natives.objects.object(number) as? Object
        else { throw MessagePackError(.invalidValue, at: 0) }
        return object
    }
}
