import WebAssembly

extension BodyGenerator {
    /// A loop with a counter of its own, in the shapes that compilers write.
    mutating func countedLoop() {
        guard loopDepth < 3 else { return store() }
        let counter = reservedLocal(.i32)
        let steps = dice.within(1...6)
        // A step over 16 bits is not merged with the branch.
        let step = Int32(dice.pick([1, 1, 2, 4, 3, 40_000]))
        let base = Int32(dice.pick([0, 0, -3, 100, 70_000, -70_000]))
        let up = dice.once(in: 2)
        let first = up ? base : base + Int32(steps) * step
        let last = up ? base + Int32(steps) * step : base
        i32(first)
        op(0x21, counter)
        let limit = dice.once(in: 2) ? reservedLocal(.i32) : nil
        // Compare in ways that hold until the end is reached.
        let signed: [UInt8] = up ? [0x48, 0x4c, 0x47] : [0x4a, 0x4e, 0x47]
        let unsigned: [UInt8] = up ? [0x49, 0x4d] : [0x4b, 0x4f]
        let isInclusive: (UInt8) -> Bool = { [0x4c, 0x4d, 0x4e, 0x4f].contains($0) }
        let compare = dice.pick(signed + (first >= 0 && last >= 0 ? unsigned : []))
        let end = isInclusive(compare) ? (up ? last - step : last + step) : last
        if let limit {
            i32(end)
            op(0x21, limit)
        }
        iterate { generator in
            generator.op(0x20, counter)
            if up || generator.dice.once(in: 2) {
                generator.i32(up ? step : -step)
                generator.byte(0x6a)
            } else {
                generator.i32(step)
                generator.byte(0x6b)
            }
            if generator.dice.once(in: 2) {
                generator.op(0x22, counter)
            } else {
                generator.op(0x21, counter)
                generator.op(0x20, counter)
            }
            if let limit { generator.op(0x20, limit) } else { generator.i32(end) }
            generator.byte(compare)
            generator.op(0x0d, 0)
        }
    }

    /// A loop whose condition is anything; fuel bounds it.
    mutating func freeLoop() {
        guard loopDepth < 2 else { return store() }
        let counter = local(.i32, toAssign: true)
        iterate { generator in
            generator.payFuel()
            if let counter, generator.dice.once(in: 2) {
                // The counter's shape with any comparison.
                generator.op(0x20, counter)
                generator.i32(Int32(generator.dice.pick([1, -1, 7, 32_767, -32_768, 50_000])))
                generator.byte(0x6a)
                generator.op(0x22, counter)
                generator.leaf(.i32)
                generator.byte(0x46 + UInt8(generator.dice.below(10)))
            } else {
                generator.condition()
            }
            if generator.dice.once(in: 3) { generator.byte(0x45) }
            generator.op(0x0d, 0)
        }
    }

    private mutating func iterate(_ tail: (inout BodyGenerator) -> Void) {
        bytes([0x03, 0x40])
        labels.append([])
        backward.insert(labels.count - 1)
        loopDepth += 1
        for _ in 0..<dice.within(1...2) { statement() }
        loopDepth -= 1
        tail(&self)
        backward.remove(labels.count - 1)
        labels.removeLast()
        byte(0x0b)
    }

    /// A loop that carries its values on the stack.
    mutating func loopValue(_ type: ValueType) {
        guard loopDepth < 2, type != .funcRef, type != .externRef else { return leaf(type) }
        let choices = NumericOperator.all.filter {
            $0.inputs == [type, type] && $0.output == type && !$0.traps && !$0.showsBits
        }
        value(type)
        byte(0x03)
        let number = plan.number(of: FunctionType(parameters: [type], results: [type]))
        out.signed(Int64(number))
        labels.append([type])
        backward.insert(labels.count - 1)
        loopDepth += 1
        payFuel()
        value(type)
        bytes(dice.pick(choices).code)
        condition()
        op(0x0d, 0)
        loopDepth -= 1
        backward.remove(labels.count - 1)
        labels.removeLast()
        byte(0x0b)
    }
}
