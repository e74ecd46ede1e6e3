extension Renumbering {
    /// The module with its new numbers, the names of its functions and its debug information.
    /// - Throws: ``WasmCursor/Unreadable``.
    func written() throws -> [UInt8] {
        var image = module.bytes
        for relocation in module.codeRelocations {
            try apply(relocation, at: module.codeStart + relocation.offset, in: &image)
        }
        for relocation in module.dataRelocations {
            try apply(relocation, at: module.dataStart + relocation.offset, in: &image)
        }
        var out: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        out.appendSection(1, list(newTypes) { $0 += $1 })
        if !module.imports.isEmpty {
            out.appendSection(
                2,
                list(module.imports) { out, item in
                    out.appendName(item.module)
                    out.appendName(item.name)
                    out.append(0)
                    out.appendNumber(types[item.type])
                })
        }
        out.appendSection(3, list(newFunctions) { $0.appendNumber($1.type) })
        if let table = module.table { out.appendSection(4, tableSection(table)) }
        if let memory = module.memory { out.appendSection(5, memorySection(memory)) }
        if !newGlobals.isEmpty {
            out.appendSection(
                6,
                list(newGlobals) { out, global in
                    out += [global.valueType, global.mutability, global.opcode]
                    out.appendSigned(global.value)
                    out.append(0x0b)
                })
        }
        out.appendSection(7, try exportSection())
        if let start = module.start {
            var contents: [UInt8] = []
            contents.appendNumber(functions[start])
            out.appendSection(8, contents)
        }
        if !newElements.isEmpty {
            var contents: [UInt8] = [1, 0, module.tableOpcode]
            contents.appendSigned(module.tableBase)
            contents.append(0x0b)
            contents += list(newElements) { $0.appendNumber($1) }
            out.appendSection(9, contents)
        }
        let runs = dataRuns(image)
        if module.hasDataCount {
            var contents: [UInt8] = []
            contents.appendNumber(runs.count)
            out.appendSection(12, contents)
        }
        let (code, starts) = codeSection(image)
        out.appendSection(10, code)
        if !runs.isEmpty {
            let opcode = module.segments.first?.opcode ?? 0x42
            out.appendSection(
                11,
                list(runs) { out, run in
                    out += [0, opcode]
                    out.appendSigned(run.address)
                    out.append(0x0b)
                    out.appendNumber(run.bytes.count)
                    out += run.bytes
                })
        }
        for custom in module.customs {
            let contents: [UInt8]
            if custom.name == "name" {
                contents = try nameSection(custom.range)
            } else {
                contents = try debugSection(custom.name, custom.range, starts)
            }
            var section: [UInt8] = []
            section.appendName(custom.name)
            out.appendSection(0, section + contents)
        }
        return out
    }

    private func list<Item>(
        _ items: [Item], _ write: (inout [UInt8], Item) -> Void
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.appendNumber(items.count)
        for item in items { write(&out, item) }
        return out
    }

    // MARK: - Sections

    private func limits(_ limits: LinkedModule.Limits, atLeast minimum: Int) -> [UInt8] {
        var out: [UInt8] = [limits.flags]
        out.appendNumber(max(limits.minimum, minimum))
        if let maximum = limits.maximum { out.appendNumber(max(maximum, minimum)) }
        return out
    }

    private func tableSection(_ table: LinkedModule.Limits) -> [UInt8] {
        [1, module.tableType]
            + limits(
                table, atLeast: newElements.isEmpty ? 0 : module.tableBase + newElements.count)
    }

    private func memorySection(_ memory: LinkedModule.Limits) -> [UInt8] {
        [1] + limits(memory, atLeast: (newEnd + 0xffff) >> 16)
    }

    private func exportSection() throws -> [UInt8] {
        var out: [UInt8] = []
        out.appendNumber(module.exports.count)
        for export in module.exports {
            out.appendName(export.name)
            out.append(export.kind)
            switch export.kind {
            case 0: out.appendNumber(functions[export.index])
            case 1, 2: out.appendNumber(export.index)
            case 3: out.appendNumber(globals[export.index])
            default: throw WasmCursor.Unreadable("an export")
            }
        }
        return out
    }

    /// The code, and where each old function's record begins in the section's contents.
    private func codeSection(_ image: [UInt8]) -> (code: [UInt8], starts: [Int]) {
        var out: [UInt8] = []
        out.appendNumber(newFunctions.count)
        var starts = [Int](repeating: 0, count: module.bodies.count)
        for function in newFunctions {
            guard let body = function.body else {
                // No locals, `unreachable`, `end`.
                out += [3, 0, 0, 0x0b]
                continue
            }
            starts[body] = out.count
            out += image[module.records[body]]
        }
        return (out, starts)
    }

    /// What memory begins with, without stretches of zeros.
    private func dataRuns(_ image: [UInt8]) -> [(address: Int, bytes: [UInt8])] {
        var placed: [(address: Int, bytes: ArraySlice<UInt8>)] = []
        for (number, chunk) in chunks.enumerated() {
            let segment = module.segments[chunk.segment]
            let start = segment.range.lowerBound + chunk.range.lowerBound
            placed.append(
                (
                    segment.address + chunk.range.lowerBound + moves[number],
                    image[start..<start + chunk.range.count]
                ))
        }
        placed.sort { $0.address < $1.address }
        var runs: [(address: Int, bytes: [UInt8])] = []
        for (address, bytes) in placed {
            var position = bytes.startIndex
            while let first = bytes[position...].firstIndex(where: { $0 != 0 }) {
                // To the end of what is not zero for long.
                var end = first + 1
                var next = end
                while next < bytes.endIndex, next - end < Self.longestZeros {
                    if bytes[next] != 0 { end = next + 1 }
                    next += 1
                }
                let start = address + first - bytes.startIndex
                if let last = runs.last, start >= last.address + last.bytes.count,
                    start - (last.address + last.bytes.count) <= Self.longestZeros
                {
                    let gap = start - (last.address + last.bytes.count)
                    runs[runs.count - 1].bytes += [UInt8](repeating: 0, count: gap)
                    runs[runs.count - 1].bytes += bytes[first..<end]
                } else {
                    runs.append((start, Array(bytes[first..<end])))
                }
                position = end
            }
        }
        return runs
    }

    /// Zeros that cost less than another segment.
    private static let longestZeros = 16

    // MARK: - Relocations

    /// Writes what a relocation stands for now over what it stood for.
    private func apply(
        _ relocation: LinkedModule.Relocation, at position: Int, in image: inout [UInt8]
    ) throws {
        guard position >= 0, position < module.bytes.count else {
            throw WasmCursor.Unreadable("a relocation")
        }
        var part = WasmCursor(module.bytes, position..<module.bytes.count)
        func symbol() throws -> LinkedModule.Symbol {
            guard module.symbols.indices.contains(relocation.symbol) else {
                throw WasmCursor.Unreadable("a symbol")
            }
            return module.symbols[relocation.symbol]
        }
        func new(_ table: [Int], _ old: Int) throws -> Int {
            guard table.indices.contains(old) else { throw WasmCursor.Unreadable("a number") }
            return table[old]
        }
        switch relocation.kind {
        case 0: image.overwriteLEB(try new(functions, part.number()), at: position, width: 5)
        case 6: image.overwriteLEB(try new(types, part.number()), at: position, width: 5)
        case 7: image.overwriteLEB(try new(globals, part.number()), at: position, width: 5)
        case 20: break
        case 1: image.overwriteLEB(try slot(part.signed()), at: position, width: 5)
        case 18: image.overwriteLEB(try slot(part.signed()), at: position, width: 10)
        case 12, 24:
            let old = try part.signed() + module.tableBase
            image.overwriteLEB(
                try slot(old) - module.tableBase, at: position,
                width: relocation.kind == 12 ? 5 : 10)
        case 2: image.overwriteWord(try slot(try part.word(4)), at: position, width: 4)
        case 19: image.overwriteWord(try slot(try part.word(8)), at: position, width: 8)
        case 3:
            image.overwriteLEB(
                try moved(part.number(), of: symbol()), at: position, width: 5)
        case 14:
            image.overwriteLEB(
                try moved(part.number(), of: symbol()), at: position, width: 10)
        case 4, 11:
            image.overwriteLEB(
                try moved(part.signed(), of: symbol()), at: position, width: 5)
        case 15, 17:
            image.overwriteLEB(
                try moved(part.signed(), of: symbol()), at: position, width: 10)
        case 5:
            image.overwriteWord(
                try moved(try part.word(4), of: symbol()), at: position, width: 4)
        case 16:
            image.overwriteWord(
                try moved(try part.word(8), of: symbol()), at: position, width: 8)
        default: throw WasmCursor.Unreadable("relocation \(relocation.kind)")
        }
    }

    // MARK: - For debuggers

    /// The names of functions under their new numbers; other names are left out.
    private func nameSection(_ range: Range<Int>) throws -> [UInt8] {
        var cursor = WasmCursor(module.bytes, range)
        var names: [(Int, String)] = []
        while !cursor.isAtEnd {
            let kind = try cursor.byte()
            var part = WasmCursor(module.bytes, try cursor.take(try cursor.number()))
            guard kind == 1 else { continue }
            names = try part.list { (try $0.number(), try $0.name()) }
        }
        let renumbered = names.filter { functions.indices.contains($0.0) }
            .map { (functions[$0.0], $0.1) }.sorted { $0.0 < $1.0 }
        var out: [UInt8] = []
        out.appendSection(
            1,
            list(renumbered) { out, entry in
                out.appendNumber(entry.0)
                out.appendName(entry.1)
            })
        return out
    }

    /// Debug information with the new places of functions. Places of functions that the linker
    /// left out stay what the linker wrote for them.
    private func debugSection(
        _ name: String, _ range: Range<Int>, _ starts: [Int]
    ) throws -> [UInt8] {
        var places: [Int: Int] = [:]
        for (body, record) in module.records.enumerated() {
            let old = record.lowerBound - module.codeStart
            places[old] = starts[body]
            places[module.bodies[body].lowerBound - module.codeStart] =
                starts[body] + module.bodies[body].lowerBound - record.lowerBound
        }
        var contents = Array(module.bytes[range])
        for relocation in module.customRelocations[name] ?? [] {
            let width: Int
            switch relocation.kind {
            case 8: width = 4
            case 22: width = 8
            case 9: continue
            default: throw WasmCursor.Unreadable("relocation \(relocation.kind)")
            }
            guard relocation.offset >= 0, relocation.offset + width <= contents.count else {
                throw WasmCursor.Unreadable("a relocation")
            }
            var part = WasmCursor(contents, relocation.offset..<contents.count)
            let old = try part.word(width)
            guard let place = places[old &- relocation.addend] else { continue }
            contents.overwriteWord(place + relocation.addend, at: relocation.offset, width: width)
        }
        return contents
    }
}

extension WasmCursor {
    /// A little-endian number of fixed width.
    fileprivate mutating func word(_ width: Int) throws -> Int {
        var value: UInt64 = 0
        for (offset, position) in try take(width).enumerated() {
            value |= UInt64(bytes[position]) << UInt64(8 * offset)
        }
        return Int(truncatingIfNeeded: value)
    }
}
