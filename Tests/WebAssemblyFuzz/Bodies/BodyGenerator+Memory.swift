import WebAssembly

extension BodyGenerator {
    /// Loads by result: opcode and width in bytes.
    private static let loads: [ValueType: [(UInt8, Int)]] = [
        .i32: [(0x28, 4), (0x2c, 1), (0x2d, 1), (0x2e, 2), (0x2f, 2)],
        .i64: [(0x29, 8), (0x30, 1), (0x31, 1), (0x32, 2), (0x33, 2), (0x34, 4), (0x35, 4)],
        .f32: [(0x2a, 4)], .f64: [(0x2b, 8)],
    ]
    private static let stores: [ValueType: [(UInt8, Int)]] = [
        .i32: [(0x36, 4), (0x3a, 1), (0x3b, 2)],
        .i64: [(0x37, 8), (0x3c, 1), (0x3d, 2), (0x3e, 4)],
        .f32: [(0x38, 4)], .f64: [(0x39, 8)],
    ]

    mutating func load(_ type: ValueType) {
        guard let memory = plan.memory, let choices = Self.loads[type] else {
            return leaf(type)
        }
        let (code, width) = dice.pick(choices)
        let offset = address(memory, width)
        access(code, width, offset)
    }

    mutating func store() {
        guard let memory = plan.memory else { return }
        let type = dice.pick(Self.numbers)
        guard let choices = Self.stores[type] else { return }
        let (code, width) = dice.pick(choices)
        let offset = address(memory, width)
        if dice.once(in: 4) { constant(type) } else { exact(type) }
        access(code, width, offset)
    }

    private mutating func access(_ code: UInt8, _ width: Int, _ offset: UInt64) {
        byte(code)
        out.unsigned(dice.below(width.trailingZeroBitCount + 1))
        out.unsigned(offset)
    }

    /// Leaves an address, in all forms that the translator knows, and answers the offset that the
    /// access must use with it.
    private mutating func address(_ memory: MemoryType, _ width: Int) -> UInt64 {
        let is64 = memory.is64
        let type: ValueType = is64 ? .i64 : .i32
        let length = memory.minimum << 16
        switch dice.below(14) {
        case 0, 1:
            index(UInt64(dice.below(4000)), is64: is64)
            return smallOffset()
        case 2, 3, 4:
            // A masked value, straight from the stack.
            value(type)
            mask(type)
            return smallOffset()
        case 5, 6:
            let local = addressLocal(type)
            op(0x20, local)
            return smallOffset()
        case 7, 8:
            op(0x20, addressLocal(type))
            index(UInt64(dice.below(3000)), is64: is64)
            byte(is64 ? 0x7c : 0x6a)
            return smallOffset()
        case 9, 10:
            op(0x20, addressLocal(type))
            op(0x20, addressLocal(type))
            byte(is64 ? 0x7c : 0x6a)
            return smallOffset()
        case 11:
            // Within a few bytes of the end.
            let edge = length &+ UInt64(bitPattern: Int64(dice.within(-20...2) - width))
            index(edge, is64: is64)
            return UInt64(dice.below(4))
        case 12:
            // Sums that wrap or carry.
            guard dice.once(in: 3) else {
                index(UInt64(dice.below(100)), is64: is64)
                return UInt64(dice.below(60_000))
            }
            index(dice.bits(type), is64: is64)
            return dice.pick(
                is64
                    ? [0, 16, 0xffff_ffff, 1 << 32, 1 << 48, UInt64.max, UInt64.max - 7]
                    : [0, 16, 0x7fff_ffff, 0xffff_ffff, 0xffff_fff0])
        default:
            if dice.once(in: 3) { value(type) } else { op(0x20, addressLocal(type)) }
            return dice.once(in: 4) ? UInt64(dice.below(70_000)) : smallOffset()
        }
    }

    private mutating func smallOffset() -> UInt64 {
        dice.once(in: 3) ? UInt64(dice.below(1 << 12)) : UInt64(dice.below(16))
    }

    mutating func mask(_ type: ValueType) {
        out.constant(type, dice.pick([0xff, 0xfff, 0x7ff8, 7]))
        byte(type == .i64 ? 0x83 : 0x71)
    }

    /// A local that holds an address inside the memory.
    private mutating func addressLocal(_ type: ValueType) -> Int {
        let name = scratchAddress(type)
        if dice.once(in: 3) {
            value(type)
            mask(type)
            op(0x21, name)
        }
        return name
    }

    private mutating func scratchAddress(_ type: ValueType) -> Int {
        let fitting = reserved.sorted().filter { locals[$0] == type && addresses.contains($0) }
        if fitting.count < 2 {
            let index = reservedLocal(type)
            addresses.insert(index)
            return index
        }
        return dice.pick(fitting)
    }

    // MARK: Bulk

    mutating func bulkMemory() {
        guard let memory = plan.memory else { return store() }
        let type: ValueType = memory.is64 ? .i64 : .i32
        switch dice.below(4) {
        case 0:
            bulkAddress(type)
            bulkAddress(type)
            bulkCount(type)
            bytes([0xfc, 10, 0, 0])
        case 1:
            bulkAddress(type)
            value(.i32)
            bulkCount(type)
            bytes([0xfc, 11, 0])
        case 2 where !plan.data.isEmpty:
            let segment = dice.below(plan.data.count)
            bulkAddress(type)
            i32(Int32(dice.below(4)))
            i32(Int32(dice.below(max(1, min(8, plan.data[segment].count)))))
            byte(0xfc)
            op(8, segment, 0)
        case 3 where !plan.data.isEmpty && dice.once(in: 4):
            byte(0xfc)
            op(9, dice.below(plan.data.count))
        default: store()
        }
    }

    private mutating func bulkAddress(_ type: ValueType) {
        if dice.once(in: 30) { return value(type) }
        value(type)
        mask(type)
    }

    private mutating func bulkCount(_ type: ValueType) {
        switch dice.below(8) {
        case 0: out.constant(type, UInt64(dice.below(9000)))
        case 1:
            value(type)
            mask(type)
        default: out.constant(type, UInt64(dice.below(40)))
        }
    }
}
