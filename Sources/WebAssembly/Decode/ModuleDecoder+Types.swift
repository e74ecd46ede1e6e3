// Types, imports and declarations (core specification 2.0, sections 5.3 and 5.5.4 to 5.5.9).

extension ByteReader {
    mutating func valueType() throws -> ValueType {
        let offset = self.offset
        let code = try byte()
        guard let type = ValueType(rawValue: code) else {
            if let name = Proposal.ofType(code) {
                throw WasmUnsupportedProposal(proposal: name, offset: offset)
            }
            throw WasmDecodingError("malformed value type", offset: offset)
        }
        return type
    }

    mutating func referenceType() throws -> ValueType {
        let offset = self.offset
        let type = try valueType()
        guard type == .funcRef || type == .externRef else {
            throw WasmDecodingError("malformed reference type", offset: offset)
        }
        return type
    }

    /// Limits: bit 0 a maximum, bit 1 shared (threads), bit 2 64 bits wide (memory64), bit 3 a page
    /// size of its own.
    mutating func limits() throws -> (minimum: UInt64, maximum: UInt64?, is64: Bool) {
        let offset = self.offset
        let flags = try byte()
        if flags & 0xf0 != 0 {
            throw WasmDecodingError(
                flags & 0x80 != 0 ? "integer representation too long" : "malformed limits flags",
                offset: offset)
        }
        if flags & 8 != 0 {
            throw WasmUnsupportedProposal(proposal: "custom-page-sizes", offset: offset)
        }
        if flags & 2 != 0 { throw WasmUnsupportedProposal(proposal: "threads", offset: offset) }
        let is64 = flags & 4 != 0
        let minimum = is64 ? try u64() : UInt64(try u32())
        let maximum = flags & 1 != 0 ? (is64 ? try u64() : UInt64(try u32())) : nil
        if let maximum, maximum < minimum {
            throw WasmValidationError(
                "size minimum must not be greater than maximum", offset: offset)
        }
        return (minimum, maximum, is64)
    }

    mutating func tableType() throws -> TableType {
        let offset = self.offset
        if remaining > 0, at.pointee == 0x40 {
            throw WasmUnsupportedProposal(proposal: "function-references", offset: offset)
        }
        let element = try referenceType()
        let limits = try limits()
        return TableType(
            element: element, minimum: limits.minimum, maximum: limits.maximum, is64: limits.is64)
    }

    mutating func memoryType() throws -> MemoryType {
        let offset = self.offset
        let limits = try limits()
        let most: UInt64 = limits.is64 ? 1 << 48 : 65_536
        if limits.minimum > most || (limits.maximum ?? 0) > most {
            throw WasmValidationError(
                limits.is64
                    ? "memory size must be at most 2**48 pages"
                    : "memory size must be at most 65536 pages (4GiB)", offset: offset)
        }
        return MemoryType(
            minimum: limits.minimum, maximum: limits.maximum, is64: limits.is64)
    }

    mutating func globalType() throws -> GlobalType {
        let value = try valueType()
        let offset = self.offset
        let mutability = try byte()
        if mutability & 0xfe != 0 {
            if mutability & 0xfc == 0 {
                throw WasmUnsupportedProposal(
                    proposal: "shared-everything-threads", offset: offset)
            }
            throw WasmDecodingError("malformed mutability", offset: offset)
        }
        return GlobalType(value: value, isMutable: mutability == 1)
    }
}

