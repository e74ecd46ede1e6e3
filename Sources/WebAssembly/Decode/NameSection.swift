// Function names for backtraces and tools (core specification 2.0, appendix 7.4.1). Read only when
// asked for; whatever is malformed there is ignored.

extension Module {
    /// The names of functions by their index, from the name section; where that has none, from the
    /// exports.
    public var functionNames: [Int: String] {
        var names: [Int: String] = [:]
        for export in contents.exports where export.kind == .function {
            if names[export.index] == nil { names[export.index] = export.name }
        }
        eachName { index, name in
            names[index] = name
            return true
        }
        return names
    }

    /// The name of a function: from the name section, else from the exports.
    func functionName(_ index: Int) -> String? {
        var found: String?
        eachName { at, name in
            if at == index { found = name }
            // Names are in order of their indices.
            return at < index
        }
        return found ?? contents.exports.first { $0.kind == .function && $0.index == index }?.name
    }

    /// Gives the names of the name section to `body` until that has seen enough.
    private func eachName(_ body: (Int, String) -> Bool) {
        guard let section = contents.customs.last(where: { $0.name == "name" }) else { return }
        let span = section.span
        code.withBytes { bytes in
            var reader = ByteReader(
                UnsafeBufferPointer(rebasing: bytes[Int(span.start)..<Int(span.end)]))
            while let id = try? reader.byte(), let size = try? reader.u32(),
                var part = try? reader.part(Int(size))
            {
                if id != 1 { continue }
                guard let count = try? part.u32() else { return }
                for _ in 0..<count {
                    guard let index = try? part.u32(), let name = try? part.name(),
                        body(Int(index), name)
                    else { return }
                }
            }
        }
    }
}
