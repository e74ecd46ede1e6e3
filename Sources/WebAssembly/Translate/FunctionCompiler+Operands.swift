import CWasmCore

// The operand stack: types for validation, places for translation.

extension FunctionCompiler {
    /// How many unsettled operands may be on the stack; bounds the search in `releaseLocal`.
    private static let window = 64

    @inline(__always)
    mutating func push(_ kind: UInt8, _ type: UInt8, _ slot: UInt32, _ bits: UInt64) {
        if depth == stackCapacity { growStack() }
        stack[depth] = Operand(kind: kind, type: type, slot: slot, bits: bits)
        depth &+= 1
        if depth &- settled > FunctionCompiler.window {
            settle(settled)
            settled &+= 1
        }
    }

    private mutating func growStack() {
        stack = regrown(stack, depth, stackCapacity * 2)
        stackCapacity *= 2
    }

    /// Pushes a value that is in the slot of its height.
    @inline(__always)
    mutating func pushSlot(_ type: UInt8) {
        let slot = slotAt(depth)
        touch(slot &+ 1)
        push(Operand.inSlot, type, slot, 0)
    }

    /// Takes an operand of `type` (or any, for `TypeCode.unknown`) from the stack.
    mutating func pop(_ type: UInt8) throws -> Operand {
        let frame = frames + (frameCount &- 1)
        if depth == frame.pointee.height {
            if frame.pointee.isUnreachable {
                return Operand(kind: Operand.inSlot, type: type, slot: slotAt(depth), bits: 0)
            }
            throw invalid("type mismatch", "an operand is missing")
        }
        depth &-= 1
        let operand = stack[depth]
        if operand.type != type && operand.type != TypeCode.unknown && type != TypeCode.unknown {
            throw mismatch(operand.type, type)
        }
        if operand.isAccumulator { freeAccumulator(operand.type) }
        if depth < settled { settled = depth }
        return operand
    }

    func mismatch(_ found: UInt8, _ expected: UInt8) -> WasmValidationError {
        func name(_ code: UInt8) -> String { ValueType(rawValue: code).map { "\($0)" } ?? "?" }
        return invalid("type mismatch", "\(name(found)) where \(name(expected)) is expected")
    }

    // MARK: Accumulators

    @inline(__always)
    mutating func freeAccumulator(_ type: UInt8) {
        if type == TypeCode.f64 {
            inF = -1
        } else if type == TypeCode.f32 {
            inG = -1
        } else {
            inR = -1
        }
    }

    @inline(__always)
    mutating func pushAccumulator(_ type: UInt8) {
        if type == TypeCode.f64 {
            inF = depth
        } else if type == TypeCode.f32 {
            inG = depth
        } else {
            inR = depth
        }
        push(Operand.accumulator, type, 0, 0)
    }

    /// Puts a value that waits in the accumulator of `type` into its slot, before the accumulator
    /// gets another one.
    mutating func vacate(_ type: UInt8) {
        let height = type == TypeCode.f64 ? inF : type == TypeCode.f32 ? inG : inR
        if height >= 0 { settle(height) }
    }

    mutating func vacateAll() {
        if inR >= 0 { settle(inR) }
        if inF >= 0 { settle(inF) }
        if inG >= 0 { settle(inG) }
    }

    // MARK: Places

    /// Puts the operand at `height` into its slot, unless it is there or constant.
    mutating func settle(_ height: Int) {
        let operand = stack[height]
        if operand.kind == Operand.inSlot || operand.kind == Operand.constant { return }
        place(height)
    }

    /// Puts the operand at `height` into its slot.
    mutating func place(_ height: Int) {
        let operand = stack[height]
        if operand.kind == Operand.inSlot { return }
        let slot = slotAt(height)
        move(operand, to: slot)
        if operand.isAccumulator { freeAccumulator(operand.type) }
        stack[height] = Operand(kind: Operand.inSlot, type: operand.type, slot: slot, bits: 0)
    }

    /// Settles all operands: at the borders of blocks, where several paths meet.
    mutating func settleAll() {
        while settled < depth {
            settle(settled)
            settled &+= 1
        }
    }

    /// Emits the copy of an operand to a slot.
    mutating func move(_ operand: Operand, to slot: UInt32) {
        touch(slot &+ 1)
        switch operand.kind {
        case Operand.constant: constant(operand.bits, to: slot)
        case Operand.accumulator:
            if operand.type == TypeCode.f64 {
                emit(Opcode.copyF, slot, 0, 0)
            } else if operand.type == TypeCode.f32 {
                emit(Opcode.copyG, slot, 0, 0)
            } else {
                emit(Opcode.copyR, slot, 0, 0)
            }
        default: copy(operand.slot, to: slot)
        }
    }

    mutating func copy(_ from: UInt32, to slot: UInt32) {
        if from == slot { return }
        // Two copies in a row are one instruction.
        if !dead && count > barrier && code[2 &* count &- 2] == UInt64(Opcode.copy) {
            let old = code[2 &* count &- 1]
            code[2 &* count &- 2] = UInt64(Opcode.copy2)
            code[2 &* count &- 1] =
                (old & 0xffff_ffff) | UInt64(from & 0xffff) &<< 32 | UInt64(slot & 0xffff) &<< 48
            barrier = count
            return
        }
        emit(Opcode.copy, slot, from, 0)
    }

