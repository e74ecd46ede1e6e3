@_exported import CPatchGate
@_exported import ModuleABI
import WebAssembly

/// The arguments of one call into a module, as generated code writes them (formats.md,
/// "Values"): either scalars one after the other, or one encoded value.
public struct PatchArguments {
    /// More scalars than this are served natively.
    static let maximumCount = 16

    var slots = InlineSlots()
    /// Two bits per argument: 0 i32, 1 i64, 2 f32, 3 f64.
    var types: UInt32 = 0
    var count = 0
    /// The one encoded value, when the arguments are not all scalars.
    var encodedValue: [UInt8]?

    init() {}

    /// Adds an i32: a Bool or an integer of at most 32 bits.
    public mutating func i32(_ value: UInt32) { append(UInt64(value), type: 0) }

    /// Adds an i64: `Int`, `UInt` or a 64-bit integer.
    public mutating func i64(_ value: UInt64) { append(value, type: 1) }

    /// Adds a `Float`.
    public mutating func f32(_ value: Float) { append(UInt64(value.bitPattern), type: 2) }

    /// Adds a `Double`.
    public mutating func f64(_ value: Double) { append(value.bitPattern, type: 3) }

    /// Sets the one encoded value (several arguments = one array).
    public mutating func encoded(_ body: (inout MessagePackWriter) -> Void) {
        var writer = MessagePackWriter()
        body(&writer)
        encodedValue = writer.bytes
    }

    /// Parameter types in the form of ``types``; nil when a call cannot carry them.
    static func packed(_ parameters: [ValueType]) -> UInt32? {
        guard parameters.count <= maximumCount else { return nil }
        var types: UInt32 = 0
        for (index, parameter) in parameters.enumerated() {
            let code: UInt32
            switch parameter {
            case .i32: code = 0
            case .i64: code = 1
            case .f32: code = 2
            case .f64: code = 3
            case .funcRef, .externRef: return nil
            }
            types |= code << UInt32(index * 2)
        }
        return types
    }

    /// Whether there are more scalars than a call carries.
    var isOverfull: Bool { count > Self.maximumCount }

    private mutating func append(_ value: UInt64, type: UInt32) {
        if count < Self.maximumCount {
            slots[count] = value
            types |= type << UInt32(count * 2)
        }
        count += 1
    }
}

/// Room for the arguments of a call without an allocation.
struct InlineSlots {
    private typealias Eight = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )
    private var storage: (Eight, Eight) = (
        (0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)
    )

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
