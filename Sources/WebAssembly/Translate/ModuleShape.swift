/// What function bodies need to know of their module, laid out for quick access: read-only after
/// it was made, and freed with its module.
struct ModuleShape {
    /// A function type as bytes of value types.
    struct Signature {
        var parameters: UnsafePointer<UInt8>
        var parameterCount: Int
        var results: UnsafePointer<UInt8>
        var resultCount: Int
    }

    struct GlobalShape {
        var type: UInt8
        var isMutable: Bool
    }

    let signatures: UnsafeMutablePointer<Signature>
    let signatureCount: Int
    let functions: UnsafeMutablePointer<UInt32>
    let functionCount: Int
    let importedFunctions: Int
    let globals: UnsafeMutablePointer<GlobalShape>
    let globalCount: Int
    let importedGlobals: Int
    let tables: [TableType]
    let hasMemory: Bool
    let memoryIs64: Bool
    let elementTypes: [ValueType]
    let dataCount: Int?
    let referable: [Bool]
    private let pool: UnsafeMutablePointer<UInt8>

    init(_ module: ModuleContents) {
        let total = module.types.reduce(0) { $0 + $1.parameters.count + $1.results.count }
        pool = .allocate(capacity: total + 1)
        signatureCount = module.types.count
        signatures = .allocate(capacity: signatureCount + 1)
        var at = pool
        for (index, type) in module.types.enumerated() {
            let parameters = at
            for value in type.parameters {
                at.initialize(to: value.rawValue)
                at += 1
            }
            let results = at
            for value in type.results {
                at.initialize(to: value.rawValue)
                at += 1
            }
            (signatures + index).initialize(
                to: Signature(
                    parameters: parameters, parameterCount: type.parameters.count,
                    results: results, resultCount: type.results.count))
        }
        functionCount = module.functions.count
        functions = .allocate(capacity: functionCount + 1)
        _ = UnsafeMutableBufferPointer(start: functions, count: functionCount)
            .initialize(from: module.functions)
        importedFunctions = module.importedFunctions
        globalCount = module.globals.count
        globals = .allocate(capacity: globalCount + 1)
        for (index, global) in module.globals.enumerated() {
            (globals + index).initialize(
                to: GlobalShape(type: global.value.rawValue, isMutable: global.isMutable))
        }
        importedGlobals = module.importedGlobals
        tables = module.tables
        hasMemory = !module.memories.isEmpty
        memoryIs64 = module.memories.first?.is64 ?? false
        elementTypes = module.elements.map(\.type)
        dataCount = module.dataCount.map(Int.init)
        referable = module.referable
    }

    func free() {
        signatures.deallocate()
        functions.deallocate()
        globals.deallocate()
        pool.deallocate()
    }
}
