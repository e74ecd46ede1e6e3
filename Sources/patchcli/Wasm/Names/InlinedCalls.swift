import WebAssembly

/// Calls that the compiler put in place of a jump (DWARF versions 2 to 4, section 3.3.8.2): the line
/// that such a call stands on tells more than code that stands for no line, as Swift's traps do.
/// What is malformed ends the search and nothing else.
struct InlinedCalls {
    /// A call and the code that took its place.
    struct Call {
        var ranges: [Range<Int>]
        var depth: Int
        var file: Int
        var line: Int
        /// Where the unit's line program begins.
        var lines: Int
    }

    private let info: [UInt8]
    private let abbreviations: [UInt8]
    private let ranges: [UInt8]

    /// Nil when nothing is said about them.
    init?(_ sections: [CustomSection]) {
        func section(_ name: String) -> [UInt8] { sections.first { $0.name == name }?.bytes ?? [] }
        info = section(".debug_info")
        abbreviations = section(".debug_abbrev")
        ranges = section(".debug_ranges")
        if info.isEmpty || abbreviations.isEmpty { return nil }
    }

    /// The calls with a line around an offset in the code section's contents, innermost first.
    func around(_ offset: Int) -> [Call] {
        var found: [Call] = []
        var reader = DWARFReader(info)
        while !reader.isAtEnd, var unit = reader.unit() {
            walk(&unit) { call in
                if call.line > 0, call.ranges.contains(where: { $0.contains(offset) }) {
                    found.append(call)
                }
            }
        }
        return found.sorted { $0.depth > $1.depth }
    }

    // MARK: - Entries

    private struct Abbreviation {
        var tag: Int
        var hasChildren: Bool
        var attributes: [(name: Int, form: Int)] = []
    }

    private struct Entry {
        var low: Int?
        var high: Int?
        var isHighRelative = false
        var ranges: Int?
        var file = 0
        var line = 0
        var lines: Int?
    }

    private static let inlinedSubroutine = 0x1d

    private func walk(_ reader: inout DWARFReader, _ visit: (Call) -> Void) {
        guard let version = reader.number(2), (2...4).contains(version),
            let start = reader.number(4), let width = reader.u8(), width == 4 || width == 8
        else { return }
        let table = table(at: start)
        var depth = 0
        var base = 0
        var lines = 0
        while !reader.isAtEnd {
            guard let code = reader.uleb() else { return }
            if code == 0 {
                depth -= 1
                continue
            }
            guard let abbreviation = table[code],
                let entry = read(abbreviation, &reader, width: Int(width))
            else { return }
            if let offset = entry.lines {
                lines = offset
                base = entry.low ?? 0
            }
            if abbreviation.tag == Self.inlinedSubroutine {
                visit(
                    Call(
                        ranges: covered(entry, base: base, width: Int(width)), depth: depth,
                        file: entry.file, line: entry.line, lines: lines))
            }
            if abbreviation.hasChildren { depth += 1 }
        }
    }

    private func table(at start: Int) -> [Int: Abbreviation] {
        var reader = DWARFReader(abbreviations, at: start)
        var table: [Int: Abbreviation] = [:]
        while let code = reader.uleb(), code != 0, let tag = reader.uleb(),
            let children = reader.u8()
        {
            var abbreviation = Abbreviation(tag: tag, hasChildren: children != 0)
            while let name = reader.uleb(), let form = reader.uleb() {
                if name == 0, form == 0 { break }
                // A value that stands here and not in the entries.
                if form == 0x21 { _ = reader.sleb() }
                abbreviation.attributes.append((name, form))
            }
            table[code] = abbreviation
        }
        return table
    }

    private func read(
        _ abbreviation: Abbreviation, _ reader: inout DWARFReader, width: Int
    ) -> Entry? {
        var entry = Entry()
        for (name, form) in abbreviation.attributes {
            guard let value = value(form, &reader, width: width) else { return nil }
            switch name {
            case 0x10: entry.lines = value
            case 0x11: entry.low = value
            case 0x12:
                entry.high = value
                entry.isHighRelative = form != 0x01
            case 0x55: entry.ranges = value
            case 0x58: entry.file = value
            case 0x59: entry.line = value
            default: break
            }
        }
        return entry
    }

    /// The value of a form; 0 for what is no number, nil for a form that cannot be read past.
    private func value(_ form: Int, _ reader: inout DWARFReader, width: Int) -> Int? {
        switch form {
        case 0x01: return reader.number(width)
        case 0x0b, 0x0c, 0x11: return reader.number(1)
        case 0x05, 0x12: return reader.number(2)
        case 0x06, 0x0e, 0x10, 0x13, 0x17, 0x1f: return reader.number(4)
        case 0x07, 0x14, 0x20: return reader.number(8)
        case 0x0f, 0x15: return reader.uleb()
        case 0x0d: return reader.sleb()
        case 0x08: return reader.text().map { _ in 0 }
        case 0x19, 0x21: return 0
        case 0x03: return reader.number(2).flatMap { reader.part($0) }.map { _ in 0 }
        case 0x04: return reader.number(4).flatMap { reader.part($0) }.map { _ in 0 }
        case 0x0a: return reader.number(1).flatMap { reader.part($0) }.map { _ in 0 }
        case 0x09, 0x18: return reader.uleb().flatMap { reader.part($0) }.map { _ in 0 }
        default: return nil
        }
    }

    private func covered(_ entry: Entry, base: Int, width: Int) -> [Range<Int>] {
        if let low = entry.low, let high = entry.high {
            let end = entry.isHighRelative ? low &+ high : high
            // What the linker left out is said to lie at 0 or at -1, where no code is.
            return low > 0 && low < end ? [low..<end] : []
        }
        guard let start = entry.ranges else { return [] }
        var reader = DWARFReader(ranges, at: start)
        var base = base
        var found: [Range<Int>] = []
        while let low = reader.number(width), let high = reader.number(width) {
            if low == 0, high == 0 { break }
            // All bits set: another base follows.
            if low == -1 || width == 4 && low == 0xffff_ffff {
                base = high
            } else if low < high {
                let (first, isOver) = base.addingReportingOverflow(low)
                let (last, isOverToo) = base.addingReportingOverflow(high)
                if !isOver, !isOverToo, first > 0, first < last { found.append(first..<last) }
            }
        }
        return found
    }
}
