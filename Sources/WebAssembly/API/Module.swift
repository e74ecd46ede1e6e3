/// What is imported or exported.
public enum ExternalKind: Hashable, Sendable {
    /// A function of this type.
    case function(FunctionType)
    /// A table.
    case table(TableType)
    /// A linear memory.
    case memory(MemoryType)
    /// A global.
    case global(GlobalType)
}

/// The type of a table (core specification 2.0, section 2.3.9).
public struct TableType: Hashable, Sendable {
    /// `funcRef` or `externRef`.
    public var element: ValueType
    /// The number of elements at the start.
    public var minimum: UInt64
    /// The most elements it may have; nil = no bound of its own.
    public var maximum: UInt64?
    /// Whether indices are 64 bits wide (proposal memory64).
    public var is64: Bool

    /// Describes a table.
    public init(element: ValueType, minimum: UInt64, maximum: UInt64? = nil, is64: Bool = false) {
        self.element = element
        self.minimum = minimum
        self.maximum = maximum
        self.is64 = is64
    }
}

/// The type of a linear memory (core specification 2.0, section 2.3.8), in pages of 65,536 bytes.
public struct MemoryType: Hashable, Sendable {
    /// The number of pages at the start.
    public var minimum: UInt64
    /// The most pages it may have; nil = no bound of its own.
    public var maximum: UInt64?
    /// Whether addresses are 64 bits wide (proposal memory64).
    public var is64: Bool

    /// Describes a memory.
    public init(minimum: UInt64, maximum: UInt64? = nil, is64: Bool = false) {
        self.minimum = minimum
        self.maximum = maximum
        self.is64 = is64
    }
}

/// The type of a global (core specification 2.0, section 2.3.10).
public struct GlobalType: Hashable, Sendable {
    /// The type of its value.
    public var value: ValueType
    /// Whether it can be assigned.
    public var isMutable: Bool

    /// Describes a global.
    public init(value: ValueType, isMutable: Bool = false) {
        self.value = value
        self.isMutable = isMutable
    }
}

/// One import of a module.
public struct ImportType: Hashable, Sendable {
    /// The module that it is imported from.
    public let module: String
    /// Its name there.
    public let name: String
    /// What it must be.
    public let kind: ExternalKind
}

/// One export of a module.
public struct ExportType: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// What it is.
    public let kind: ExternalKind
}

/// A custom section (core specification 2.0, section 5.5.3).
public struct CustomSection: Hashable, Sendable {
    /// The name of the section.
    public let name: String
    /// The contents after the name.
    public let bytes: [UInt8]
}

/// Decodes a module. Function bodies are only located; they are validated and translated at their
/// first call, or validated all at once by ``Module/validate()``.
/// - Throws: ``WasmDecodingError``, ``WasmValidationError`` or ``WasmUnsupportedProposal``.
public func parseWasm(bytes: [UInt8]) throws -> Module {
    let contents = try bytes.withUnsafeBufferPointer { buffer in
        var decoder = ModuleDecoder(buffer)
        return try decoder.decode()
    }
    return Module(contents, bytes: bytes)
}

/// A decoded module: immutable, shareable between threads, instances and stores.
public final class Module: Sendable {
    let contents: ModuleContents
    let code: ModuleCode
    let exportIndex: [ExactName: Int]

    convenience init(_ contents: ModuleContents, bytes: [UInt8]) {
        self.init(contents, ModuleCode(contents, bytes: bytes, isObserved: false))
    }

    private init(_ contents: ModuleContents, _ code: ModuleCode) {
        self.contents = contents
        self.code = code
        var index = [ExactName: Int](minimumCapacity: contents.exports.count)
        for (at, export) in contents.exports.enumerated() { index[ExactName(export.name)] = at }
        exportIndex = index
    }

    /// The imports, in order.
    public var imports: [ImportType] { contents.imports }

    /// The exports, in order.
    public var exports: [ExportType] {
        contents.exports.map { ExportType(name: $0.name, kind: kind(of: $0)) }
    }

    /// The bytes that it was decoded from.
    package var bytes: [UInt8] { code.withBytes { Array($0) } }

    /// The custom sections, in order.
    public var customSections: [CustomSection] {
        contents.customs.map { CustomSection(name: $0.name, bytes: Array(code.slice($0.span))) }
    }

    /// Validates all function bodies (core specification 2.0, chapter 3).
    /// - Throws: ``WasmDecodingError``, ``WasmValidationError`` or ``WasmUnsupportedProposal``.
    public func validate() throws { try code.validateAll() }

    /// Makes an instance: resolves imports, lays out memory, tables and globals, copies segments,
    /// runs the start function.
    /// - Throws: ``WasmLinkError``; ``Trap`` when a segment lies outside its table or memory, and
    ///   from the start function; ``WasmDecodingError``, ``WasmValidationError`` or
    ///   ``WasmUnsupportedProposal`` from the body of the start function.
    public func instantiate(
        store: Store, imports: Imports = Imports(), limits: InstanceLimits = InstanceLimits()
    ) throws -> Instance {
        // An observer needs code of its own, so that nobody else pays for it.
        let module =
            store.observer == nil || code.isObserved
            ? self : Module(contents, code.observed(contents))
        var linker = Linker(module, store, imports, limits)
        return Instance(data: try linker.instantiate(), store: store)
    }

    private func kind(of export: ModuleContents.Export) -> ExternalKind {
        switch export.kind {
        case .function: return .function(contents.types[Int(contents.functions[export.index])])
        case .table: return .table(contents.tables[export.index])
        case .memory: return .memory(contents.memories[export.index])
        case .global: return .global(contents.globals[export.index])
        }
    }
}
