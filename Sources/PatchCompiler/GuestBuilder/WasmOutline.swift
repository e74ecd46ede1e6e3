import ModuleABI

/// The names that a module imports and exports, read from its bytes without decoding its code.
///
/// Binary format: WebAssembly core specification §5.5.5 (imports), §5.5.10 (exports).
struct WasmOutline: Equatable {
    enum Kind: UInt8 { case function, table, memory, global, tag }

    struct Import: Equatable {
        var module: String
        var name: String
        var kind: Kind
    }

    struct Export: Equatable {
        var name: String
        var kind: Kind
    }

    var imports: [Import] = []
    var exports: [Export] = []

    /// - Throws: ``GuestBuildError/malformedOutput(_:)``.
    init(_ wasm: [UInt8]) throws {
        guard wasm.starts(with: [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]) else {
            throw GuestBuildError.malformedOutput("it does not begin as a module")
        }
        var reader = Reader(bytes: wasm, position: 8, end: wasm.count)
        while reader.position < reader.end {
            let id = try reader.byte()
            let size = try reader.number()
            guard size <= reader.end - reader.position else { throw Reader.cut }
            var section = Reader(
                bytes: wasm, position: reader.position, end: reader.position + size)
            if id == 2 { imports = try section.imports() }
            if id == 7 { exports = try section.exports() }
            reader.position += size
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position: Int
        let end: Int

        static var cut: GuestBuildError { .malformedOutput("it ends in the middle") }

        mutating func byte() throws -> UInt8 {
            guard position < end else { throw Self.cut }
            position += 1
            return bytes[position - 1]
        }

        mutating func number() throws -> Int {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 63, by: 7) {
                let next = try byte()
                value |= UInt64(next & 0x7f) << shift
                if next & 0x80 == 0 { return Int(value) }
            }
            throw GuestBuildError.malformedOutput("a number is too long")
        }

        mutating func name() throws -> String {
            let count = try number()
            guard count <= end - position else { throw Self.cut }
            defer { position += count }
            return String(decoding: bytes[position..<position + count], as: UTF8.self)
        }

        mutating func kind() throws -> Kind {
            guard let kind = Kind(rawValue: try byte()) else {
                throw GuestBuildError.malformedOutput("an import or export of an unknown kind")
            }
            return kind
        }

        mutating func limits() throws {
            let flags = try byte()
            _ = try number()
            if flags & 1 != 0 { _ = try number() }
        }

        mutating func imports() throws -> [Import] {
            var found: [Import] = []
            for _ in 0..<(try number()) {
                let item = Import(module: try name(), name: try name(), kind: try kind())
                switch item.kind {
                case .function: _ = try number()
                case .table:
                    _ = try byte()
                    try limits()
                case .memory: try limits()
                case .global, .tag:
                    _ = try byte()
                    _ = try byte()
                }
                found.append(item)
            }
            return found
        }

        mutating func exports() throws -> [Export] {
            var found: [Export] = []
            for _ in 0..<(try number()) {
                found.append(Export(name: try name(), kind: try kind()))
                _ = try number()
            }
            return found
        }
    }
}
