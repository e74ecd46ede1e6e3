import CWasmCore

// Numeric operators: operand forms, and comparisons merged with the branch that follows. The
// order of forms is that of the generator (Scripts/generators/opcodes.py).

extension FunctionCompiler {
    mutating func numeric(_ row: UnsafePointer<wc_operator>) throws {
        switch UInt32(row.pointee.kind) {
        case UInt32(WC_COMMUTATIVE): try commutative(row)
        case UInt32(WC_BINARY): try binary(row)
        case UInt32(WC_DIVISION): try division(row)
        case UInt32(WC_COMPARE): try compare(row)
        case UInt32(WC_FLOAT_COMMUTATIVE): try floatCommutative(row)
        case UInt32(WC_FLOAT_BINARY): try floatBinary(row)
        case UInt32(WC_FLOAT_COMPARE): try floatCompare(row)
        case UInt32(WC_UNARY): try unary(row)
        default: throw WasmDecodingError("illegal opcode", offset: offset)
        }
    }

    /// A constant's operand word, if the immediate can hold it.
    @inline(__always)
    private func immediate(_ operand: Operand, _ type: UInt8) -> Bool {
        operand.isConstant && (type == TypeCode.i32 || fits(operand.bits))
    }

    @inline(__always)
    private mutating func emitResult(
        _ row: UnsafePointer<wc_operator>, _ form: UInt32, _ a: UInt32, _ imm: UInt32
    ) {
        let (dest, slot) = destination(row.pointee.output)
        emit(UInt32(row.pointee.base) &+ form &* 2 &+ dest, slot, a, imm)
    }

    /// Forms ss, as, si, ai.
    private mutating func commutative(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        var y = try pop(type)
        var x = try pop(type)
        var (xHeight, yHeight) = (depth, depth &+ 1)
        if (x.isConstant && !y.isConstant) || y.isAccumulator {
            swap(&x, &y)
            swap(&xHeight, &yHeight)
        }
        addLike(row, x, xHeight, y, yHeight)
    }

    private mutating func addLike(
        _ row: UnsafePointer<wc_operator>, _ x: Operand, _ xHeight: Int, _ y: Operand,
        _ yHeight: Int
    ) {
        let acc: UInt32 = x.isAccumulator ? 1 : 0
        let a = acc == 1 ? 0 : slot(x, xHeight)
        if immediate(y, row.pointee.input) {
            emitResult(row, 2 &+ acc, a, UInt32(truncatingIfNeeded: y.bits))
        } else {
            let b = slot(y, yHeight)
            emitResult(row, acc, a, b)
        }
    }

    /// Forms ss, as, sa, si, ai, is, ia.
    private mutating func binary(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        let y = try pop(type)
        let x = try pop(type)
        let height = depth
        if row == operators + 0x6b || row == operators + 0x7d, y.isConstant {
            // x - c is x + -c, which other rules know.
            var negated = y
            negated.bits =
                type == TypeCode.i32
                ? UInt64(UInt32(truncatingIfNeeded: 0 &- y.bits)) : 0 &- y.bits
            if immediate(negated, type) {
                return addLike(row - 1, x, height, negated, height &+ 1)
            }
        }
        if immediate(y, type) {
            let acc: UInt32 = x.isAccumulator ? 1 : 0
            let a = acc == 1 ? 0 : slot(x, height)
            emitResult(row, 3 &+ acc, a, UInt32(truncatingIfNeeded: y.bits))
        } else if immediate(x, type) {
            let acc: UInt32 = y.isAccumulator ? 1 : 0
            let a = acc == 1 ? 0 : slot(y, height &+ 1)
            emitResult(row, 5 &+ acc, a, UInt32(truncatingIfNeeded: x.bits))
        } else {
            plainBinary(row, x, y, height)
        }
    }

    /// Forms ss, as, sa at the start of a family.
    private mutating func plainBinary(
        _ row: UnsafePointer<wc_operator>, _ x: Operand, _ y: Operand, _ height: Int
    ) {
        if x.isAccumulator {
            let b = slot(y, height &+ 1)
            emitResult(row, 1, 0, b)
        } else if y.isAccumulator {
            let a = slot(x, height)
            emitResult(row, 2, a, 0)
        } else {
            let a = slot(x, height)
            let b = slot(y, height &+ 1)
            emitResult(row, 0, a, b)
        }
    }

    /// Forms ss, as, sa, si, ai.
    private mutating func division(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        let y = try pop(type)
        let x = try pop(type)
        let height = depth
        if immediate(y, type) {
            let acc: UInt32 = x.isAccumulator ? 1 : 0
            let a = acc == 1 ? 0 : slot(x, height)
            emitResult(row, 3 &+ acc, a, UInt32(truncatingIfNeeded: y.bits))
        } else {
            plainBinary(row, x, y, height)
        }
    }

