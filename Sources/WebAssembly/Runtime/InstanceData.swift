import CWasmCore

/// The records of an instance, owned by its store.
final class InstanceData {
    let module: Module
    let index: Int
    let record: UnsafeMutablePointer<wc_instance>
    /// Limits of calls that name none.
    let callLimits: CallLimits?
    var memory: MemoryData?
    var tables: [TableData] = []
    /// Cells of all globals, imported ones first.
    private(set) var cells: [UnsafeMutablePointer<UInt64>] = []
    var droppedData: [Bool]
    var droppedElements: [Bool]
    /// Records of the functions that the module defines, filled in when first needed as values.
    private let own: UnsafeMutablePointer<wc_function>
    private let types: UnsafeMutablePointer<UInt32>
    private let globals: UnsafeMutablePointer<UInt64>
    private let imported: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>?>
    private let tableRecords: UnsafeMutablePointer<UnsafeMutablePointer<wc_table>?>
    private let imports: UnsafeMutablePointer<UnsafeMutablePointer<wc_function>?>

    init(_ module: Module, _ store: Store, _ callLimits: CallLimits?) throws {
        self.module = module
        self.callLimits = callLimits
        let contents = module.contents
        index = store.instances.count
        droppedData = Array(repeating: false, count: contents.data.count)
        droppedElements = Array(repeating: false, count: contents.elements.count)
        guard let own = System.zeroed(wc_function.self, contents.bodies.count) else {
            throw WasmLinkError("out of memory", "the functions of an instance")
        }
        self.own = own
        types = .allocate(capacity: contents.types.count + 1)
        for (at, type) in contents.types.enumerated() {
            (types + at).initialize(to: store.number(of: type))
        }
        globals = .allocate(capacity: contents.globals.count + 1)
        globals.initialize(repeating: 0, count: contents.globals.count + 1)
        imported = .allocate(capacity: contents.importedGlobals + 1)
        imported.initialize(repeating: nil, count: contents.importedGlobals + 1)
        tableRecords = .allocate(capacity: contents.tables.count + 1)
        tableRecords.initialize(repeating: nil, count: contents.tables.count + 1)
        imports = .allocate(capacity: contents.importedFunctions + 1)
        imports.initialize(repeating: nil, count: contents.importedFunctions + 1)
        record = .allocate(capacity: 1)
        record.initialize(
            to: wc_instance(
                code: module.code.records, globals: globals, imported_globals: imported,
                tables: tableRecords, types: types, memory: store.emptyMemory, imports: imports,
                identity: UInt32(index), dead: 0,
                limited: callLimits == nil ? 0 : 1))
    }

    deinit {
        System.free(own)
        types.deallocate()
        globals.deallocate()
        imported.deallocate()
        tableRecords.deallocate()
        imports.deallocate()
        record.deallocate()
    }

    // MARK: Filling in

    func addImport(_ function: UnsafeMutablePointer<wc_function>, at index: Int) {
        imports[index] = function
    }

    func addTable(_ table: TableData) {
        tableRecords[tables.count] = table.record
        tables.append(table)
    }

    func setMemory(_ memory: MemoryData) {
        self.memory = memory
        record.pointee.memory = memory.record
    }

    func addImportedGlobal(_ cell: UnsafeMutablePointer<UInt64>) {
        imported[cells.count] = cell
        cells.append(cell)
    }

    func addGlobal(_ bits: UInt64) {
        let cell = globals + (cells.count - module.contents.importedGlobals)
        cell.pointee = bits
        cells.append(cell)
    }

    // MARK: Looking up

    /// The record of a function of the module's function space.
    func function(_ index: Int, _ store: Store) -> UnsafeMutablePointer<wc_function>? {
        let contents = module.contents
        if index < contents.importedFunctions { return imports[index] }
        let at = index - contents.importedFunctions
        if own[at].code == nil {
            let type = Int(contents.functions[index])
            let signature = contents.types[type]
            own[at] = wc_function(
                code: module.code.records + at, instance: record, type: types[type],
                parameters: UInt16(signature.parameters.count),
                results: UInt16(signature.results.count), identity: UInt32(index),
                references: signature.hasReferences ? 1 : 0)
        }
        return own + at
    }

