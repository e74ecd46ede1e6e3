/// A module as the linker leaves it under `--emit-relocs`: its parts, and where numbers of other
/// parts stand in its code and data.
///
/// Symbols and relocations: WebAssembly tool conventions, `Linking.md`.
struct LinkedModule {
    struct Import {
        var module: String
        var name: String
        var type: Int
    }

    struct Global {
        var valueType: UInt8
        var mutability: UInt8
        var opcode: UInt8
        var value: Int
    }

    struct Export {
        var name: String
        var kind: UInt8
        var index: Int
    }

    struct Limits {
        var flags: UInt8
        var minimum: Int
        var maximum: Int?
    }

    struct Segment {
        var opcode: UInt8
        var address: Int
        /// Where its bytes are in the file.
        var range: Range<Int>
    }

    struct Symbol {
        var kind: UInt8
        var flags: Int
        var name: String
        var index = 0
        var segment = 0
        var offset = 0
        var size = 0

        var isUndefined: Bool { flags & 0x10 != 0 }
        var isAbsolute: Bool { flags & 0x200 != 0 }
    }

    struct Relocation {
        var kind: UInt8
        /// From the start of the section's contents.
        var offset: Int
        var symbol: Int
        var addend: Int
    }

    var bytes: [UInt8]
    var types: [[UInt8]] = []
    var imports: [Import] = []
    var functions: [Int] = []
    var tableType: UInt8 = 0x70
    var table: Limits?
    var memory: Limits?
    var globals: [Global] = []
    var exports: [Export] = []
    var start: Int?
    var tableOpcode: UInt8 = 0x42
    var tableBase = 1
    /// Functions in the table.
    var elements: [Int] = []
    var hasDataCount = false
    /// Where the contents of the code section begin.
    var codeStart = 0
    /// Each function's code with the size before it.
    var records: [Range<Int>] = []
    /// Each function's code.
    var bodies: [Range<Int>] = []
    var dataStart = 0
    var segments: [Segment] = []
    /// Custom sections that are not about linking, in order.
    var customs: [(name: String, range: Range<Int>)] = []
    var symbols: [Symbol] = []
    var codeRelocations: [Relocation] = []
    var dataRelocations: [Relocation] = []
    /// By the name of the custom section that they are in.
    var customRelocations: [String: [Relocation]] = [:]

    /// - Throws: ``WasmCursor/Unreadable``.
    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        guard bytes.starts(with: [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) else {
            throw WasmCursor.Unreadable("no module")
        }
        var cursor = WasmCursor(bytes, 8..<bytes.count)
        var names: [String] = []
        var links: [Range<Int>] = []
        while !cursor.isAtEnd {
            let id = try cursor.byte()
            let range = try cursor.take(try cursor.number())
            var part = WasmCursor(bytes, range)
            names.append("\(id)")
            if id == 0 {
                let name = try part.name()
                names[names.count - 1] = name
                let rest = part.position..<range.upperBound
                if name == "linking" {
                    try readSymbols(&part)
                } else if name.hasPrefix("reloc.") {
                    links.append(rest)
                } else {
                    customs.append((name, rest))
                }
            } else {
                try read(id, &part)
            }
        }
        for range in links {
            var part = WasmCursor(bytes, range)
            let section = try part.number()
            guard names.indices.contains(section) else { throw WasmCursor.Unreadable("links") }
            let found = try part.list(Self.relocation)
            switch names[section] {
            case "10": codeRelocations = found
            case "11": dataRelocations = found
            case let name: customRelocations[name] = found
            }
        }
    }

