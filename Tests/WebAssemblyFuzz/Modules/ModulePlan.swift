import WebAssembly

/// A module before it is encoded: what bodies may refer to, and in the end the bodies.
struct ModulePlan {
    struct Import {
        var module: String
        var name: String
        var kind: ExternalKind
    }

    struct GlobalPlan {
        var type: GlobalType
        /// A constant expression without its `end`.
        var initial: [UInt8]
    }

    struct Export {
        var name: String
        /// 0 function, 1 table, 2 memory, 3 global.
        var kind: UInt8
        var index: Int
    }

    struct Element {
        var type: ValueType
        /// The whole segment, encoded.
        var bytes: [UInt8]
        var count: Int
    }

    struct DataSegment {
        var bytes: [UInt8]
        var count: Int
    }

    private(set) var types: [FunctionType] = []
    private var numbers: [FunctionType: Int] = [:]
    var imports: [Import] = []
    /// The types of all functions, imported ones first.
    var functions: [FunctionType] = []
    var importedFunctions = 0
    /// Which function each element of a table holds at the start, where that is known.
    var known: [[Int: Int]] = []
    var tables: [TableType] = []
    var importedTables = 0
    var memory: MemoryType?
    var importsMemory = false
    var globals: [GlobalPlan] = []
    var importedGlobals = 0
    var elements: [Element] = []
    var data: [DataSegment] = []
    var bodies: [[UInt8]] = []
    var exports: [Export] = []
    var start: Int?
    var customs: [[UInt8]] = []
    /// The global that counts calls and iterations down, and how much it holds.
    var fuel = 0

    mutating func number(of type: FunctionType) -> Int {
        if let known = numbers[type] { return known }
        numbers[type] = types.count
        types.append(type)
        return types.count - 1
    }

    func encoded() -> [UInt8] {
        var out: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        out.section(
            1,
            types.map { type in
                var bytes: [UInt8] = [0x60]
                bytes.types(type.parameters)
                bytes.types(type.results)
                return bytes
            })
        if let custom = customs.first { out.section(0, raw: custom) }
        out.section(2, imports.map(encode))
        out.section(
            3,
            functions[importedFunctions...].map { type in
                var bytes: [UInt8] = []
                bytes.unsigned(numbers[type] ?? 0)
                return bytes
            })
        out.section(
            4,
            tables[importedTables...].map { type in
                var bytes: [UInt8] = []
                bytes.table(type)
                return bytes
            })
        if let memory, !importsMemory {
            var bytes: [UInt8] = []
            bytes.limits(memory.minimum, memory.maximum, is64: memory.is64)
            out.section(5, [bytes])
        }
        out.section(
            6,
            globals[importedGlobals...].map { global in
                var bytes: [UInt8] = []
                bytes.global(global.type)
                return bytes + global.initial + [0x0b]
            })
        out.section(
            7,
            exports.map { export in
                var bytes: [UInt8] = []
                bytes.name(export.name)
                bytes.append(export.kind)
                bytes.unsigned(export.index)
                return bytes
            })
        if let start {
            var bytes: [UInt8] = []
            bytes.unsigned(start)
            out.section(8, raw: bytes)
        }
        out.section(9, elements.map(\.bytes))
        if !data.isEmpty {
            var bytes: [UInt8] = []
            bytes.unsigned(data.count)
            out.section(12, raw: bytes)
        }
        out.section(
            10,
            bodies.map { body in
                var bytes: [UInt8] = []
                bytes.unsigned(body.count)
                return bytes + body
            })
        out.section(11, data.map(\.bytes))
        for custom in customs.dropFirst() { out.section(0, raw: custom) }
        return out
    }

    private func encode(_ entry: Import) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.name(entry.module)
        bytes.name(entry.name)
        switch entry.kind {
        case .function(let type):
            bytes.append(0)
            bytes.unsigned(numbers[type] ?? 0)
        case .table(let type):
            bytes.append(1)
            bytes.table(type)
        case .memory(let type):
            bytes.append(2)
            bytes.limits(type.minimum, type.maximum, is64: type.is64)
        case .global(let type):
            bytes.append(3)
            bytes.global(type)
        }
        return bytes
    }
}
