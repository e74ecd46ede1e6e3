import CWasmCore

/// Makes an instance of a module (core specification 2.0, section 4.5.4).
struct Linker {
    let module: Module
    let store: Store
    let imports: Imports
    let limits: InstanceLimits

    init(_ module: Module, _ store: Store, _ imports: Imports, _ limits: InstanceLimits) {
        self.module = module
        self.store = store
        self.imports = imports
        self.limits = limits
    }

    mutating func instantiate() throws -> InstanceData {
        let contents = module.contents
        try store.quota.addInstance()
        try store.quota.addGlobals(contents.globals.count - contents.importedGlobals)
        let data = try InstanceData(module, store, limits.calls)
        try resolve(data)
        for type in contents.tables.dropFirst(contents.importedTables) {
            data.addTable(try store.addTable(type, most: limits.tableElements ?? .max))
        }
        for type in contents.memories.dropFirst(contents.importedMemories) {
            data.setMemory(try store.addMemory(type, most: limits.memoryBytes ?? .max))
        }
        // From here on functions of the instance can be referred to, so the store must keep it
        // even if a segment or the start function traps.
        store.instances.append(data)
        for constant in contents.globalValues { data.addGlobal(data.evaluate(constant, store)) }
        try copySegments(data)
        if let start = contents.start, let function = data.function(Int(start), store) {
            try store.call(function, UnsafeMutableBufferPointer(start: nil, count: 0), nil)
        }
        return data
    }

    private func copySegments(_ data: InstanceData) throws {
        for (index, segment) in module.contents.elements.enumerated() {
            switch segment.mode {
            case .passive: continue
            case .declarative: break
            case .active(let table, let offset):
                try data.initialize(
                    data.tables[table], at: data.evaluate(offset, store), from: index, at: 0,
                    count: UInt64(segment.items.count), store)
            }
            data.droppedElements[index] = true
        }
        for (index, segment) in module.contents.data.enumerated() {
            guard let offset = segment.offset else { continue }
            try data.initializeMemory(
                at: data.evaluate(offset, store), from: index, at: 0,
                count: UInt64(segment.span.end - segment.span.start))
            data.droppedData[index] = true
        }
    }

    // MARK: Imports

    private func note(_ wanted: ImportType, _ function: UnsafeMutablePointer<wc_function>) {
        guard function.pointee.instance == nil else { return }
        store.hostNames[Int(function.pointee.identity)] = "\(wanted.module).\(wanted.name)"
    }

    private func resolve(_ data: InstanceData) throws {
        var functions = 0
        for wanted in module.contents.imports {
            guard let value = imports[wanted.module, wanted.name] else {
                throw WasmLinkError(
                    "unknown import",
                    "nobody provides '\(wanted.name)' of '\(wanted.module)'")
            }
            switch (wanted.kind, value) {
            case (.function(let type), .function(let function)):
                try check(function.store, wanted)
                if function.type != type {
                    throw mismatch(wanted, "\(function.type) where \(type) is expected")
                }
                data.addImport(function.record, at: functions)
                if store.observer != nil { note(wanted, function.record) }
                functions += 1
            case (.table(let type), .table(let table)):
                try check(table.store, wanted)
                let found = table.type
                guard found.element == type.element, found.is64 == type.is64,
                    fits(found.minimum, found.maximum, type.minimum, type.maximum)
                else { throw mismatch(wanted, "a table of another type or size") }
                data.addTable(table.data)
            case (.memory(let type), .memory(let memory)):
                try check(memory.store, wanted)
                let found = memory.type
                guard found.is64 == type.is64,
                    fits(found.minimum, found.maximum, type.minimum, type.maximum)
                else { throw mismatch(wanted, "a memory of another type or size") }
                data.setMemory(memory.data)
            case (.global(let type), .global(let global)):
                try check(global.store, wanted)
                if global.type != type { throw mismatch(wanted, "a global of another type") }
                data.addImportedGlobal(global.cell)
            default: throw mismatch(wanted, "something of another kind")
            }
        }
    }

    private func fits(
        _ size: UInt64, _ maximum: UInt64?, _ minimum: UInt64, _ wanted: UInt64?
    ) -> Bool {
        guard size >= minimum else { return false }
        guard let wanted else { return true }
        return (maximum ?? .max) <= wanted
    }

    private func check(_ other: Store, _ wanted: ImportType) throws {
        if other !== store {
            throw WasmLinkError(
                "incompatible import type",
                "'\(wanted.module)' '\(wanted.name)' belongs to another store")
        }
    }

    private func mismatch(_ wanted: ImportType, _ what: String) -> WasmLinkError {
        WasmLinkError(
            "incompatible import type", "'\(wanted.module)' '\(wanted.name)' is \(what)")
    }
}
