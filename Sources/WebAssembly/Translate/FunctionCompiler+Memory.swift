import CWasmCore

// Memory operators (core specification 2.0, section 5.4.6; memory64 for 64-bit addresses).

extension FunctionCompiler {
    private var addressType: UInt8 { shape.memoryIs64 ? TypeCode.i64 : TypeCode.i32 }

    private func needMemory() throws {
        if !shape.hasMemory { throw invalid("unknown memory", "0") }
    }

    /// Alignment and offset of an access.
    private mutating func accessOffset(_ row: UnsafePointer<wc_operator>) throws -> UInt64 {
        let align = try reader.u32()
        if align >= 64 {
            if align & 64 != 0 && align < 128 {
                throw WasmUnsupportedProposal(proposal: "multi-memory", offset: offset)
            }
            throw WasmDecodingError("malformed memop flags", offset: offset)
        }
        try needMemory()
        if align > UInt32(row.pointee.aux) {
            throw invalid("alignment must not be larger than natural")
        }
        return shape.memoryIs64 ? try reader.u64() : UInt64(try reader.u32())
    }

    mutating func memoryAccess(_ opcode: UInt8) throws {
        let row = operators + Int(opcode)
        if UInt32(row.pointee.kind) == UInt32(WC_LOAD) { try load(row) } else { try store(row) }
    }

    /// The operand of an address and the offset that remains to be added: an offset that does not
    /// fit the instruction is added by one of its own.
    private mutating func reduced(
        _ address: Operand, _ height: Int, _ offset: UInt64
    ) -> (Operand, UInt32) {
        if offset >> 32 == 0 { return (address, UInt32(truncatingIfNeeded: offset)) }
        let a = slot(address, height)
        let sum = slotAt(height)
        touch(sum + 1)
        emit(Opcode.addressAdd, sum, a, 0)
        emitData(offset)
        return (Operand(kind: Operand.inSlot, type: address.type, slot: sum, bits: 0), 0)
    }

    /// Constant address and offset as one number, if it fits the instruction.
    private func absolute(_ address: Operand, _ offset: UInt64) -> UInt32? {
        guard address.isConstant else { return nil }
        let (sum, carry) = address.bits.addingReportingOverflow(offset)
        return carry || sum >> 32 != 0 ? nil : UInt32(truncatingIfNeeded: sum)
    }

    private func firstOpcode(_ row: UnsafePointer<wc_operator>) -> UInt32 {
        UInt32(shape.memoryIs64 ? row.pointee.extra : row.pointee.base)
    }

    /// Takes back the addition that has just left an address in the accumulator, if one
    /// instruction can do both: slot + constant (form 3, w), or slot + slot (form 4, x).
    private mutating func takeSum(
        _ address: Operand, _ offset: UInt64
    ) -> (form: UInt32, a: UInt32, imm: UInt32)? {
        guard address.isAccumulator, !dead, count > barrier else { return nil }
        let add = UInt64(operators[shape.memoryIs64 ? 0x7c : 0x6a].base)
        let opcode = code[2 &* count &- 2]
        let word = code[2 &* count &- 1]
        let a = UInt32(truncatingIfNeeded: word >> 16) & 0xffff
        let imm = UInt32(truncatingIfNeeded: word >> 32)
        // Forms ss, as, si, each with destination slot or accumulator.
        if opcode == add &+ 5 && offset == 0 {
            count &-= 1
            return (3, a, imm)
        }
        if opcode == add &+ 1 && offset <= 0xffff {
            count &-= 1
            return (4, a, (imm & 0xffff) | UInt32(truncatingIfNeeded: offset) &<< 16)
        }
        return nil
    }

    /// Forms s, a, k, w, x, each with destination slot or accumulator.
    private mutating func load(_ row: UnsafePointer<wc_operator>) throws {
        let offset = try accessOffset(row)
        let popped = try pop(addressType)
        let base = firstOpcode(row)
        if let at = absolute(popped, offset) {
            let (dest, d) = destination(row.pointee.output)
            return emit(base &+ 4 &+ dest, d, 0, at)
        }
        if let sum = takeSum(popped, offset) {
            let (dest, d) = destination(row.pointee.output)
            return emit(base &+ sum.form &* 2 &+ dest, d, sum.a, sum.imm)
        }
        let (address, rest) = reduced(popped, depth, offset)
        let acc: UInt32 = address.isAccumulator ? 1 : 0
        let a = acc == 1 ? 0 : slot(address, depth)
        let (dest, d) = destination(row.pointee.output)
        emit(base &+ acc &* 2 &+ dest, d, a, rest)
    }