    private mutating func read(_ id: UInt8, _ part: inout WasmCursor) throws {
        switch id {
        case 1: types = try part.list(Self.functionType)
        case 2:
            imports = try part.list { part in
                let module = try part.name()
                let name = try part.name()
                guard try part.byte() == 0 else { throw WasmCursor.Unreadable("an import") }
                return Import(module: module, name: name, type: try part.number())
            }
        case 3: functions = try part.list { try $0.number() }
        case 4:
            guard try part.number() == 1 else { throw WasmCursor.Unreadable("tables") }
            tableType = try part.byte()
            table = try Self.limits(&part)
        case 5:
            guard try part.number() == 1 else { throw WasmCursor.Unreadable("memories") }
            memory = try Self.limits(&part)
        case 6:
            globals = try part.list { part in
                let type = try part.byte()
                let mutability = try part.byte()
                let (opcode, value) = try Self.constant(&part)
                return Global(
                    valueType: type, mutability: mutability, opcode: opcode, value: value)
            }
        case 7:
            exports = try part.list {
                Export(name: try $0.name(), kind: try $0.byte(), index: try $0.number())
            }
        case 8: start = try part.number()
        case 9:
            guard try part.number() == 1, try part.number() == 0 else {
                throw WasmCursor.Unreadable("elements")
            }
            (tableOpcode, tableBase) = try Self.constant(&part)
            elements = try part.list { try $0.number() }
        case 10:
            codeStart = part.position
            for _ in 0..<(try part.number()) {
                let start = part.position
                let body = try part.take(try part.number())
                bodies.append(body)
                records.append(start..<body.upperBound)
            }
        case 11:
            dataStart = part.position
            segments = try part.list { part in
                guard try part.number() == 0 else { throw WasmCursor.Unreadable("data") }
                let (opcode, address) = try Self.constant(&part)
                return Segment(
                    opcode: opcode, address: address, range: try part.take(try part.number()))
            }
        case 12: hasDataCount = true
        default: throw WasmCursor.Unreadable("section \(id)")
        }
    }

    // MARK: - Parts

    private static func functionType(_ part: inout WasmCursor) throws -> [UInt8] {
        let start = part.position
        guard try part.byte() == 0x60 else { throw WasmCursor.Unreadable("a type") }
        _ = try part.take(try part.number())
        _ = try part.take(try part.number())
        return Array(part.bytes[start..<part.position])
    }

    private static func limits(_ part: inout WasmCursor) throws -> Limits {
        let flags = try part.byte()
        let minimum = try part.number()
        return Limits(
            flags: flags, minimum: minimum, maximum: flags & 1 == 0 ? nil : try part.number())
    }

    private static func constant(_ part: inout WasmCursor) throws -> (UInt8, Int) {
        let opcode = try part.byte()
        guard opcode == 0x41 || opcode == 0x42 else { throw WasmCursor.Unreadable("a constant") }
        let value = try part.signed()
        guard try part.byte() == 0x0b else { throw WasmCursor.Unreadable("a constant") }
        return (opcode, value)
    }

    private mutating func readSymbols(_ part: inout WasmCursor) throws {
        _ = try part.number()
        while !part.isAtEnd {
            let kind = try part.byte()
            let range = try part.take(try part.number())
            guard kind == 8 else { continue }
            var table = WasmCursor(part.bytes, range)
            symbols = try table.list(Self.symbol)
        }
    }

    private static func symbol(_ part: inout WasmCursor) throws -> Symbol {
        var symbol = Symbol(kind: try part.byte(), flags: try part.number(), name: "")
        switch symbol.kind {
        case 0, 2, 4, 5:
            symbol.index = try part.number()
            // An import is named by the import section unless it says otherwise.
            if !symbol.isUndefined || symbol.flags & 0x40 != 0 { symbol.name = try part.name() }
        case 1:
            symbol.name = try part.name()
            guard !symbol.isUndefined else { break }
            symbol.segment = try part.number()
            symbol.offset = try part.number()
            symbol.size = try part.number()
        case 3: symbol.index = try part.number()
        default: throw WasmCursor.Unreadable("a symbol")
        }
        return symbol
    }

    private static func relocation(_ part: inout WasmCursor) throws -> Relocation {
        var relocation = Relocation(
            kind: try part.byte(), offset: try part.number(), symbol: try part.number(), addend: 0)
        if Self.kindsWithAddend.contains(relocation.kind) { relocation.addend = try part.signed() }
        return relocation
    }

    private static let kindsWithAddend: Set<UInt8> = [
        3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25,
    ]
}
