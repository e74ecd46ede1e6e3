import CWasmCore

// Calls, references and tables (core specification 2.0, sections 5.4.1, 5.4.2 and 5.4.5).

extension FunctionCompiler {
    // MARK: Calls

    /// Takes the arguments from the stack, each in its slot, and pushes the results there.
    /// - Returns: the slot of the first argument, where the callee's frame begins.
    private mutating func passArguments(_ signature: ModuleShape.Signature) throws -> UInt32 {
        let n = signature.parameterCount
        try checkTop(signature.parameters, n)
        if !dead {
            var i = n
            while i > 0 {
                place(depth - i)
                i -= 1
            }
            vacateAll()
        }
        var i = 0
        while i < n {
            _ = try pop(TypeCode.unknown)
            i += 1
        }
        let base = slotAt(depth)
        touch(base + UInt32(max(n, signature.resultCount)) + 1)
        return base
    }

    mutating func call() throws {
        let index = Int(try reader.u32())
        guard index < shape.functionCount else { throw invalid("unknown function", "\(index)") }
        let signature = shape.signatures[Int(shape.functions[index])]
        let base = try passArguments(signature)
        if index < shape.importedFunctions {
            emit(Opcode.callImport, base, 0, UInt32(index))
        } else {
            emit(Opcode.call, base, 0, UInt32(index - shape.importedFunctions))
        }
        pushTypes(signature.results, signature.resultCount)
    }

    mutating func callIndirect() throws {
        let type = Int(try reader.u32())
        let table = try tableIndex()
        guard shape.tables[table].element == .funcRef else {
            throw invalid("type mismatch", "an indirect call needs a table of functions")
        }
        guard type < shape.signatureCount else { throw invalid("unknown type", "\(type)") }
        let signature = shape.signatures[type]
        let is64 = shape.tables[table].is64
        let index = try pop(is64 ? TypeCode.i64 : TypeCode.i32)
        let indexHeight = depth
        let inAccumulator = index.isAccumulator && table == 0
        let a = inAccumulator ? 0 : slot(index, indexHeight)
        // The index may be where the callee's frame begins; it is read before that is laid.
        touch(slotAt(indexHeight) + 1)
        let base = try passArguments(signature)
        let id = UInt32(type)
        if table != 0 {
            emit(Opcode.callTable, base, a, id)
            emitData(UInt64(table) << 32)
        } else if is64 {
            emit(inAccumulator ? Opcode.callIndirect64A : Opcode.callIndirect64S, base, a, id)
        } else {
            emit(inAccumulator ? Opcode.callIndirectA : Opcode.callIndirectS, base, a, id)
        }
        pushTypes(signature.results, signature.resultCount)
    }

    // MARK: References

    mutating func isNull() throws {
        let operand = try pop(TypeCode.unknown)
        if operand.type != TypeCode.unknown && !TypeCode.isReference(operand.type) {
            throw invalid("type mismatch", "a reference is expected")
        }
        let a = slot(operand, depth)
        let (dest, d) = destination(TypeCode.i32)
        emit(UInt32(operators[0x50].base) + dest, d, a, 0)  // i64.eqz: null is zero
    }

    mutating func functionReference() throws {
        let index = try reader.u32()
        guard Int(index) < shape.functionCount else {
            throw invalid("unknown function", "\(index)")
        }
        guard Int(index) < shape.referable.count, shape.referable[Int(index)] else {
            throw invalid("undeclared function reference", "\(index)")
        }
        let (_, d) = destination(TypeCode.funcRef, accumulator: false)
        emit(Opcode.refFunc, d, 0, index)
    }

    // MARK: Tables

    private mutating func tableIndex() throws -> Int {
        let index = Int(try reader.u32())
        guard index < shape.tables.count else { throw invalid("unknown table", "\(index)") }
        return index
    }

    private func indexType(_ table: Int) -> UInt8 {
        shape.tables[table].is64 ? TypeCode.i64 : TypeCode.i32
    }

    mutating func tableGet() throws {
        let table = try tableIndex()
        let index = try pop(indexType(table))
        let a = slot(index, depth)
        let (_, d) = destination(shape.tables[table].element.rawValue, accumulator: false)
        emit(
            shape.tables[table].is64 ? Opcode.tableGet64 : Opcode.tableGet, d, a, UInt32(table))
    }

    mutating func tableSet() throws {
        let table = try tableIndex()
        let value = try pop(shape.tables[table].element.rawValue)
        let index = try pop(indexType(table))
        let height = depth
        let d = slot(index, height)
        let a = slot(value, height + 1)
        emit(
            shape.tables[table].is64 ? Opcode.tableSet64 : Opcode.tableSet, d, a, UInt32(table))
    }

    mutating func tableSizeOperator() throws {
        let table = try tableIndex()
        let (_, d) = destination(indexType(table), accumulator: false)
        emit(Opcode.tableSize, d, 0, UInt32(table))
    }

    mutating func tableGrow() throws {
        let table = try tableIndex()
        let count = try pop(indexType(table))
        let value = try pop(shape.tables[table].element.rawValue)
        let height = depth
        let a = slot(value, height)
        let b = slot(count, height + 1)
        let (_, d) = destination(indexType(table), accumulator: false)
        emit(Opcode.tableGrow, d, a, b)
        emitData(UInt64(table))
    }

    mutating func tableFill() throws {
        let table = try tableIndex()
        let index = indexType(table)
        try three(Opcode.tableFill, index, shape.tables[table].element.rawValue, index)
        emitData(UInt64(table))
    }

    mutating func tableCopy() throws {
        let to = try tableIndex()
        let from = try tableIndex()
        guard shape.tables[to].element == shape.tables[from].element else {
            throw invalid("type mismatch", "tables of different references")
        }
        let both = shape.tables[to].is64 && shape.tables[from].is64
        try three(
            Opcode.tableCopy, indexType(to), indexType(from),
            both ? TypeCode.i64 : TypeCode.i32)
        emitData(UInt64(to) | UInt64(from) << 32)
    }

    mutating func elementIndex() throws -> Int {
        let index = Int(try reader.u32())
        guard index < shape.elementTypes.count else {
            throw invalid("unknown elem segment", "\(index)")
        }
        return index
    }

    mutating func tableInit() throws {
        let segment = try elementIndex()
        let table = try tableIndex()
        guard shape.tables[table].element == shape.elementTypes[segment] else {
            throw invalid("type mismatch", "segment and table")
        }
        try three(Opcode.tableInit, indexType(table), TypeCode.i32, TypeCode.i32)
        emitData(UInt64(table) | UInt64(segment) << 32)
    }
}
