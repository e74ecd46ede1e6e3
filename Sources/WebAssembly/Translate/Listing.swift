import CWasmCore

extension FunctionCompiler {
    /// The register code as text, one instruction per line: for tests and for people who look into
    /// the translator.
    func listing() -> [String] {
        var lines: [String] = []
        var i = 0
        while i < count {
            let opcode = UInt32(truncatingIfNeeded: code[2 * i])
            let word = code[2 * i + 1]
            let name = wc_opcode_name(opcode).map { String(cString: $0) } ?? "?"
            let imm = Int32(truncatingIfNeeded: Int64(bitPattern: word) >> 32)
            lines.append("\(name) d=\(word & 0xffff) a=\(word >> 16 & 0xffff) imm=\(imm)")
            i += 1
        }
        return lines
    }
}

extension ModuleCode {
    /// The register code of a function that the module defines, as text.
    func listing(_ index: Int) throws -> [String] {
        var compiler = FunctionCompiler(shape)
        defer { compiler.free() }
        try withBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            try compiler.compile(shape.importedFunctions + index, spans[index], of: base)
        }
        return compiler.listing()
    }
}