    /// Forms s, a, k, w, x of the address, each with s, a, i of the value.
    private mutating func store(_ row: UnsafePointer<wc_operator>) throws {
        let offset = try accessOffset(row)
        let type = row.pointee.output
        let value = try pop(type)
        let popped = try pop(addressType)
        let height = depth
        let base = firstOpcode(row)
        if let at = absolute(popped, offset) {
            let (form, d) = storedValue(value, type, height)
            return emit(base &+ 6 &+ form, d, 0, at)
        }
        if let sum = takeSum(popped, offset) {
            let (form, d) = storedValue(value, type, height)
            return emit(base &+ sum.form &* 3 &+ form, d, sum.a, sum.imm)
        }
        let (address, rest) = reduced(popped, height, offset)
        let (form, d) = storedValue(value, type, height)
        if address.isAccumulator { return emit(base &+ 3 &+ form, d, 0, rest) }
        let a = slot(address, height)
        emit(base &+ form, d, a, rest)
    }

    /// Form and operand of a value to be stored: slot, accumulator, short constant.
    private mutating func storedValue(
        _ value: Operand, _ type: UInt8, _ height: Int
    ) -> (form: UInt32, d: UInt32) {
        if value.isAccumulator { return (1, 0) }
        if value.isConstant && isInteger(type) && isShort(value.bits, type) {
            return (2, UInt32(truncatingIfNeeded: value.bits) & 0xffff)
        }
        return (0, slot(value, height + 1))
    }

    private func isInteger(_ type: UInt8) -> Bool { type == TypeCode.i32 || type == TypeCode.i64 }

    /// Whether an integer constant fits a 16-bit operand.
    func isShort(_ bits: UInt64, _ type: UInt8) -> Bool {
        let value =
            type == TypeCode.i32
            ? Int64(Int32(truncatingIfNeeded: Int64(bitPattern: bits))) : Int64(bitPattern: bits)
        return value >= -32_768 && value < 32_768
    }

    private mutating func zeroByte() throws {
        if try reader.byte() != 0 { throw reader.error("zero byte expected") }
    }

    mutating func memorySize() throws {
        try zeroByte()
        try needMemory()
        let (_, d) = destination(addressType, accumulator: false)
        emit(Opcode.memorySize, d, 0, 0)
    }

    mutating func memoryGrow() throws {
        try zeroByte()
        try needMemory()
        let operand = try pop(addressType)
        let a = slot(operand, depth)
        let (_, d) = destination(addressType, accumulator: false)
        emit(Opcode.memoryGrow, d, a, 0)
    }

    // MARK: Prefix 0xFC

    mutating func prefixed() throws {
        let sub = try reader.u32()
        switch sub {
        case 0...7: try numeric(operators + 0x100 + Int(sub))
        case 8: try memoryInit()
        case 9:
            let index = try dataIndex()
            emit(Opcode.dataDrop, 0, 0, UInt32(index))
        case 10:
            try zeroByte()
            try zeroByte()
            try needMemory()
            try three(
                shape.memoryIs64 ? Opcode.memoryCopy64 : Opcode.memoryCopy, addressType,
                addressType, addressType)
        case 11:
            try zeroByte()
            try needMemory()
            try three(
                shape.memoryIs64 ? Opcode.memoryFill64 : Opcode.memoryFill, addressType,
                TypeCode.i32, addressType)
        case 12: try tableInit()
        case 13:
            let index = try elementIndex()
            emit(Opcode.elemDrop, 0, 0, UInt32(index))
        case 14: try tableCopy()
        case 15: try tableGrow()
        case 16: try tableSizeOperator()
        case 17: try tableFill()
        default: throw try unknown(0xfc, sub)
        }
    }

    /// Emits an instruction over three operands that all sit in slots d, a, b.
    mutating func three(
        _ opcode: UInt32, _ first: UInt8, _ second: UInt8, _ third: UInt8
    ) throws {
        let z = try pop(third)
        let y = try pop(second)
        let x = try pop(first)
        let height = depth
        let d = slot(x, height)
        let a = slot(y, height + 1)
        let b = slot(z, height + 2)
        emit(opcode, d, a, b)
    }

    private mutating func dataIndex() throws -> Int {
        let index = Int(try reader.u32())
        guard let n = shape.dataCount else {
            throw WasmDecodingError("data count section required", offset: offset)
        }
        if index >= n { throw invalid("unknown data segment", "\(index)") }
        return index
    }

    private mutating func memoryInit() throws {
        let index = try dataIndex()
        try zeroByte()
        try needMemory()
        try three(Opcode.memoryInit, addressType, TypeCode.i32, TypeCode.i32)
        emitData(UInt64(index))
    }
}
