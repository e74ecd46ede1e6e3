import ModuleABI

/// Writes small modules byte by byte, so that tests decide what a guest does.
struct WasmBuilder {
    enum Kind: UInt8 { case i32 = 0x7F, i64 = 0x7E, f32 = 0x7D, f64 = 0x7C }
    struct Signature: Equatable {
        var parameters: [Kind]
        var results: [Kind]
    }

    private var types: [Signature] = []
    private var imports: [[UInt8]] = []
    private var functions: [(type: Int, body: [UInt8])] = []
    private var exports: [[UInt8]] = []
    private var data: [[UInt8]] = []
    private var importCount = 0
    var memoryPages: UInt64? = 1
    /// The first free byte of the bump allocator, global 0.
    var heapStart: UInt32 = 4096

    private mutating func type(_ signature: Signature) -> Int {
        if let known = types.firstIndex(of: signature) { return known }
        types.append(signature)
        return types.count - 1
    }

    /// Imports a function; imports come before all functions.
    mutating func importFunction(
        _ module: String, _ name: String, _ parameters: [Kind] = [], _ results: [Kind] = []
    ) -> UInt8 {
        let index = type(Signature(parameters: parameters, results: results))
        imports.append(Self.name(module) + Self.name(name) + [0x00] + Self.leb(UInt64(index)))
        importCount += 1
        return UInt8(importCount - 1)
    }

    /// Adds a function without locals, and exports it when it has a name.
    @discardableResult
    mutating func function(
        _ name: String?, _ parameters: [Kind] = [], _ results: [Kind] = [], _ body: [UInt8]
    ) -> UInt8 {
        let index = type(Signature(parameters: parameters, results: results))
        functions.append((index, body))
        let number = importCount + functions.count - 1
        if let name { exports.append(Self.name(name) + [0x00] + Self.leb(UInt64(number))) }
        return UInt8(number)
    }

    /// Places bytes in memory at the start.
    mutating func place(_ bytes: [UInt8], at offset: UInt32) {
        data.append(
            [0x00, 0x41] + Self.signed(Int64(Int32(bitPattern: offset))) + [0x0B]
                + Self.leb(UInt64(bytes.count)) + bytes)
    }

    /// A bump allocator and a free that does nothing.
    mutating func allocator() {
        // global.get 0; global.get 0; local.get 0; i32.add; global.set 0
        function("op_alloc", [.i32], [.i32], [0x23, 0, 0x23, 0, 0x20, 0, 0x6A, 0x24, 0])
        function("op_free", [.i32, .i32], [], [])
    }

    func build() -> [UInt8] {
        var bytes: [UInt8] = [0x00, 0x61, 0x73, 0x6D, 1, 0, 0, 0]
        func section(_ id: UInt8, _ items: [[UInt8]]) {
            if items.isEmpty { return }
            let body = Self.leb(UInt64(items.count)) + items.flatMap { $0 }
            bytes += [id] + Self.leb(UInt64(body.count)) + body
        }
        section(
            1,
            types.map { type in
                [0x60] + Self.leb(UInt64(type.parameters.count)) + type.parameters.map(\.rawValue)
                    + Self.leb(UInt64(type.results.count)) + type.results.map(\.rawValue)
            })
        section(2, imports)
        section(3, functions.map { Self.leb(UInt64($0.type)) })
        if let memoryPages { section(5, [[0x00] + Self.leb(memoryPages)]) }
        section(6, [[0x7F, 0x01, 0x41] + Self.signed(Int64(heapStart)) + [0x0B]])
        var all = exports
        if memoryPages != nil { all.append(Self.name("memory") + [0x02, 0x00]) }
        section(7, all)
        section(
            10,
            functions.map { function in
                let body = [0x00] + function.body + [0x0B]
                return Self.leb(UInt64(body.count)) + body
            })
        section(11, data)
        return bytes
    }

    static func leb(_ value: UInt64) -> [UInt8] {
        var value = value
        var bytes: [UInt8] = []
        repeat {
            let low = UInt8(value & 0x7F)
            value >>= 7
            bytes.append(value == 0 ? low : low | 0x80)
        } while value != 0
        return bytes
    }

    static func signed(_ value: Int64) -> [UInt8] {
        var value = value
        var bytes: [UInt8] = []
        while true {
            let low = UInt8(truncatingIfNeeded: value) & 0x7F
            value >>= 7
            if (value == 0 && low & 0x40 == 0) || (value == -1 && low & 0x40 != 0) {
                return bytes + [low]
            }
            bytes.append(low | 0x80)
        }
    }

    private static func name(_ text: String) -> [UInt8] {
        leb(UInt64(text.utf8.count)) + Array(text.utf8)
    }

    static func i32(_ value: Int32) -> [UInt8] { [0x41] + signed(Int64(value)) }
    static func i64(_ value: Int64) -> [UInt8] { [0x42] + signed(value) }
}
