/// Pieces of function bodies.
enum Code {
    static func i32(_ value: Int32) -> [UInt8] { [0x41] + sleb(Int64(value)) }
    static func i64(_ value: Int64) -> [UInt8] { [0x42] + sleb(value) }
    static func f32(_ value: Float) -> [UInt8] { [0x43] + bytes(value.bitPattern, 4) }
    static func f64(_ value: Double) -> [UInt8] { [0x44] + bytes(value.bitPattern, 8) }
    static func get(_ local: Int) -> [UInt8] { [0x20] + leb(local) }
    static func set(_ local: Int) -> [UInt8] { [0x21] + leb(local) }
    static func tee(_ local: Int) -> [UInt8] { [0x22] + leb(local) }
    static func globalGet(_ index: Int) -> [UInt8] { [0x23] + leb(index) }
    static func globalSet(_ index: Int) -> [UInt8] { [0x24] + leb(index) }
    static func call(_ function: Int) -> [UInt8] { [0x10] + leb(function) }
    static func callIndirect(type: Int, table: Int = 0) -> [UInt8] {
        [0x11] + leb(type) + leb(table)
    }
    static func br(_ depth: Int) -> [UInt8] { [0x0c] + leb(depth) }
    static func brIf(_ depth: Int) -> [UInt8] { [0x0d] + leb(depth) }
    static func block(_ type: UInt8 = 0x40, _ body: [UInt8]) -> [UInt8] {
        [0x02, type] + body + [0x0b]
    }
    static func loop(_ type: UInt8 = 0x40, _ body: [UInt8]) -> [UInt8] {
        [0x03, type] + body + [0x0b]
    }
    static func ifElse(_ type: UInt8 = 0x40, _ then: [UInt8], _ other: [UInt8]) -> [UInt8] {
        [0x04, type] + then + [0x05] + other + [0x0b]
    }
    static func load32(_ offset: Int = 0) -> [UInt8] { [0x28, 2] + leb(offset) }
    static func store32(_ offset: Int = 0) -> [UInt8] { [0x36, 2] + leb(offset) }

    static func tableGrow(_ table: Int) -> [UInt8] { [0xfc, 15] + leb(table) }

    static let refNull: [UInt8] = [0xd0, 0x70]
    static let unreachable: [UInt8] = [0x00]
    static let ret: [UInt8] = [0x0f]
    static let drop: [UInt8] = [0x1a]
    static let eqz32: [UInt8] = [0x45]
    static let add32: [UInt8] = [0x6a]
    static let sub32: [UInt8] = [0x6b]
    static let mul32: [UInt8] = [0x6c]
    static let divU32: [UInt8] = [0x6e]
    static let add64: [UInt8] = [0x7c]
    static let memoryGrow: [UInt8] = [0x40, 0]
    static let memorySize: [UInt8] = [0x3f, 0]

    /// A loop that never ends.
    static let forever: [UInt8] = loop(0x40, br(0))

    static func bytes<T: FixedWidthInteger>(_ value: T, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * T($0))) }
    }
}
