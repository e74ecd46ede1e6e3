import WebAssembly

extension BodyGenerator {
    /// Leaves one value of `type`; floats may be arithmetic NaNs.
    mutating func value(_ type: ValueType) {
        guard mayGrow() else { return leaf(type) }
        switch dice.below(24) {
        case 0...3: leaf(type)
        case 4...13:
            if type == .funcRef || type == .externRef { reference(type) } else { numeric(type) }
        case 14: select(type)
        case 15: tee(type)
        case 16: ifValue(type)
        case 17: blockValue(type)
        case 18:
            // The value stays on the stack while something else happens.
            value(type)
            statement()
        case 19, 20:
            if type == .funcRef || type == .externRef { reference(type) } else { load(type) }
        case 21: callValue(type)
        case 22: type == .i32 || type == .i64 ? sizeValue(type) : numericOrReference(type)
        default: loopValue(type)
        }
    }

    private mutating func numericOrReference(_ type: ValueType) {
        if type == .funcRef || type == .externRef { reference(type) } else { numeric(type) }
    }

    /// A constant, a local or a global.
    mutating func leaf(_ type: ValueType) {
        let which = dice.below(10)
        if which < 6, let index = local(type) { return op(0x20, index) }
        if which < 7, let index = global(type) { return op(0x23, index) }
        constant(type)
    }

    mutating func constant(_ type: ValueType) {
        if type == .funcRef, dice.once(in: 2) { return op(0xd2, dice.below(plan.functions.count)) }
        out.constant(type, dice.bits(type))
    }

    mutating func numeric(_ type: ValueType) {
        guard let choices = NumericOperator.byOutput[type] else { return constant(type) }
        apply(dice.pick(choices))
    }

    /// An operator with operands of all forms.
    mutating func apply(_ chosen: NumericOperator) {
        if chosen.traps { return applyTrapping(chosen) }
        if chosen.showsBits {
            if chosen.inputs.count == 2 { value(chosen.inputs[0]) }
            exact(chosen.inputs[0])
            return bytes(chosen.code)
        }
        operand(chosen.inputs[0])
        if chosen.inputs.count == 2 { operand(chosen.inputs[1]) }
        bytes(chosen.code)
    }

    /// An operand: leaves are likely, so that constants and locals meet every operator.
    private mutating func operand(_ type: ValueType) {
        switch dice.below(6) {
        case 0: constant(type)
        case 1, 2: leaf(type)
        default: value(type)
        }
    }

    /// Division and truncation: mostly of values that do not trap.
    private mutating func applyTrapping(_ chosen: NumericOperator) {
        let input = chosen.inputs[0]
        let daring = dice.once(in: 12)
        if chosen.inputs.count == 2 {
            value(input)
            value(input)
            if !daring {
                // Not zero and not -1.
                out.constant(input, 0x7fff)
                byte(input == .i32 ? 0x71 : 0x83)
                out.constant(input, 1)
                byte(input == .i32 ? 0x72 : 0x84)
            }
        } else if daring {
            value(input)
        } else {
            // Of an i32 the result fits nearly always; its magnitude also fits unsigned.
            value(.i32)
            if dice.once(in: 2) {
                i32(0xff_ffff)
                byte(0x71)
            }
            byte((input == .f32 ? 0xb2 : 0xb7) + UInt8(dice.below(2)))
        }
        bytes(chosen.code)
    }

    // MARK: Floats whose bits are determined

    mutating func exact(_ type: ValueType) {
        guard type == .f32 || type == .f64 else { return value(type) }
        let is32 = type == .f32
        guard mayGrow() else { return out.constant(type, dice.bits(type)) }
        switch dice.below(10) {
        case 0: out.constant(type, dice.bits(type))
        case 1: plan.memory == nil ? neverNaN(type) : load(type)
        case 2, 3:
            value(is32 ? .i32 : .i64)
            byte(is32 ? 0xbe : 0xbf)
        case 4:
            // abs and neg only touch the sign.
            exact(type)
            byte((is32 ? 0x8b : 0x99) + UInt8(dice.below(2)))
        case 5:
            exact(type)
            exact(type)
            byte(is32 ? 0x98 : 0xa6)
        case 6: canonical(type)
        default: neverNaN(type)
        }
    }

    /// Any float, every NaN replaced by one with known bits.
    private mutating func canonical(_ type: ValueType) {
        let scratch = scratchLocal(type)
        value(type)
        op(0x22, scratch)
        out.constant(type, type == .f32 ? 0x7fc0_0000 : 0x7ff8_0000_0000_0000)
        op(0x20, scratch)
        op(0x20, scratch)
        bytes([type == .f32 ? 0x5b : 0x61, 0x1b])
    }

    /// A float that comes from integers by operations that make no NaN.
    private mutating func neverNaN(_ type: ValueType) {
        let is32 = type == .f32
        let arithmetic: UInt8 = is32 ? 0x8b : 0x99
        func convert(_ generator: inout BodyGenerator) {
            let wide = generator.dice.once(in: 2)
            generator.value(wide ? .i64 : .i32)
            let code: UInt8 = (is32 ? 0xb2 : 0xb7) + (wide ? 2 : 0)
            generator.byte(code + UInt8(generator.dice.below(2)))
        }
        guard mayGrow() else {
            return out.constant(type, is32 ? 0x4048_0000 : 0x4004_0000_0000_0000)
        }
        switch dice.below(8) {
        case 0...2: convert(&self)
        case 3:
            convert(&self)
            byte(arithmetic + UInt8(dice.within(0...5)))
        case 4:
            convert(&self)
            bytes([arithmetic, arithmetic + 6])
        case 5, 6:
            convert(&self)
            convert(&self)
            byte(arithmetic + 7 + UInt8(dice.pick([0, 1, 2, 4, 5, 6])))
        default:
            neverNaN(is32 ? .f64 : .f32)
            byte(is32 ? 0xb6 : 0xbb)
        }
    }

