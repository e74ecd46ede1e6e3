/// Value types as the binary format has them, plus the unknown type of unreachable code.
enum TypeCode {
    static let unknown: UInt8 = 0
    static let i32: UInt8 = 0x7f
    static let i64: UInt8 = 0x7e
    static let f32: UInt8 = 0x7d
    static let f64: UInt8 = 0x7c
    static let funcRef: UInt8 = 0x70
    static let externRef: UInt8 = 0x6f

    static func isReference(_ type: UInt8) -> Bool { type == funcRef || type == externRef }
}

/// An entry of the translator's operand stack: a type, and where the value is. Nothing is copied
/// before it has to be.
struct Operand {
    var kind: UInt8
    var type: UInt8
    /// The frame slot of a value in a slot, or of a local.
    var slot: UInt32
    /// The value of a constant.
    var bits: UInt64

    /// In the slot that belongs to its height on the stack.
    static let inSlot: UInt8 = 0
    /// A local that was not assigned since.
    static let local: UInt8 = 1
    static let constant: UInt8 = 2
    /// In the accumulator of its type.
    static let accumulator: UInt8 = 3

    @inline(__always) var isConstant: Bool { kind == Operand.constant }
    @inline(__always) var isAccumulator: Bool { kind == Operand.accumulator }
}

/// A block that is open (core specification 2.0, appendix 7.3).
struct ControlFrame {
    var kind: UInt8
    /// Set after an unconditional jump: operands may then be of any type.
    var isUnreachable: Bool
    /// Whether the code before the block was unreachable already.
    var enteredDead: Bool
    /// Operands below the block's own.
    var height: Int
    var signature: ModuleShape.Signature
    /// Where a loop begins.
    var target: Int
    /// The last forward branch to the block's end; each names the one before. -1 = none.
    var fixups: Int
    /// The branch to `else`, or -1.
    var elseFixup: Int
    /// How many locals were noted as assigned when the block began.
    var assigned: Int

    static let function: UInt8 = 0
    static let block: UInt8 = 1
    static let loop: UInt8 = 2
    static let `if`: UInt8 = 3
    static let `else`: UInt8 = 4
}