    // MARK: Floating point

    /// Forms ss, as, sk, ak.
    private mutating func floatCommutative(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        var y = try pop(type)
        var x = try pop(type)
        var (xHeight, yHeight) = (depth, depth &+ 1)
        if (x.isConstant && !y.isConstant) || y.isAccumulator {
            swap(&x, &y)
            swap(&xHeight, &yHeight)
        }
        let acc: UInt32 = x.isAccumulator ? 1 : 0
        let a = acc == 1 ? 0 : slot(x, xHeight)
        if y.isConstant {
            emitResult(row, 2 &+ acc, a, 0)
            emitData(y.bits)
        } else {
            let b = slot(y, yHeight)
            emitResult(row, acc, a, b)
        }
    }

    /// Forms ss, as, sa, sk, ak, ks, ka.
    private mutating func floatBinary(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        let y = try pop(type)
        let x = try pop(type)
        let height = depth
        if y.isConstant {
            let acc: UInt32 = x.isAccumulator ? 1 : 0
            let a = acc == 1 ? 0 : slot(x, height)
            emitResult(row, 3 &+ acc, a, 0)
            emitData(y.bits)
        } else if x.isConstant {
            let acc: UInt32 = y.isAccumulator ? 1 : 0
            let a = acc == 1 ? 0 : slot(y, height &+ 1)
            emitResult(row, 5 &+ acc, a, 0)
            emitData(x.bits)
        } else {
            plainBinary(row, x, y, height)
        }
    }

    // MARK: Unary

    /// Forms s, a.
    private mutating func unary(_ row: UnsafePointer<wc_operator>) throws {
        let x = try pop(row.pointee.input)
        let acc: UInt32 = x.isAccumulator ? 1 : 0
        let a = acc == 1 ? 0 : slot(x, depth)
        if row == operators + 0x45 {
            // Compare-with-zero before a branch is the opposite branch.
            if let jump = try following() {
                let positive = jump.inverted
                let opcode = (positive ? Opcode.brIfS : Opcode.brIfzS) &+ acc
                return try finish(jump) { compiler, frame in
                    if let frame {
                        compiler.emitBranch(opcode, 0, a, to: frame)
                    } else {
                        compiler.emit(
                            (positive ? Opcode.brIfzS : Opcode.brIfS) &+ acc, 0, a, 0)
                    }
                }
            }
        } else if row == operators + 0x50, let jump = try following() {
            let equal = operators + 0x51
            let zero = Comparison(form: 2 &+ acc, a: a, d: 0, bits: 0)
            return try finish(jump) { compiler, frame in
                compiler.emitCompareBranch(equal, jump.inverted != (frame == nil), zero, frame)
            }
        }
        emitResult(row, acc, a, 0)
    }

    // MARK: Comparisons

    /// The `br_if` or `if` that follows a comparison, when the two can be one instruction.
    struct Jump {
        /// The target of `br_if`; nil for `if`.
        var frame: UnsafeMutablePointer<ControlFrame>?
        /// Whether `i32.eqz` stood between.
        var inverted: Bool
    }

    private mutating func following() throws -> Jump? {
        if dead { return nil }
        var ahead = reader
        guard ahead.remaining >= 2 else { return nil }
        var inverted = false
        if ahead.at[0] == 0x45 {
            inverted = true
            ahead.at += 1
            guard ahead.remaining >= 2 else { return nil }
        }
        let opcode = ahead.at[0]
        ahead.at += 1
        if opcode == 0x04 {
            reader.at = ahead.at
            return Jump(frame: nil, inverted: inverted)
        }
        guard opcode == 0x0d, let index = try? ahead.u32(), Int(index) < frameCount else {
            return nil
        }
        let frame = frames + (frameCount - 1 - Int(index))
        if labelTypes(frame).1 != 0 { return nil }
        reader.at = ahead.at
        return Jump(frame: frame, inverted: inverted)
    }

    /// Emits the merged instruction. For `if`, `emit` gets no frame and must branch when the
    /// condition does not hold.
    private mutating func finish(
        _ jump: Jump,
        _ emit: (inout FunctionCompiler, UnsafeMutablePointer<ControlFrame>?) -> Void
    ) throws {
        if let frame = jump.frame { return emit(&self, frame) }
        try beginIf { emit(&$0, nil) }
    }

    /// The operands of an integer comparison that is merged with a branch. `form`: ss, as, si, ai,
    /// sk, ak; `d` is the right slot or a short constant, `bits` any constant.
    private struct Comparison {
        var form: UInt32
        var a: UInt32
        var d: UInt32
        var bits: UInt64

        var isWide: Bool { form >= 4 }
    }