    // MARK: Others

    private mutating func select(_ type: ValueType) {
        value(type)
        value(type)
        condition()
        if type == .funcRef || type == .externRef || dice.once(in: 3) {
            bytes([0x1c, 1, type.rawValue])
        } else {
            byte(0x1b)
        }
    }

    private mutating func tee(_ type: ValueType) {
        value(type)
        if let index = local(type, toAssign: true) { op(0x22, index) }
    }

    /// An i32 that is as often zero as not.
    mutating func condition() {
        switch dice.below(6) {
        case 0: value(.i32)
        case 1:
            value(.i32)
            i32(1 << Int32(dice.below(16)))
            byte(0x71)
        case 2:
            value(.i32)
            bytes([0x45])
        default:
            let choices = NumericOperator.all.filter { $0.output == .i32 && $0.inputs.count == 2 }
            let compares = choices.filter { $0.code[0] >= 0x45 && $0.code[0] <= 0x66 }
            apply(dice.pick(compares))
            if dice.once(in: 6) { byte(0x45) }
        }
    }

    mutating func reference(_ type: ValueType) {
        let tables = plan.tables.indices.filter { plan.tables[$0].element == type }
        if !tables.isEmpty, !dice.once(in: 3) {
            let table = dice.pick(tables)
            tableIndex(table)
            return op(0x25, table)
        }
        leaf(type)
    }

    /// Sizes, growth and tests of references, all integers.
    private mutating func sizeValue(_ type: ValueType) {
        switch dice.below(4) {
        case 0: if let memory = plan.memory, isIndex(type, memory.is64) { return bytes([0x3f, 0]) }
        case 1:
            if let memory = plan.memory, isIndex(type, memory.is64) {
                growAmount(memory.is64)
                return bytes([0x40, 0])
            }
        case 2:
            if let table = plan.tables.indices.first(where: {
                isIndex(type, plan.tables[$0].is64)
            }) {
                if dice.once(in: 2) {
                    bytes([0xfc])
                    return op(16, table)
                }
                value(plan.tables[table].element)
                growAmount(plan.tables[table].is64)
                bytes([0xfc])
                return op(15, table)
            }
        default:
            if type == .i32 {
                reference(dice.once(in: 2) ? .funcRef : .externRef)
                return byte(0xd1)
            }
        }
        numeric(type)
    }

    private func isIndex(_ type: ValueType, _ is64: Bool) -> Bool { type == (is64 ? .i64 : .i32) }

    private mutating func growAmount(_ is64: Bool) {
        index(dice.pick([0, 1, 1, 2, 3, 70_000, is64 ? 1 << 50 : 0xffff_ffff]), is64: is64)
    }
}

extension Dice {
    /// The bits of a constant, often one at a border.
    mutating func bits(_ type: ValueType) -> UInt64 {
        switch type {
        case .i32: return integer() & 0xffff_ffff
        case .i64: return integer()
        case .f32:
            if once(in: 8) { return next() & 0xffff_ffff }
            return pick([
                0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x3f00_0000, 0x7f80_0000, 0xff80_0000,
                0x7fc0_0000, 0xffc0_0000, 0x7fa0_0001, 0xff80_1234, 0x4f00_0000, 0xcf00_0000,
                0x4f80_0000, 0x5f00_0000, 0x0000_0001, 0x7f7f_ffff, 0x4020_0000, 0x4b00_0001,
            ])
        case .f64:
            if once(in: 8) { return next() }
            return pick([
                0, 1 << 63, 0x3ff0_0000_0000_0000, 0xbff0_0000_0000_0000, 0x3fe0_0000_0000_0000,
                0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, 0x7ff8_0000_0000_0000,
                0xfff8_0000_0000_0000, 0x7ff4_0000_0000_0001, 0xfff0_0000_dead_beef,
                0x41df_ffff_ffc0_0000, 0x41e0_0000_0000_0000, 0xc1e0_0000_0020_0000,
                0x43e0_0000_0000_0000, 0x43f0_0000_0000_0000, 0x0000_0000_0000_0001,
                0x7fef_ffff_ffff_ffff, 0x4004_0000_0000_0000, 0x4330_0000_0000_0001,
            ])
        case .funcRef, .externRef: return 0
        }
    }

    private mutating func integer() -> UInt64 {
        switch below(5) {
        case 0: return UInt64(below(40))
        case 1: return UInt64(bitPattern: -1 - Int64(below(40)))
        case 2: return UInt64(bitPattern: Int64(within(-40_000...40_000)))
        case 3:
            let border = UInt64(1) << UInt64(pick([7, 8, 15, 16, 31, 32, 63]))
            return border &+ UInt64(bitPattern: Int64(within(-1...1)))
        default: return next()
        }
    }
}
