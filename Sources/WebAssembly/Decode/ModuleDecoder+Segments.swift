// Constant expressions, element and data segments (core specification 2.0, sections 5.4.9, 5.5.12
// and 5.5.14).

extension ModuleDecoder {
    mutating func constant(
        _ section: inout ByteReader, _ expected: ValueType
    ) throws -> ConstantExpression {
        var steps: [ConstantExpression.Step] = []
        var types: [ValueType] = []
        let begin = section.offset
        while true {
            let offset = section.offset
            func mismatch() -> WasmValidationError {
                WasmValidationError("type mismatch", "in a constant", offset: offset)
            }
            if steps.count > ModuleLimit.constantSteps {
                throw WasmDecodingError("constant expression too long", offset: offset)
            }
            let opcode = try section.byte()
            switch opcode {
            case 0x0b:
                guard types == [expected] else {
                    throw WasmValidationError("type mismatch", "in a constant", offset: begin)
                }
                return simplest(steps)
            case 0x41:
                steps.append(.push(UInt64(UInt32(truncatingIfNeeded: try section.signed(32)))))
                types.append(.i32)
            case 0x42:
                steps.append(.push(UInt64(bitPattern: try section.signed(64))))
                types.append(.i64)
            case 0x43:
                steps.append(.push(UInt64(try section.f32Bits())))
                types.append(.f32)
            case 0x44:
                steps.append(.push(try section.f64Bits()))
                types.append(.f64)
            case 0xd0:
                types.append(try section.referenceType())
                steps.append(.push(0))
            case 0xd2:
                let index = Int(try section.u32())
                if index >= module.functions.count {
                    throw WasmValidationError("unknown function", "\(index)", offset: offset)
                }
                module.refer(to: index)
                steps.append(.function(index))
                types.append(.funcRef)
            case 0x23:
                let index = Int(try section.u32())
                if index >= module.importedGlobals {
                    throw WasmValidationError("unknown global", "\(index)", offset: offset)
                }
                if module.globals[index].isMutable {
                    throw WasmValidationError("constant expression required", offset: offset)
                }
                steps.append(.global(index))
                types.append(module.globals[index].value)
            case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e:
                let type: ValueType = opcode < 0x70 ? .i32 : .i64
                guard types.count >= 2, types[types.count - 1] == type,
                    types[types.count - 2] == type
                else { throw mismatch() }
                types.removeLast()
                let step: [UInt8: ConstantExpression.Step] = [
                    0x6a: .add32, 0x6b: .sub32, 0x6c: .mul32,
                    0x7c: .add64, 0x7d: .sub64, 0x7e: .mul64,
                ]
                if let step = step[opcode] { steps.append(step) }
            default:
                if opcode == 0xfb || opcode == 0xfd, let name = Proposal.ofOperator(opcode) {
                    throw WasmUnsupportedProposal(proposal: name, offset: offset)
                }
                if FunctionCompiler.isKnown(opcode) {
                    throw WasmValidationError("constant expression required", offset: offset)
                }
                throw WasmDecodingError("illegal opcode", offset: offset)
            }
        }
    }

    private func simplest(_ steps: [ConstantExpression.Step]) -> ConstantExpression {
        guard steps.count == 1 else { return .sequence(steps) }
        switch steps[0] {
        case .push(let bits): return .bits(bits)
        case .global(let index): return .global(index)
        case .function(let index): return .function(index)
        default: return .sequence(steps)
        }
    }

    mutating func elements(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.elements, of: "element segments")
        for _ in 0..<n { try element(&section) }
    }

    /// Flags: bit 0 passive or declarative, bit 1 explicit table (active) or declarative (else),
    /// bit 2 expressions instead of function indices.
    private mutating func element(_ section: inout ByteReader) throws {
        let offset = section.offset
        let flags = try section.u32()
        if flags > 7 {
            throw WasmDecodingError("malformed elements segment kind", offset: offset)
        }
        var mode = flags & 2 != 0 ? ElementSegment.Mode.declarative : .passive
        var tableType: ValueType?
        if flags & 1 == 0 {
            let table = flags & 2 != 0 ? Int(try section.u32()) : 0
            guard table < module.tables.count else {
                throw WasmValidationError("unknown table", "\(table)", offset: offset)
            }
            tableType = module.tables[table].element
            let index: ValueType = module.tables[table].is64 ? .i64 : .i32
            mode = .active(table: table, offset: try constant(&section, index))
        }
        var type = ValueType.funcRef
        if flags & 3 != 0 {
            if flags & 4 != 0 {
                type = try section.referenceType()
            } else if try section.byte() != 0 {
                throw section.error("malformed element kind")
            }
        }
        if let tableType, tableType != type {
            throw WasmValidationError("type mismatch", "segment and table", offset: offset)
        }
        let n = try section.count(limit: 10_000_000, of: "elements")
        let items: ElementSegment.Items
        if flags & 4 != 0 {
            var list: [ConstantExpression] = []
            list.reserveCapacity(n)
            for _ in 0..<n { list.append(try constant(&section, type)) }
            items = .expressions(list)
        } else {
            var list: [UInt32] = []
            list.reserveCapacity(n)
            for _ in 0..<n {
                let index = try section.u32()
                if Int(index) >= module.functions.count {
                    throw WasmValidationError("unknown function", "\(index)", offset: offset)
                }
                module.refer(to: Int(index))
                list.append(index)
            }
            items = .functions(list)
        }
        module.elements.append(ElementSegment(type: type, mode: mode, items: items))
    }

    mutating func data(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.data, of: "data segments")
        for _ in 0..<n {
            let offset = section.offset
            let flags = try section.u32()
            if flags > 2 { throw WasmDecodingError("malformed data segment kind", offset: offset) }
            var at: ConstantExpression?
            if flags != 1 {
                let memory = flags == 2 ? Int(try section.u32()) : 0
                guard memory < module.memories.count else {
                    throw WasmValidationError("unknown memory", "\(memory)", offset: offset)
                }
                at = try constant(&section, module.memories[memory].is64 ? .i64 : .i32)
            }
            let size = Int(try section.u32())
            let body = try section.part(size, "unexpected end of section or function")
            module.data.append(
                DataSegment(
                    span: ByteSpan(start: UInt32(body.offset), end: UInt32(section.offset)),
                    offset: at))
        }
    }
}
