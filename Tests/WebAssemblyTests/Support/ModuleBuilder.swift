import WebAssembly

/// Writes small modules in the binary format, so that tests need no assembler.
struct ModuleBuilder {
    private var types: [FunctionType] = []
    private var imports: [[UInt8]] = []
    private var functionTypes: [Int] = []
    private var bodies: [[UInt8]] = []
    private var tables: [[UInt8]] = []
    private var memory: [UInt8]?
    private var globals: [[UInt8]] = []
    private var exports: [[UInt8]] = []
    private var elements: [[UInt8]] = []
    private var data: [[UInt8]] = []
    private var customs: [UInt8] = []
    private var importedFunctions = 0
    var start: Int?
    var hasDataCount = false

    mutating func type(_ parameters: [ValueType], _ results: [ValueType]) -> Int {
        let type = FunctionType(parameters: parameters, results: results)
        if let known = types.firstIndex(of: type) { return known }
        types.append(type)
        return types.count - 1
    }

    /// Imports a function; call before `function`.
    @discardableResult
    mutating func importFunction(
        _ module: String, _ name: String, _ parameters: [ValueType], _ results: [ValueType] = []
    ) -> Int {
        imports.append(
            text(module) + text(name) + [0] + leb(type(parameters, results)))
        importedFunctions += 1
        return importedFunctions - 1
    }

    mutating func importMemory(_ module: String, _ name: String, minimum: Int) {
        imports.append(text(module) + text(name) + [2, 0] + leb(minimum))
    }

    mutating func importTable(_ module: String, _ name: String, minimum: Int) {
        imports.append(text(module) + text(name) + [1, 0x70, 0] + leb(minimum))
    }

    mutating func importGlobal(
        _ module: String, _ name: String, _ type: ValueType, isMutable: Bool
    ) {
        imports.append(text(module) + text(name) + [3, type.rawValue, isMutable ? 1 : 0])
    }

    /// Adds a function and exports it when it has a name. `code` is its body without the last end.
    @discardableResult
    mutating func function(
        _ name: String? = nil, _ parameters: [ValueType] = [], _ results: [ValueType] = [],
        locals: [ValueType] = [], _ code: [UInt8]
    ) -> Int {
        functionTypes.append(type(parameters, results))
        let declared = locals.map { [1, $0.rawValue] as [UInt8] }
        bodies.append(vector(declared) + code + [0x0b])
        let index = importedFunctions + bodies.count - 1
        if let name { export(name, 0, index) }
        return index
    }

    /// The index that the next function gets, for those that call themselves.
    var nextFunction: Int { importedFunctions + bodies.count }

    mutating func export(_ name: String, _ kind: UInt8, _ index: Int) {
        exports.append(text(name) + [kind] + leb(index))
    }

    mutating func memory(_ minimum: Int, _ maximum: Int? = nil, is64: Bool = false) {
        let flags: UInt8 = (maximum == nil ? 0 : 1) | (is64 ? 4 : 0)
        memory = [flags] + leb(minimum) + (maximum.map { leb($0) } ?? [])
        export("memory", 2, 0)
    }

    mutating func table(_ minimum: Int, _ maximum: Int? = nil) {
        tables.append(
            [0x70, maximum == nil ? 0 : 1] + leb(minimum) + (maximum.map { leb($0) } ?? []))
    }

    mutating func global(_ type: ValueType, isMutable: Bool, _ constant: [UInt8]) {
        globals.append([type.rawValue, isMutable ? 1 : 0] + constant + [0x0b])
    }

    mutating func element(at offset: Int, _ functions: [Int]) {
        elements.append([0] + Code.i32(Int32(offset)) + [0x0b] + vector(functions.map { leb($0) }))
    }

    mutating func data(at offset: Int, _ bytes: [UInt8]) {
        data.append([0] + Code.i32(Int32(offset)) + [0x0b] + leb(bytes.count) + bytes)
    }

    mutating func custom(_ name: String, _ bytes: [UInt8]) {
        customs += section(0, text(name) + bytes)
    }

    /// Adds a name section with these function names.
    mutating func names(_ functions: [(Int, String)]) {
        let map = vector(functions.map { leb($0.0) + text($0.1) })
        custom("name", [1] + leb(map.count) + map)
    }

    func build() -> [UInt8] {
        var out: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        func add(_ id: UInt8, _ items: [[UInt8]]) {
            if !items.isEmpty { out += section(id, vector(items)) }
        }
        add(
            1,
            types.map { type in
                [0x60] + vector(type.parameters.map { [$0.rawValue] })
                    + vector(type.results.map { [$0.rawValue] })
            })
        add(2, imports)
        add(3, functionTypes.map { leb($0) })
        add(4, tables)
        if let memory { add(5, [memory]) }
        add(6, globals)
        add(7, exports)
        if let start { out += section(8, leb(start)) }
        add(9, elements)
        if hasDataCount { out += section(12, leb(data.count)) }
        add(10, bodies.map { leb($0.count) + $0 })
        add(11, data)
        return out + customs
    }

    func module() throws -> Module {
        let module = try parseWasm(bytes: build())
        try module.validate()
        return module
    }

    /// An instance in a store of its own.
    func instance(
        _ configuration: EngineConfiguration = .init(),
        _ imports: (Store) throws -> Imports = { _ in Imports() }
    ) throws -> Instance {
        let store = Store(engine: Engine(configuration: configuration))
        return try module().instantiate(store: store, imports: imports(store))
    }
}

func leb(_ value: Int) -> [UInt8] {
    var rest = UInt64(value)
    var out: [UInt8] = []
    repeat {
        let byte = UInt8(rest & 0x7f)
        rest >>= 7
        out.append(rest == 0 ? byte : byte | 0x80)
    } while rest != 0
    return out
}

func sleb(_ value: Int64) -> [UInt8] {
    var rest = value
    var out: [UInt8] = []
    while true {
        let byte = UInt8(truncatingIfNeeded: rest & 0x7f)
        rest >>= 7
        if (rest == 0 && byte & 0x40 == 0) || (rest == -1 && byte & 0x40 != 0) {
            return out + [byte]
        }
        out.append(byte | 0x80)
    }
}

func text(_ string: String) -> [UInt8] { leb(string.utf8.count) + Array(string.utf8) }

func vector(_ items: [[UInt8]]) -> [UInt8] { leb(items.count) + items.flatMap { $0 } }

func section(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] { [id] + leb(bytes.count) + bytes }
