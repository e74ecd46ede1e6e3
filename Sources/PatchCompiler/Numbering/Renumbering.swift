import PatchCrypto

/// Gives a linked module the numbers of another one: functions, types, globals, places in the
/// table and addresses of data that both have are numbered alike.
///
/// A patch holds a part of what the store build's module holds. As the linker numbers it, every
/// call would name another function; with the build's numbers the delta to it is what changed.
/// Numbers that only the other module has are filled with functions that trap and that nothing
/// calls, four bytes each.
struct Renumbering {
    /// The module that numbers come from.
    struct Model {
        var numbers: ModuleNumbers
        var module: LinkedModule

        /// - Throws: ``WasmCursor/Unreadable``.
        init(_ numbers: ModuleNumbers, wasm: [UInt8]) throws {
            self.numbers = numbers
            module = try LinkedModule(wasm)
            guard module.bodies.count == numbers.functions.count,
                module.globals.count == numbers.globals.count
            else { throw WasmCursor.Unreadable("numbers of another module") }
        }
    }

    /// Functions of the model that a module may lack; beyond that holes cost more than they save.
    static let maximumHoles = 16_384

    let module: LinkedModule
    let model: Model?
    let chunks: [DataChunk]

    /// New numbers by old ones.
    private(set) var functions: [Int] = []
    private(set) var types: [Int] = []
    private(set) var globals: [Int] = []
    private(set) var slots: [Int] = []
    /// How far each chunk moves.
    private(set) var moves: [Int] = []

    /// What the new module has, in its order. A function without a body is a hole.
    private(set) var newTypes: [[UInt8]] = []
    private(set) var newFunctions: [(type: Int, body: Int?)] = []
    private(set) var newGlobals: [LinkedModule.Global] = []
    private(set) var newElements: [Int] = []
    /// Where data ended, and where it ends.
    private(set) var oldEnd = 0
    private(set) var newEnd = 0

    private let functionKeys: [String]
    private let globalKeys: [String]
    private var firstDefined: Int { module.imports.count }

    /// - Throws: ``WasmCursor/Unreadable``.
    init(_ module: LinkedModule, like model: Model?) throws {
        self.module = module
        guard module.functions.count == module.bodies.count else {
            throw WasmCursor.Unreadable("functions")
        }
        var keys = ModuleNumbers.Keys()
        functionKeys = module.functionNames.map { keys.key($0) }
        keys = ModuleNumbers.Keys()
        globalKeys = module.globalNames.map { keys.key($0) }
        chunks = module.chunks()
        let isTooFar = (model?.module.bodies.count ?? 0) > module.bodies.count + Self.maximumHoles
        self.model = isTooFar ? nil : model
        placeTypes()
        placeFunctions()
        placeTable()
        try placeData()
        try placeGlobals()
    }

    // MARK: - Types and functions

    private mutating func placeTypes() {
        newTypes = model?.module.types ?? []
        types = module.types.map { type in
            if let known = newTypes.firstIndex(of: type) { return known }
            newTypes.append(type)
            return newTypes.count - 1
        }
    }

    private mutating func placeFunctions() {
        let imported = module.imports.count
        functions = Array(0..<imported)
        var known: [String: Int] = [:]
        if let model {
            // Numbers that the model's imports have beyond this module's, and its functions'.
            for item in model.module.imports.dropFirst(imported) {
                newFunctions.append((item.type, nil))
            }
            let taken = max(0, imported - model.module.imports.count)
            for (number, key) in model.numbers.functions.enumerated().dropFirst(taken) {
                if !key.isEmpty { known[key] = newFunctions.count }
                newFunctions.append((model.module.functions[number], nil))
            }
        }
        for (body, key) in functionKeys.enumerated() {
            let type = types[module.functions[body]]
            if let place = known[key] {
                newFunctions[place] = (type, body)
                functions.append(imported + place)
            } else {
                newFunctions.append((type, body))
                functions.append(imported + newFunctions.count - 1)
            }
        }
    }

    // MARK: - The table

    private mutating func placeTable() {
        if let model {
            // Numbers are the same, but for imports and for functions that gave way to some.
            let first = max(model.module.imports.count, firstDefined)
            let hole = model.module.elements.contains { $0 < first } ? self.hole() : 0
            newElements = model.module.elements.map { $0 < first ? hole : $0 }
        }
        var places: [Int: Int] = [:]
        for (place, function) in newElements.enumerated() where places[function] == nil {
            places[function] = place
        }
        slots = module.elements.map { old in
            let function = functions[old]
            if let place = places[function] { return place }
            newElements.append(function)
            places[function] = newElements.count - 1
            return newElements.count - 1
        }
    }

    private mutating func hole() -> Int {
        if let place = newFunctions.firstIndex(where: { $0.body == nil }) {
            return firstDefined + place
        }
        newFunctions.append((newTypes.isEmpty ? 0 : newFunctions.first?.type ?? 0, nil))
        return firstDefined + newFunctions.count - 1
    }

