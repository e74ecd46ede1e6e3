/// Decodes a module's sections (core specification 2.0, section 5.5) and validates all of it but
/// the function bodies, which it only locates.
struct ModuleDecoder {
    var reader: ByteReader
    var module = ModuleContents()

    init(_ bytes: UnsafeBufferPointer<UInt8>) { reader = ByteReader(bytes) }

    mutating func decode() throws -> ModuleContents {
        if reader.remaining > ModuleLimit.moduleBytes {
            throw WasmDecodingError(
                code: "module_too_large",
                message: "the module is larger than \(ModuleLimit.moduleBytes) bytes", offset: 0)
        }
        try header()
        // Sections other than custom ones come at most once and in this order.
        var order = 0
        while !reader.isAtEnd {
            let id = try reader.byte()
            let size = Int(try reader.u32())
            let offset = reader.offset
            var section = try reader.part(size)
            if id == 0 {
                try custom(&section)
                continue
            }
            if id == 13 {
                throw WasmUnsupportedProposal(proposal: "exception-handling", offset: offset)
            }
            guard let place = ModuleDecoder.place(id) else {
                throw WasmDecodingError("malformed section id", offset: offset)
            }
            if place <= order {
                throw WasmDecodingError("unexpected content after last section", offset: offset)
            }
            order = place
            try decode(id, &section)
            if !section.isAtEnd { throw section.error("section size mismatch") }
        }
        try finish()
        return module
    }

    private mutating func header() throws {
        for expected in [0x00, 0x61, 0x73, 0x6d] as [UInt8] {
            if reader.isAtEnd { throw reader.error("unexpected end") }
            if try reader.byte() != expected {
                throw WasmDecodingError(
                    code: "not_wasm",
                    message: "magic header not detected: these bytes are not a WebAssembly module",
                    offset: 0)
            }
        }
        let version = reader
        for expected in [1, 0, 0, 0] as [UInt8] {
            if reader.isAtEnd { throw reader.error("unexpected end") }
            if try reader.byte() != expected {
                let next = version.remaining >= 4 ? version.at[2] : 0
                if next == 1 {
                    throw WasmUnsupportedProposal(proposal: "component-model", offset: 4)
                }
                throw WasmDecodingError("unknown binary version", offset: 4)
            }
        }
    }

    /// The data count section (12) stands between element and code.
    private static func place(_ id: UInt8) -> Int? {
        switch id {
        case 1...9: Int(id)
        case 12: 10
        case 10, 11: Int(id) + 1
        default: nil
        }
    }

    private mutating func decode(_ id: UInt8, _ section: inout ByteReader) throws {
        switch id {
        case 1: try types(&section)
        case 2: try imports(&section)
        case 3: try functions(&section)
        case 4: try tables(&section)
        case 5: try memories(&section)
        case 6: try globals(&section)
        case 7: try exports(&section)
        case 8: try start(&section)
        case 9: try elements(&section)
        case 10: try code(&section)
        case 11: try data(&section)
        default: module.dataCount = try section.u32()
        }
    }

    private mutating func custom(_ section: inout ByteReader) throws {
        let name = try section.name()
        if module.customs.count >= ModuleLimit.customs {
            throw section.error("too many custom sections")
        }
        module.customs.append(
            (
                name,
                ByteSpan(start: UInt32(section.offset), end: UInt32(section.end - section.start))
            )
        )
    }

    private mutating func code(_ section: inout ByteReader) throws {
        let n = try section.count(limit: ModuleLimit.functions, of: "functions")
        if n != module.functions.count - module.importedFunctions {
            throw section.error("function and code section have inconsistent lengths")
        }
        module.bodies.reserveCapacity(n)
        for _ in 0..<n {
            let size = Int(try section.u32())
            let body = try section.part(size, "unexpected end of section or function")
            if size > ModuleLimit.bodyBytes {
                throw WasmDecodingError(
                    code: "function_too_large",
                    message: "a function body is larger than \(ModuleLimit.bodyBytes) bytes",
                    offset: body.offset)
            }
            module.bodies.append(
                ByteSpan(start: UInt32(body.offset), end: UInt32(section.offset)))
        }
    }

    private func finish() throws {
        if module.bodies.count != module.functions.count - module.importedFunctions {
            throw reader.error("function and code section have inconsistent lengths")
        }
        if let declared = module.dataCount, Int(declared) != module.data.count {
            throw reader.error("data count and data section have inconsistent lengths")
        }
    }
}