    /// Whether it is the record of a function that the module defines, and that was asked for.
    func owns(_ record: UnsafeMutablePointer<wc_function>) -> Bool {
        let distance = UInt(bitPattern: record) &- UInt(bitPattern: own)
        let (at, rest) = distance.quotientAndRemainder(
            dividingBy: UInt(MemoryLayout<wc_function>.stride))
        return rest == 0 && at < UInt(module.contents.bodies.count) && own[Int(at)].code != nil
    }

    func export(_ export: ModuleContents.Export, _ store: Store) -> ExternalValue {
        switch export.kind {
        case .table: return .table(Table(data: tables[export.index], store: store))
        case .global:
            return .global(
                Global(
                    cell: cells[export.index], type: module.contents.globals[export.index],
                    store: store))
        case .memory:
            // A module that exports a memory has one.
            if let memory { return .memory(Memory(data: memory, store: store)) }
        case .function:
            if let record = function(export.index, store) {
                return .function(Function(record: record, store: store))
            }
        }
        // Not reached: exports were validated. An empty global stands in rather than a crash.
        return .global(
            Global(cell: globals, type: GlobalType(value: .i32), store: store))
    }

    // MARK: Constants and segments

    func evaluate(_ constant: ConstantExpression, _ store: Store) -> UInt64 {
        switch constant {
        case .bits(let bits): return bits
        case .global(let index): return cells[index].pointee
        case .function(let index): return reference(index, store)
        case .sequence(let steps):
            var stack: [UInt64] = []
            for step in steps {
                switch step {
                case .push(let bits): stack.append(bits)
                case .global(let index): stack.append(cells[index].pointee)
                case .function(let index): stack.append(reference(index, store))
                default:
                    let y = stack.popLast() ?? 0
                    let x = stack.popLast() ?? 0
                    stack.append(InstanceData.apply(step, x, y))
                }
            }
            return stack.last ?? 0
        }
    }

    private static func apply(
        _ step: ConstantExpression.Step, _ x: UInt64, _ y: UInt64
    ) -> UInt64 {
        switch step {
        case .add32: return UInt64(UInt32(truncatingIfNeeded: x &+ y))
        case .sub32: return UInt64(UInt32(truncatingIfNeeded: x &- y))
        case .mul32: return UInt64(UInt32(truncatingIfNeeded: x &* y))
        case .add64: return x &+ y
        case .sub64: return x &- y
        default: return x &* y
        }
    }

    func reference(_ index: Int, _ store: Store) -> UInt64 {
        UInt64(UInt(bitPattern: function(index, store)))
    }

    /// Copies part of an element segment into a table.
    func initialize(
        _ table: TableData, at: UInt64, from segment: Int, at first: UInt64, count: UInt64,
        _ store: Store
    ) throws {
        let items = module.contents.elements[segment].items
        let available = droppedElements[segment] ? 0 : UInt64(items.count)
        guard count <= available, first <= available - count, table.contains(at, count) else {
            throw Trap(.outOfBoundsTableAccess)
        }
        for k in 0..<Int(count) {
            let bits: UInt64
            switch items {
            case .functions(let list): bits = reference(Int(list[Int(first) + k]), store)
            case .expressions(let list): bits = evaluate(list[Int(first) + k], store)
            }
            table.record.pointee.elements[Int(at) + k] = bits
        }
    }

    /// Copies part of a data segment into the memory.
    func initializeMemory(
        at: UInt64, from segment: Int, at first: UInt64, count: UInt64
    ) throws {
        let span = module.contents.data[segment].span
        let available = droppedData[segment] ? 0 : UInt64(span.end - span.start)
        guard let memory, count <= available, first <= available - count else {
            throw Trap(.outOfBoundsMemoryAccess)
        }
        let length = memory.record.pointee.length
        guard count <= length, at <= length - count else { throw Trap(.outOfBoundsMemoryAccess) }
        guard count > 0, let target = memory.record.pointee.bytes else { return }
        module.code.withBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            (target + Int(at)).update(
                from: base + Int(span.start) + Int(first), count: Int(count))
        }
    }
}
