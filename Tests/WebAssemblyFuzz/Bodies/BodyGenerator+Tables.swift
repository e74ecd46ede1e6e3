import WebAssembly

extension BodyGenerator {
    /// Leaves an index into a table, nearly always inside.
    mutating func tableIndex(_ table: Int) {
        let type = plan.tables[table]
        let size = Int(type.minimum)
        if size == 0 || dice.once(in: 25) {
            return index(UInt64(dice.below(size + 3)), is64: type.is64)
        }
        let index: ValueType = type.is64 ? .i64 : .i32
        if dice.once(in: 2) { return out.constant(index, UInt64(dice.below(size))) }
        value(index)
        out.constant(index, UInt64(size))
        byte(type.is64 ? 0x82 : 0x70)
    }

    mutating func tableStatement() {
        guard !plan.tables.isEmpty else { return store() }
        let table = dice.below(plan.tables.count)
        let type = plan.tables[table]
        switch dice.below(7) {
        case 0, 1:
            tableIndex(table)
            reference(type.element)
            op(0x26, table)
        case 2:
            tableIndex(table)
            reference(type.element)
            count(type.is64)
            byte(0xfc)
            op(17, table)
        case 3:
            let others = plan.tables.indices.filter { plan.tables[$0].element == type.element }
            let source = dice.pick(others)
            tableIndex(table)
            tableIndex(source)
            count(type.is64 && plan.tables[source].is64)
            byte(0xfc)
            op(14, table, source)
        case 4, 5:
            let fitting = plan.elements.indices.filter { plan.elements[$0].type == type.element }
            guard let segment = fitting.isEmpty ? nil : dice.pick(fitting) else { return store() }
            tableIndex(table)
            i32(Int32(dice.below(2)))
            i32(Int32(dice.below(max(1, plan.elements[segment].count))))
            byte(0xfc)
            op(12, segment, table)
        default:
            guard !plan.elements.isEmpty, dice.once(in: 4) else { return store() }
            byte(0xfc)
            op(13, dice.below(plan.elements.count))
        }
    }

    private mutating func count(_ is64: Bool) { index(UInt64(dice.below(4)), is64: is64) }

    // MARK: Calls

    /// Mostly functions before this one: cycles of calls only end when fuel does.
    private mutating func callees() -> [Int] {
        Array(dice.once(in: 12) ? plan.functions.indices : 0..<index)
    }

    /// A call whose first result is of the type; further results are consumed.
    mutating func callValue(_ type: ValueType) {
        let fitting = callees().filter { plan.functions[$0].results.first == type }
        guard !fitting.isEmpty else { return leaf(type) }
        let callee = dice.pick(fitting)
        call(callee)
        for result in plan.functions[callee].results.dropFirst().reversed() { consume(result) }
    }

    mutating func callStatement() {
        let fitting = callees()
        guard !fitting.isEmpty else { return store() }
        let callee = dice.pick(fitting)
        call(callee)
        for result in plan.functions[callee].results.reversed() { consume(result) }
    }

    /// A direct call, or one through a table that holds the callee if nobody moved it.
    private mutating func call(_ callee: Int) {
        let type = plan.functions[callee]
        for parameter in type.parameters { value(parameter) }
        if !dice.once(in: 3) { return op(0x10, callee) }
        let tables = plan.tables.indices.filter { plan.tables[$0].element == .funcRef }
        guard !tables.isEmpty else { return op(0x10, callee) }
        let table = dice.pick(tables)
        let places = plan.known[table].filter { plan.functions[$0.value] == type }.keys.sorted()
        guard !places.isEmpty || dice.once(in: 10) else { return op(0x10, callee) }
        let is64 = plan.tables[table].is64
        if places.isEmpty {
            tableIndex(table)
        } else {
            let place = UInt64(dice.pick(places))
            switch dice.below(3) {
            case 0: index(place, is64: is64)
            case 1:
                // Through a local, so that the index is in a slot.
                let holder = scratchLocal(is64 ? .i64 : .i32)
                index(place, is64: is64)
                op(0x21, holder)
                op(0x20, holder)
            default:
                // Computed, so that it is in an accumulator.
                let wide: ValueType = is64 ? .i64 : .i32
                value(wide)
                out.constant(wide, 0)
                byte(is64 ? 0x83 : 0x71)
                out.constant(wide, place)
                byte(is64 ? 0x7c : 0x6a)
            }
        }
        op(0x11, plan.number(of: type), table)
    }
}