    // MARK: - Data and globals

    private mutating func placeData() throws {
        let absolute = module.symbols.first { $0.name == "__heap_base" }
        let last = module.segments.map { $0.address + $0.range.count }.max() ?? 0
        oldEnd = absolute.map(\.offset) ?? Self.aligned(last)
        newEnd = oldEnd
        moves = [Int](repeating: 0, count: chunks.count)
        guard let model else { return }
        newEnd = model.numbers.end
        let known = Dictionary(model.numbers.data.map { ($0.key, $0.address) }) { first, _ in first
        }
        for (number, chunk) in chunks.enumerated() {
            let old = module.segments[chunk.segment].address + chunk.range.lowerBound
            if let address = known[chunk.key] {
                moves[number] = address - old
            } else {
                let address = Self.aligned(newEnd, like: old)
                moves[number] = address - old
                newEnd = address + chunk.range.count
            }
        }
        newEnd = Self.aligned(newEnd)
    }

    private static func aligned(_ address: Int, like other: Int = 0) -> Int {
        address + ((other - address) % 16 + 16) % 16
    }

    /// Where an address of a symbol is now.
    func moved(_ address: Int, of symbol: LinkedModule.Symbol) throws -> Int {
        guard symbol.kind == 1, !symbol.isUndefined else { return address }
        if symbol.name == "__heap_base" || symbol.name == "__data_end" {
            return address + newEnd - oldEnd
        }
        if symbol.name == "__heap_end" { throw WasmCursor.Unreadable("__heap_end") }
        if symbol.isAbsolute { return address }
        guard let number = chunk(at: symbol.offset, in: symbol.segment) else {
            // An empty thing at the end of its segment has no bytes to be found by.
            if symbol.size == 0 { return address }
            throw WasmCursor.Unreadable("data without a place")
        }
        return address + moves[number]
    }

    /// The chunk that holds a byte of a segment; chunks are in the order of both.
    private func chunk(at offset: Int, in segment: Int) -> Int? {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            let place = (chunks[middle].segment, chunks[middle].range.upperBound)
            if place <= (segment, offset) { low = middle + 1 } else { high = middle }
        }
        guard low < chunks.count, chunks[low].segment == segment,
            chunks[low].range.contains(offset)
        else { return nil }
        return low
    }

    private mutating func placeGlobals() throws {
        newGlobals = model?.module.globals ?? []
        var known: [String: Int] = [:]
        for (number, key) in (model?.numbers.globals ?? []).enumerated() where !key.isEmpty {
            known[key] = number
        }
        // What each holds the address of.
        var symbols: [Int: LinkedModule.Symbol] = [:]
        for relocation in module.codeRelocations where relocation.kind == 7 {
            var part = WasmCursor(
                module.bytes, module.codeStart + relocation.offset..<module.bytes.count)
            let number = try part.number()
            guard module.symbols.indices.contains(relocation.symbol) else {
                throw WasmCursor.Unreadable("a symbol")
            }
            symbols[number] = module.symbols[relocation.symbol]
        }
        for (number, old) in module.globals.enumerated() {
            var global = old
            if let symbol = symbols[number] {
                switch symbol.kind {
                case 1: global.value = try moved(old.value, of: symbol)
                case 0: global.value = try slot(old.value)
                default: break
                }
            }
            if let place = known[globalKeys[number]] {
                newGlobals[place] = global
                globals.append(place)
            } else {
                newGlobals.append(global)
                globals.append(newGlobals.count - 1)
            }
        }
    }

    /// Where a place in the table is now; null stays null.
    func slot(_ old: Int) throws -> Int {
        guard old != 0 else { return 0 }
        guard slots.indices.contains(old - module.tableBase) else {
            throw WasmCursor.Unreadable("a place in the table")
        }
        return slots[old - module.tableBase] + module.tableBase
    }

    /// What the numbers of the new module stand for.
    func numbers(of wasm: [UInt8]) -> ModuleNumbers {
        var functions = [String](repeating: "", count: newFunctions.count)
        for (place, function) in newFunctions.enumerated() {
            if let body = function.body { functions[place] = functionKeys[body] }
        }
        var names = [String](repeating: "", count: newGlobals.count)
        for (old, place) in globals.enumerated() { names[place] = globalKeys[old] }
        let data = chunks.enumerated().map { number, chunk in
            ModuleNumbers.Datum(
                key: chunk.key,
                address: module.segments[chunk.segment].address + chunk.range.lowerBound
                    + moves[number])
        }
        return ModuleNumbers(
            module: Hex.encode(SHA256.hash(wasm)), functions: functions, globals: names,
            data: data.sorted { $0.address < $1.address }, end: newEnd)
    }
}
