@_exported import CPatchGate
@_exported import ModuleABI
import WebAssembly

/// The arguments of one call into a module, as generated code writes them (formats.md,
/// "Values"): either scalars one after the other, or one encoded value.
public struct PatchArguments {
    /// More scalars than this are served natively.
    @usableFromInline static var maximumCount: Int { 16 }

    @usableFromInline var slots = InlineSlots()
    /// Two bits per argument: 0 i32, 1 i64, 2 f32, 3 f64.
    @usableFromInline var types: UInt32 = 0
    @usableFromInline var count = 0
    /// The one encoded value, when the arguments are not all scalars.
    @usableFromInline var encodedValue: [UInt8] = []
    @usableFromInline var isEncoded = false

    @inlinable
    init() {}

    /// Adds an i32: a Bool or an integer of at most 32 bits.
    @inlinable
    public mutating func i32(_ value: UInt32) { append(UInt64(value), type: 0) }

    /// Adds an i64: `Int`, `UInt` or a 64-bit integer.
    @inlinable
    public mutating func i64(_ value: UInt64) { append(value, type: 1) }

    /// Adds a `Float`.
    @inlinable
    public mutating func f32(_ value: Float) { append(UInt64(value.bitPattern), type: 2) }

    /// Adds a `Double`.
    @inlinable
    public mutating func f64(_ value: Double) { append(value.bitPattern, type: 3) }

    /// Sets the one encoded value (several arguments = one array).
    public mutating func encoded(_ body: (inout MessagePackWriter) -> Void) {
        var writer = MessagePackWriter()
        body(&writer)
        encodedValue = writer.bytes
        isEncoded = true
    }

    /// A type in the form of ``types``; 5, which nothing has, for references.
    static func code(_ type: ValueType) -> UInt8 {
        switch type {
        case .i32: return 0
        case .i64: return 1
        case .f32: return 2
        case .f64: return 3
        case .funcRef, .externRef: return 5
        }
    }

    /// Parameter types in the form of ``types``; nil when a call cannot carry them.
    static func packed(_ parameters: [ValueType]) -> UInt32? {
        guard parameters.count <= maximumCount else { return nil }
        var types: UInt32 = 0
        for (index, parameter) in parameters.enumerated() {
            let code = code(parameter)
            if code > 3 { return nil }
            types |= UInt32(code) << UInt32(index * 2)
        }
        return types
    }

    /// Whether these scalars are what a function takes.
    func fits(_ function: patch_function) -> Bool {
        count == Int(function.count) && types == function.types
    }

    @inlinable
    mutating func append(_ value: UInt64, type: UInt32) {
        if count < Self.maximumCount {
            slots[count] = value
            types |= type &<< UInt32(truncatingIfNeeded: count &* 2)
        }
        count &+= 1
    }
}

/// Room for the arguments of a call without an allocation.
@usableFromInline
struct InlineSlots {
    @usableFromInline typealias Eight = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )
    @usableFromInline var storage: (Eight, Eight) = (
        (0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)
    )

    @inlinable
    init() {}

    @inlinable
    subscript(index: Int) -> UInt64 {
        get {
            withUnsafeBytes(of: storage) { $0.load(fromByteOffset: index * 8, as: UInt64.self) }
        }
        set {
            withUnsafeMutableBytes(of: &storage) {
                $0.storeBytes(of: newValue, toByteOffset: index * 8, as: UInt64.self)
            }
        }
    }

    mutating func withSlots<Result>(
        _ body: (UnsafeMutableBufferPointer<UInt64>) throws -> Result
    ) rethrows -> Result {
        try withUnsafeMutableBytes(of: &storage) { try body($0.bindMemory(to: UInt64.self)) }
    }
}
