import CWasmCore

// One operator after the other (core specification 2.0, section 5.4).

extension FunctionCompiler {
    /// Whether version 2.0 of the specification, without vectors, knows the opcode.
    static func isKnown(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x00...0x05, 0x0b...0x11, 0x1a...0x1c, 0x20...0x26, 0x28...0xc4, 0xd0...0xd2, 0xfc:
            return true
        default: return false
        }
    }

    mutating func step() throws {
        if reader.isAtEnd { throw reader.error("unexpected end") }
        let opcode = reader.at.pointee
        reader.at += 1
        switch opcode {
        case 0x20:
            let index = try local()
            if !isAssigned[index] && index &- parameterCount >= clearCount {
                clearCount = index &- parameterCount &+ 1
            }
            push(Operand.local, localTypes[index], slotOfLocal(index), 0)
        case 0x21: try localSet(keep: false)
        case 0x22: try localSet(keep: true)
        case 0x41:
            let value = UInt32(truncatingIfNeeded: try reader.signed(32))
            push(Operand.constant, TypeCode.i32, 0, UInt64(value))
        case 0x42:
            push(Operand.constant, TypeCode.i64, 0, UInt64(bitPattern: try reader.signed(64)))
        case 0x43: push(Operand.constant, TypeCode.f32, 0, UInt64(try reader.f32Bits()))
        case 0x44: push(Operand.constant, TypeCode.f64, 0, try reader.f64Bits())
        case 0x28...0x3e: try memoryAccess(opcode)
        case 0x45...0xc4: try numeric(operators + Int(opcode))
        case 0x02: try beginBlock(ControlFrame.block)
        case 0x03: try beginBlock(ControlFrame.loop)
        case 0x04: try doIf()
        case 0x05: try doElse()
        case 0x0b: try doEnd()
        case 0x0c: try branch()
        case 0x0d: try branchIf()
        case 0x0e: try branchTable()
        case 0x0f: try doReturn()
        case 0x10: try call()
        case 0x11: try callIndirect()
        case 0x23: try globalGet()
        case 0x24: try globalSet()
        case 0x1a: _ = try pop(TypeCode.unknown)
        case 0x1b: try select(nil)
        case 0x1c: try typedSelect()
        case 0x00:
            emit(Opcode.unreachable, 0, 0, 0)
            makeUnreachable()
        case 0x01: break
        case 0x25: try tableGet()
        case 0x26: try tableSet()
        case 0x3f: try memorySize()
        case 0x40: try memoryGrow()
        case 0xd0:
            push(Operand.constant, try reader.referenceType().rawValue, 0, 0)
        case 0xd1: try isNull()
        case 0xd2: try functionReference()
        case 0xfc: try prefixed()
        default: throw try unknown(opcode)
        }
    }

    /// Why an operator is refused: by the name of its proposal, or as none at all.
    mutating func unknown(_ opcode: UInt8, _ sub: UInt32? = nil) throws -> any Error {
        let number = try sub ?? (opcode == 0xfd ? reader.u32() : 0)
        if let name = Proposal.ofOperator(opcode, number) {
            return WasmUnsupportedProposal(proposal: name, offset: offset)
        }
        return WasmDecodingError("illegal opcode", offset: offset)
    }

    // MARK: Locals

    private mutating func local() throws -> Int {
        let index = Int(try reader.u32())
        guard index < localCount else { throw invalid("unknown local", "\(index)") }
        return index
    }

    private mutating func localSet(keep: Bool) throws {
        let index = try local()
        let type = localTypes[index]
        let operand = try pop(type)
        let slot = slotOfLocal(index)
        if operand.kind != Operand.local || operand.slot != slot {
            releaseLocal(slot)
            move(operand, to: slot)
        }
        if !dead { noteAssigned(index) }
        if keep { push(Operand.local, type, slot, 0) }
    }

    // MARK: Globals

    private mutating func global() throws -> Int {
        let index = Int(try reader.u32())
        guard index < shape.globalCount else { throw invalid("unknown global", "\(index)") }
        return index
    }

    private mutating func globalGet() throws {
        let index = try global()
        let type = shape.globals[index].type
        if index < shape.importedGlobals {
            let (_, slot) = destination(type, accumulator: false)
            return emit(Opcode.importedGlobalGet, slot, 0, UInt32(index))
        }
        let own = UInt32(index - shape.importedGlobals)
        let (form, slot) = destination(type)
        let opcode: UInt32
        if form == 0 {
            opcode = Opcode.globalGet
        } else if type == TypeCode.f64 {
            opcode = Opcode.globalGetF
        } else if type == TypeCode.f32 {
            opcode = Opcode.globalGetG
        } else {
            opcode = Opcode.globalGetR
        }
        emit(opcode, slot, 0, own)
    }

    private mutating func globalSet() throws {
        let index = try global()
        let global = shape.globals[index]
        if !global.isMutable { throw invalid("global is immutable", "\(index)") }
        let operand = try pop(global.type)
        if index < shape.importedGlobals {
            return emit(Opcode.importedGlobalSet, 0, slot(operand, depth), UInt32(index))
        }
        let own = UInt32(index - shape.importedGlobals)
        if operand.isAccumulator && global.type != TypeCode.f64 && global.type != TypeCode.f32 {
            return emit(Opcode.globalSetR, 0, 0, own)
        }
        emit(Opcode.globalSet, 0, slot(operand, depth), own)
    }

    // MARK: Select

    private mutating func typedSelect() throws {
        let n = try reader.count(limit: 1_000, of: "select types")
        guard n == 1 else { throw invalid("invalid result arity") }
        try select(try reader.valueType().rawValue)
    }

    private mutating func select(_ declared: UInt8?) throws {
        let condition = try pop(TypeCode.i32)
        let second = try pop(declared ?? TypeCode.unknown)
        let first = try pop(declared ?? second.type)
        let type = declared ?? (first.type == TypeCode.unknown ? second.type : first.type)
        if declared == nil && TypeCode.isReference(type) {
            throw invalid("type mismatch", "select without a type cannot take references")
        }
        let height = depth
        let a = slot(first, height)
        let b = slot(second, height + 1)
        let c = condition.isAccumulator ? 0 : slot(condition, height + 2)
        let (_, d) = destination(type, accumulator: false)
        emit(
            condition.isAccumulator ? Opcode.selectA : Opcode.selectS, d, a,
            (b & 0xffff) | c &<< 16)
    }
}