extension ModuleDecoder {
    mutating func types(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.types, of: "types")
        module.types.reserveCapacity(n)
        for _ in 0..<n {
            let offset = section.offset
            let form = try section.byte()
            if form != 0x60 {
                if let name = Proposal.ofForm(form) {
                    throw WasmUnsupportedProposal(proposal: name, offset: offset)
                }
                throw WasmDecodingError(
                    form & 0x80 != 0 ? "integer representation too long" : "malformed type form",
                    offset: offset)
            }
            let parameters = try typeList(&section, ModuleLimit.parameters, "parameters")
            let results = try typeList(&section, ModuleLimit.results, "results")
            module.types.append(FunctionType(parameters: parameters, results: results))
        }
    }

    private func typeList(
        _ section: inout ByteReader, _ limit: Int, _ what: String
    ) throws -> [ValueType] {
        let n = try section.count(limit: limit, of: what)
        if n == 0 { return [] }
        var list: [ValueType] = []
        list.reserveCapacity(n)
        for _ in 0..<n { list.append(try section.valueType()) }
        return list
    }

    mutating func imports(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.imports, of: "imports")
        for _ in 0..<n {
            let from = try section.name()
            let name = try section.name()
            let offset = section.offset
            let kind: ExternalKind
            let code = try section.byte()
            switch code {
            case 0:
                let index = try typeIndex(&section)
                module.functions.append(index)
                module.importedFunctions += 1
                kind = .function(module.types[Int(index)])
            case 1:
                let type = try section.tableType()
                try add(type, offset)
                module.importedTables += 1
                kind = .table(type)
            case 2:
                let type = try section.memoryType()
                try add(type, offset)
                module.importedMemories += 1
                kind = .memory(type)
            case 3:
                let type = try section.globalType()
                module.globals.append(type)
                module.importedGlobals += 1
                kind = .global(type)
            default:
                if let name = Proposal.ofImportKind(code) {
                    throw WasmUnsupportedProposal(proposal: name, offset: offset)
                }
                throw WasmDecodingError("malformed import kind", offset: offset)
            }
            module.imports.append(ImportType(module: from, name: name, kind: kind))
        }
    }

    private func typeIndex(_ section: inout ByteReader) throws -> UInt32 {
        let offset = section.offset
        let index = try section.u32()
        if Int(index) >= module.types.count {
            throw WasmValidationError("unknown type", "\(index)", offset: offset)
        }
        return index
    }

    private mutating func add(_ type: TableType, _ offset: Int) throws {
        if module.tables.count >= ModuleLimit.tables {
            throw WasmDecodingError("too many tables", offset: offset)
        }
        module.tables.append(type)
    }

    private mutating func add(_ type: MemoryType, _ offset: Int) throws {
        if !module.memories.isEmpty {
            throw WasmUnsupportedProposal(proposal: "multi-memory", offset: offset)
        }
        module.memories.append(type)
    }

    mutating func functions(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.functions, of: "functions")
        module.functions.reserveCapacity(module.functions.count + n)
        for _ in 0..<n { module.functions.append(try typeIndex(&section)) }
    }

    mutating func tables(_ section: inout ByteReader) throws {
        for _ in 0..<(try section.count(limit: ModuleLimit.tables, of: "tables")) {
            let offset = section.offset
            try add(try section.tableType(), offset)
        }
    }

    mutating func memories(_ section: inout ByteReader) throws {
        for _ in 0..<(try section.count(limit: 100, of: "memories")) {
            let offset = section.offset
            try add(try section.memoryType(), offset)
        }
    }

    mutating func globals(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.globals, of: "globals")
        for _ in 0..<n {
            let type = try section.globalType()
            module.globalValues.append(try constant(&section, type.value))
            module.globals.append(type)
        }
    }

    mutating func start(_ section: inout ByteReader) throws {
        let offset = section.offset
        let index = try section.u32()
        guard Int(index) < module.functions.count else {
            throw WasmValidationError("unknown function", "\(index)", offset: offset)
        }
        let type = module.types[Int(module.functions[Int(index)])]
        guard type.parameters.isEmpty, type.results.isEmpty else {
            throw WasmValidationError(
                "start function", "it must have no parameters and no results", offset: offset)
        }
        module.start = index
    }

    mutating func exports(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.exports, of: "exports")
        module.exports.reserveCapacity(n)
        var seen = Set<ExactName>(minimumCapacity: n)
        for _ in 0..<n {
            let offset = section.offset
            let name = try section.name()
            if !seen.insert(ExactName(name)).inserted {
                throw WasmValidationError("duplicate export name", name, offset: offset)
            }
            let code = try section.byte()
            if code == 4, let name = Proposal.ofImportKind(code) {
                throw WasmUnsupportedProposal(proposal: name, offset: offset)
            }
            guard let kind = ModuleContents.Kind(rawValue: code) else {
                throw WasmDecodingError("malformed export kind", offset: offset)
            }
            let index = Int(try section.u32())
            let (count, what): (Int, String)
            switch kind {
            case .function: (count, what) = (module.functions.count, "function")
            case .table: (count, what) = (module.tables.count, "table")
            case .memory: (count, what) = (module.memories.count, "memory")
            case .global: (count, what) = (module.globals.count, "global")
            }
            if index >= count {
                throw WasmValidationError("unknown \(what)", "\(index)", offset: offset)
            }
            if kind == .function { module.refer(to: index) }
            module.exports.append(.init(name: name, kind: kind, index: index))
        }
    }
}
