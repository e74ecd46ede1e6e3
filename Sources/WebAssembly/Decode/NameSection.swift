// Function names for backtraces (core specification 2.0, appendix 7.4.1). Read only when a trap is
// reported; whatever is malformed there is ignored.

extension Module {
    /// The name of a function: from the name section, else from the exports.
    func functionName(_ index: Int) -> String? {
        if let section = contents.customs.last(where: { $0.name == "name" }),
            let name = name(of: UInt32(index), in: section.span)
        {
            return name
        }
        return contents.exports.first { $0.kind == .function && $0.index == index }?.name
    }

    private func name(of index: UInt32, in span: ByteSpan) -> String? {
        code.withBytes { bytes in
            var reader = ByteReader(
                UnsafeBufferPointer(rebasing: bytes[Int(span.start)..<Int(span.end)]))
            while let id = try? reader.byte(), let size = try? reader.u32(),
                var part = try? reader.part(Int(size))
            {
                if id != 1 { continue }
                guard let count = try? part.u32() else { return nil }
                for _ in 0..<count {
                    guard let found = try? part.u32(), let name = try? part.name() else {
                        return nil
                    }
                    if found == index { return name }
                    // Names are in order of their indices.
                    if found > index { return nil }
                }
            }
            return nil
        }
    }
}
