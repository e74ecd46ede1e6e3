import WebAssembly

extension BodyGenerator {
    /// Something that leaves the stack as it was.
    mutating func statement() {
        guard mayGrow() else { return assign() }
        switch dice.below(22) {
        case 0...3: assign()
        case 4...6: store()
        case 7, 8: ifStatement()
        case 9, 10: blockStatement()
        case 11, 12: countedLoop()
        case 13: freeLoop()
        case 14: switchStatement()
        case 15: bulkMemory()
        case 16: tableStatement()
        case 17, 18: callStatement()
        case 19: multiValueBlock()
        case 20: branchWithValues()
        default:
            value(Self.anyType(&dice))
            byte(0x1a)
            if dice.once(in: 4) { byte(0x01) }
        }
    }

    private mutating func assign() {
        let type = Self.anyType(&dice)
        if dice.once(in: 4), let index = global(type, toAssign: true) {
            value(type)
            return op(0x24, index)
        }
        guard let index = local(type, toAssign: true) else { return }
        value(type)
        op(0x21, index)
    }

    /// Takes the value on top of the stack away, sometimes after work with it.
    mutating func consume(_ type: ValueType) {
        switch dice.below(6) {
        case 0: byte(0x1a)
        case 1 where type != .funcRef && type != .externRef:
            let choices = NumericOperator.all.filter {
                $0.inputs == [type, type] && !$0.traps && !$0.showsBits
            }
            let chosen = dice.pick(choices)
            value(type)
            bytes(chosen.code)
            consume(chosen.output)
        case 2 where type == .i32:
            bytes([0x04, 0x40])
            labels.append([])
            statement()
            labels.removeLast()
            byte(0x0b)
        case 3:
            if let index = global(type, toAssign: true) { return op(0x24, index) }
            byte(0x1a)
        default:
            if let index = local(type, toAssign: true) { return op(0x21, index) }
            byte(0x1a)
        }
    }

    // MARK: Blocks

    private mutating func ifStatement() {
        condition()
        bytes([0x04, 0x40])
        labels.append([])
        statement()
        if dice.once(in: 2) {
            byte(0x05)
            statement()
        }
        labels.removeLast()
        byte(0x0b)
    }

    mutating func ifValue(_ type: ValueType) {
        condition()
        byte(0x04)
        blockType([], [type])
        labels.append([type])
        value(type)
        byte(0x05)
        value(type)
        labels.removeLast()
        byte(0x0b)
    }

    private mutating func blockStatement() {
        bytes([0x02, 0x40])
        labels.append([])
        for _ in 0..<dice.within(1...3) { statement() }
        leave()
        labels.removeLast()
        byte(0x0b)
    }

    mutating func blockValue(_ type: ValueType) {
        byte(0x02)
        blockType([], [type])
        labels.append([type])
        statement()
        value(type)
        if dice.once(in: 2) {
            // Leave with the value, or go on and replace it.
            condition()
            op(0x0d, 0)
            if dice.once(in: 2) {
                byte(0x1a)
                value(type)
            }
        }
        labels.removeLast()
        byte(0x0b)
    }

    /// Ends a block of no results: falls through, or jumps somewhere.
    private mutating func leave() {
        switch dice.below(5) {
        case 0:
            condition()
            op(0x0d, voidLabel())
        case 1: jump()
        default: break
        }
    }

    /// The distance to a label without values; the innermost one always is.
    private mutating func voidLabel() -> Int {
        let fitting = labels.indices.filter { labels[$0].isEmpty && isForward($0) }
        return labels.count - 1 - (fitting.isEmpty ? labels.count - 1 : dice.pick(fitting))
    }

    private func isForward(_ label: Int) -> Bool { !backward.contains(label) }

    /// An unconditional branch or return with what it needs, and code after it that never runs.
    private mutating func jump() {
        switch dice.below(6) {
        case 0, 1:
            for result in type.results { value(result) }
            byte(0x0f)
        case 2 where dice.once(in: 6): byte(0x00)
        default:
            let choices = labels.indices.filter { isForward($0) }
            let label = choices.isEmpty ? 0 : dice.pick(choices)
            for wanted in labels[label] { value(wanted) }
            op(0x0c, labels.count - 1 - label)
        }
        deadCode()
    }

    /// A conditional branch that takes values along; they stay when it is not taken.
    private mutating func branchWithValues() {
        let choices = labels.indices.filter { isForward($0) }
        guard !choices.isEmpty else { return assign() }
        let label = dice.pick(choices)
        // A value below those of the label: the branch must throw it away.
        value(Self.anyType(&dice))
        for wanted in labels[label] { value(wanted) }
        condition()
        op(0x0d, labels.count - 1 - label)
        for wanted in labels[label].reversed() { consume(wanted) }
        byte(0x1a)
    }

    /// A block with parameters and several results.
    private mutating func multiValueBlock() {
        let parameters = (0..<dice.below(4)).map { _ in Self.anyType(&dice) }
        let results = (0..<dice.below(4)).map { _ in Self.anyType(&dice) }
        for parameter in parameters { value(parameter) }
        let isIf = dice.once(in: 3)
        if isIf { condition() }
        byte(isIf ? 0x04 : 0x02)
        blockType(parameters, results)
        labels.append(results)
        transform(parameters, results)
        if isIf {
            byte(0x05)
            transform(parameters, results)
        }
        labels.removeLast()
        byte(0x0b)
        for result in results.reversed() { consume(result) }
    }

    /// Makes the values `from` on the stack into `to`, keeping a common beginning.
    private mutating func transform(_ from: [ValueType], _ to: [ValueType]) {
        var common = 0
        while common < min(from.count, to.count), from[common] == to[common],
            dice.once(in: 2)
        { common += 1 }
        for type in from[common...].reversed() { consume(type) }
        if dice.once(in: 2) { statement() }
        for type in to[common...] { value(type) }
    }

    private mutating func switchStatement() {
        let ways = dice.within(1...4)
        for _ in 0..<ways {
            bytes([0x02, 0x40])
            labels.append([])
        }
        value(.i32)
        if !dice.once(in: 4) {
            i32(Int32(ways) + 1)
            byte(0x70)
        }
        byte(0x0e)
        let entries = dice.below(6)
        out.unsigned(entries)
        for _ in 0...entries { out.unsigned(dice.below(ways)) }
        deadCode()
        for _ in 0..<ways {
            labels.removeLast()
            byte(0x0b)
            statement()
        }
    }

    /// Code that is validated and never run: operators over operands that are not there.
    mutating func deadCode() {
        var known: [ValueType] = []
        for _ in 0..<dice.below(5) {
            let chosen = dice.pick(NumericOperator.all)
            let operands = chosen.inputs.suffix(known.count)
            guard Array(known.suffix(operands.count)) == Array(operands) else {
                out.constant(chosen.output, dice.bits(chosen.output))
                known.append(chosen.output)
                continue
            }
            known.removeLast(operands.count)
            bytes(chosen.code)
            known.append(chosen.output)
        }
        for _ in known { byte(0x1a) }
        if dice.once(in: 8) { bytes([0x1b, 0x1a]) }
    }
}
