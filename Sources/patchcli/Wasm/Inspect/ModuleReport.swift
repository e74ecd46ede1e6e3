import ModuleABI
import WebAssembly

/// What there is to say about a module's parts, as `patchcli wasm inspect --json` prints it.
struct ModuleReport: Encodable {
    struct Section: Encodable {
        let id: Int
        let name: String
        let offset: Int
        let bytes: Int
    }
    struct Import: Encodable {
        let module: String
        let name: String
        let kind: String
        let type: String
    }
    struct Export: Encodable {
        let name: String
        let kind: String
        let type: String
    }
    struct Function: Encodable {
        let index: Int
        let name: String
        let type: String
        let offset: Int
        let bytes: Int
    }
    struct Memory: Encodable {
        let address: String
        let minimumPages: UInt64
        let maximumPages: UInt64?

        enum CodingKeys: String, CodingKey {
            case address
            case minimumPages = "minimum_pages"
            case maximumPages = "maximum_pages"
        }
    }
    /// What the section of a patch says (`openpatch`), if the module has one.
    struct Patch: Encodable {
        let app: String
        let release: String
        let fingerprint: String
        let functions: Int
        let capabilities: [String]
    }

    let file: String
    let bytes: Int
    let debug: String?
    let start: String?
    let memories: [Memory]
    let tables: [String]
    let globals: Int
    let dataBytes: Int
    let elements: Int
    let patch: Patch?
    let sections: [Section]
    let imports: [Import]
    let exports: [Export]
    /// All functions, largest first.
    let functions: [Function]

    enum CodingKeys: String, CodingKey {
        case file, bytes, debug, start, memories, tables, globals, elements, patch, sections
        case imports, exports, functions
        case dataBytes = "data_bytes"
    }

    init(_ file: WasmFile, _ names: FunctionNames) {
        let layout = file.module.layout
        self.file = file.path
        bytes = file.bytes.count
        debug = names.debugFile
        start = layout.start.map { names[$0] }
        memories = layout.memories.map {
            Memory(
                address: $0.is64 ? "i64" : "i32", minimumPages: $0.minimum,
                maximumPages: $0.maximum)
        }
        tables = layout.tables.map { ExternalKind.table($0).text }
        globals = layout.globals.count
        dataBytes = layout.dataSegments.reduce(0, +)
        elements = layout.elementSegments.reduce(0, +)
        sections = layout.sections.map {
            Section(id: Int($0.id), name: $0.name, offset: $0.offset, bytes: $0.size)
        }
        imports = file.module.imports.map {
            Import(module: $0.module, name: $0.name, kind: $0.kind.name, type: $0.kind.text)
        }
        exports = file.module.exports.map {
            Export(name: $0.name, kind: $0.kind.name, type: $0.kind.text)
        }
        functions = layout.functions.map {
            Function(
                index: $0.index, name: names[$0.index], type: $0.type.description,
                offset: $0.offset, bytes: $0.size)
        }
        .sorted { ($1.bytes, $0.index) < ($0.bytes, $1.index) }
        patch = (try? ModuleABI.ModuleSection.read(fromBytes: file.bytes)).flatMap { $0 }.map {
            Patch(
                app: $0.app_id, release: $0.release, fingerprint: $0.fp,
                functions: $0.functions.count,
                capabilities: $0.capabilities.map(\.rawValue))
        }
    }
}

extension ExternalKind {
    /// The word for it in the text format.
    var name: String {
        switch self {
        case .function: "func"
        case .table: "table"
        case .memory: "memory"
        case .global: "global"
        }
    }

    /// Its type, close to the text format.
    var text: String {
        func range(_ minimum: UInt64, _ maximum: UInt64?, _ is64: Bool) -> String {
            let most = maximum.map { $0 == minimum ? "" : " to \($0)" } ?? " or more"
            return (is64 ? "i64 " : "") + "\(minimum)" + most
        }
        switch self {
        case .function(let type): return type.description
        case .table(let type):
            return range(type.minimum, type.maximum, type.is64)
                + (type.element == .funcRef ? " funcref" : " externref")
        case .memory(let type):
            return range(type.minimum, type.maximum, type.is64) + " pages"
        case .global(let type): return (type.isMutable ? "mut " : "") + "\(type.value)"
        }
    }
}
