/// Where the parts of a module lie in its bytes, and what it declares: for tools that look at
/// modules.
public struct ModuleLayout: Sendable {
    /// One section (core specification 2.0, section 5.5.2).
    public struct Section: Hashable, Sendable {
        /// Its number in the binary format; 0 for a custom section.
        public let id: UInt8
        /// The specification's name for it, or the name that a custom section gives itself.
        public let name: String
        /// Where its header begins, in bytes from the start of the module.
        public let offset: Int
        /// Its size in bytes, header included.
        public let size: Int
    }

    /// One function that the module defines.
    public struct Function: Hashable, Sendable {
        /// Its index in the module's function space, in which imports come first.
        public let index: Int
        /// Its type.
        public let type: FunctionType
        /// Where its body begins, in bytes from the start of the module.
        public let offset: Int
        /// The size of its body in bytes, declarations of locals included.
        public let size: Int
    }

    /// All sections, in order.
    public let sections: [Section]
    /// The functions that the module defines, in order.
    public let functions: [Function]
    /// All memories, imported ones first.
    public let memories: [MemoryType]
    /// All tables, imported ones first.
    public let tables: [TableType]
    /// All globals, imported ones first.
    public let globals: [GlobalType]
    /// The function that instantiation runs, if any.
    public let start: Int?
    /// How many bytes each data segment holds, in order.
    public let dataSegments: [Int]
    /// How many elements each element segment holds, in order.
    public let elementSegments: [Int]
    /// Where the contents of the code section begin, in bytes from the start of the module: what
    /// DWARF counts from. Nil without a code section.
    public let codeStart: Int?

    /// The specification's names of sections, by number.
    static let names = [
        "custom", "type", "import", "function", "table", "memory", "global", "export", "start",
        "element", "code", "data", "data count",
    ]
}

extension Module {
    /// Where the parts of the module lie; found anew at each use.
    public var layout: ModuleLayout {
        let first = contents.importedFunctions
        return ModuleLayout(
            sections: code.withBytes { Module.sections(of: $0) },
            functions: contents.bodies.enumerated().map { at, span in
                ModuleLayout.Function(
                    index: first + at, type: contents.types[Int(contents.functions[first + at])],
                    offset: Int(span.start), size: Int(span.end - span.start))
            },
            memories: contents.memories, tables: contents.tables, globals: contents.globals,
            start: contents.start.map(Int.init),
            dataSegments: contents.data.map { Int($0.span.end - $0.span.start) },
            elementSegments: contents.elements.map(\.items.count),
            codeStart: code.withBytes { Module.codeStart(of: $0) })
    }

    private static func codeStart(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var reader = ByteReader(bytes)
        guard (try? reader.part(8)) != nil else { return nil }
        while let id = try? reader.byte(), let size = try? reader.u32() {
            if id == 10 { return reader.offset }
            guard (try? reader.part(Int(size))) != nil else { return nil }
        }
        return nil
    }

    /// The bytes were decoded once already, so nothing here fails; if it did, the list would end.
    private static func sections(
        of bytes: UnsafeBufferPointer<UInt8>
    ) -> [ModuleLayout.Section] {
        var list: [ModuleLayout.Section] = []
        var reader = ByteReader(bytes)
        guard (try? reader.part(8)) != nil else { return [] }
        while !reader.isAtEnd {
            let offset = reader.offset
            guard let id = try? reader.byte(), let size = try? reader.u32(),
                var part = try? reader.part(Int(size))
            else { break }
            let known = id < ModuleLayout.names.count ? ModuleLayout.names[Int(id)] : "?"
            let name = id == 0 ? (try? part.name()) ?? "?" : known
            list.append(
                ModuleLayout.Section(
                    id: id, name: name, offset: offset, size: reader.offset - offset))
        }
        return list
    }
}