    mutating func constant(_ bits: UInt64, to slot: UInt32) {
        if bits >> 32 == 0 {
            emit(Opcode.constU32, slot, 0, UInt32(truncatingIfNeeded: bits))
        } else if fits(bits) {
            emit(Opcode.constS32, slot, 0, UInt32(truncatingIfNeeded: bits))
        } else {
            emit(Opcode.const64, slot, 0, 0)
            emitData(bits)
        }
    }

    /// Whether sign extension of the low 32 bits gives all 64.
    @inline(__always)
    func fits(_ bits: UInt64) -> Bool {
        let signed = Int64(bitPattern: bits)
        return signed == Int64(Int32(truncatingIfNeeded: signed))
    }

    /// The slot where a popped operand can be read. `height` is where it was: a constant (or an
    /// accumulator, where an instruction has no form for it) is put there.
    @inline(__always)
    mutating func slot(_ operand: Operand, _ height: Int) -> UInt32 {
        if operand.kind <= Operand.local { return operand.slot }
        let slot = slotAt(height)
        move(operand, to: slot)
        return slot
    }

    // MARK: Locals

    /// Copies operands that still refer to the local in `slot`, which is about to be assigned.
    @inline(__always)
    mutating func releaseLocal(_ slot: UInt32) {
        var height = depth
        while height > settled {
            height &-= 1
            if stack[height].kind == Operand.local && stack[height].slot == slot { settle(height) }
        }
    }

    @inline(__always)
    mutating func noteAssigned(_ index: Int) {
        if !isAssigned[index] {
            isAssigned[index] = true
            assigned[assignedCount] = UInt32(index)
            assignedCount &+= 1
        }
    }

    /// Forgets assignments noted since there were `count`: they happened on one path only.
    mutating func forgetAssigned(downTo count: Int) {
        while assignedCount > count {
            assignedCount &-= 1
            isAssigned[Int(assigned[assignedCount])] = false
        }
    }

    // MARK: Destinations

    /// Where the next instruction leaves its result, which is pushed: in the local that the
    /// following operator assigns, in the accumulator when the next consumer can take it from
    /// there, else in the slot of its height. Call after reading the operands' places, before
    /// emitting.
    /// - Returns: 1 for the accumulator, 0 for `slot`.
    mutating func destination(
        _ type: UInt8, accumulator: Bool = true
    ) -> (form: UInt32, slot: UInt32) {
        if !dead {
            let next = reader.at
            if next < reader.end {
                let opcode = next[0]
                if opcode == 0x21 || opcode == 0x22 {
                    if let slot = assignNext(opcode, type) { return (0, slot) }
                } else if accumulator && willTakeAccumulator(next) {
                    vacate(type)
                    pushAccumulator(type)
                    return (1, 0)
                }
            }
        }
        let slot = slotAt(depth)
        pushSlot(type)
        return (0, slot)
    }

    /// Consumes a following `local.set` or `local.tee`, if it is valid.
    private mutating func assignNext(_ opcode: UInt8, _ type: UInt8) -> UInt32? {
        var ahead = reader
        ahead.at += 1
        guard let index = try? ahead.u32(), index < UInt32(localCount),
            localTypes[Int(index)] == type
        else { return nil }
        reader.at = ahead.at
        let slot = slotOfLocal(Int(index))
        releaseLocal(slot)
        noteAssigned(Int(index))
        if opcode == 0x22 { push(Operand.local, type, slot, 0) }
        return slot
    }

    /// Looks at the operators that follow: at most two pushes of locals or constants, then one
    /// that can read the accumulator. Only a guess; whoever finds the guess wrong settles the
    /// operand.
    @inline(__always)
    private func willTakeAccumulator(_ start: UnsafePointer<UInt8>) -> Bool {
        var at = start
        var pushed: UInt8 = 0
        while at < reader.end {
            let opcode = at[0]
            let rule = FunctionCompiler.accumulatorRules[Int(opcode)]
            if rule & 4 == 0 {
                // `end` takes it where it returns from the function.
                if opcode == 0x0b { return pushed == 0 && frameCount == 1 }
                if opcode == 0xfc { return pushed == 0 && reader.end - at > 1 && at[1] < 8 }
                return rule > pushed
            }
            if pushed == 1 { return false }
            pushed = 1
            at += 1
            switch opcode {
            case 0x43: at += 4
            case 0x44: at += 8
            default:
                while at < reader.end && at[0] & 0x80 != 0 { at += 1 }
                at += 1
            }
        }
        return false
    }

    /// By opcode: 4 = pushes a local or constant; 1 = takes the topmost operand from the
    /// accumulator; 2 = takes the topmost or the one below; 0 = neither.
    nonisolated(unsafe) private static let accumulatorRules: UnsafeMutablePointer<UInt8> = {
        // Unsafe only in name: filled once, never written after.
        let rules = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        rules.initialize(repeating: 0, count: 256)
        for opcode in [0x20, 0x41, 0x42, 0x43, 0x44] { rules[opcode] = 4 }
        for opcode in [0x04, 0x0d, 0x0e, 0x0f, 0x11, 0x1b, 0x24] { rules[opcode] = 1 }
        for opcode in 0x28...0x35 { rules[opcode] = 1 }
        for opcode in 0x36...0x3e { rules[opcode] = 2 }
        for opcode in 0x45...0xc4 {
            switch UInt32(wc_operators()[opcode].kind) {
            case UInt32(WC_UNARY): rules[opcode] = 1
            case UInt32(WC_NONE): break
            default: rules[opcode] = 2
            }
        }
        return rules
    }()
}