    /// Emits an integer comparison with branch. `opposite`: branch when it does not hold.
    private mutating func emitCompareBranch(
        _ row: UnsafePointer<wc_operator>, _ opposite: Bool, _ operands: Comparison,
        _ frame: UnsafeMutablePointer<ControlFrame>?
    ) {
        let real = opposite ? operators + Int(row.pointee.inverse) : row
        let opcode = UInt32(real.pointee.extra) &+ operands.form
        if let frame {
            if !fuseCounter(real, operands, frame) {
                emitBranch(opcode, backward: 6, operands.d, operands.a, to: frame)
            }
        } else {
            emit(opcode, operands.d, operands.a, 0)
        }
        if operands.isWide { emitData(operands.bits) }
    }

    /// Merges `counter += small` (just emitted) with a comparison of the counter and a backward
    /// branch.
    private mutating func fuseCounter(
        _ row: UnsafePointer<wc_operator>, _ operands: Comparison,
        _ frame: UnsafeMutablePointer<ControlFrame>
    ) -> Bool {
        let add = UInt64(operators[0x6a].base) &+ 4  // i32.add, form si, destination slot
        guard !dead, count > barrier, row.pointee.input == TypeCode.i32, operands.form & 1 == 0,
            frame.pointee.kind == ControlFrame.loop, code[2 &* count &- 2] == add
        else { return false }
        let word = code[2 &* count &- 1]
        let step = Int32(truncatingIfNeeded: Int64(bitPattern: word) >> 32)
        let distance = frame.pointee.target - (count - 1)
        let counter = operands.a
        guard UInt32(word & 0xffff) == counter, UInt32(word >> 16 & 0xffff) == counter,
            step >= -32_768, step < 32_768, distance >= -32_768,
            operands.form != 0 || operands.d != counter
        else { return false }
        // The comparisons stand in the order of their wasm opcodes, each with forms s, i and k.
        let index = UInt32(row - (operators + 0x46)) &* 3 &+ operands.form / 2
        count -= 1
        emit(
            Opcode.addbrI32EqS &+ index, counter, UInt32(bitPattern: step),
            (operands.d & 0xffff) | UInt32(bitPattern: Int32(distance)) &<< 16)
        return true
    }

    private mutating func compare(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        var y = try pop(type)
        var x = try pop(type)
        var row = row
        var (xHeight, yHeight) = (depth, depth &+ 1)
        if (x.isConstant && !y.isConstant) || y.isAccumulator {
            swap(&x, &y)
            swap(&xHeight, &yHeight)
            row = operators + Int(row.pointee.swapped)
        }
        guard let jump = try following() else { return addLike(row, x, xHeight, y, yHeight) }
        let acc: UInt32 = x.isAccumulator ? 1 : 0
        var operands = Comparison(
            form: acc, a: acc == 1 ? 0 : slot(x, xHeight), d: 0, bits: y.bits)
        if !y.isConstant {
            operands.d = slot(y, yHeight)
        } else if isShort(y.bits, type) {
            operands.form &+= 2
            operands.d = UInt32(truncatingIfNeeded: y.bits) & 0xffff
        } else {
            operands.form &+= 4
        }
        let chosen = row
        let merged = operands
        try finish(jump) { compiler, frame in
            compiler.emitCompareBranch(chosen, jump.inverted != (frame == nil), merged, frame)
        }
    }

    private mutating func floatCompare(_ row: UnsafePointer<wc_operator>) throws {
        let type = row.pointee.input
        var y = try pop(type)
        var x = try pop(type)
        var row = row
        var (xHeight, yHeight) = (depth, depth &+ 1)
        if (x.isConstant && !y.isConstant) || y.isAccumulator {
            swap(&x, &y)
            swap(&xHeight, &yHeight)
            row = operators + Int(row.pointee.swapped)
        }
        let acc: UInt32 = x.isAccumulator ? 1 : 0
        let a = acc == 1 ? 0 : slot(x, xHeight)
        let isConstant = y.isConstant
        let b = isConstant ? 0 : slot(y, yHeight)
        let form = (isConstant ? 2 : 0) &+ acc
        guard let jump = try following() else {
            emitResult(row, form, a, b)
            if isConstant { emitData(y.bits) }
            return
        }
        let bits = y.bits
        let base = UInt32(row.pointee.extra)
        try finish(jump) { compiler, frame in
            // The second four branch when the comparison does not hold.
            let opcode = base &+ (jump.inverted != (frame == nil) ? 4 : 0) &+ form
            if let frame {
                compiler.emitBranch(opcode, backward: 8, b, a, to: frame)
            } else {
                compiler.emit(opcode, b, a, 0)
            }
            if isConstant { compiler.emitData(bits) }
        }
    }
}
