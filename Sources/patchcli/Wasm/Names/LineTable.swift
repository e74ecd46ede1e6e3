import WebAssembly

/// The line tables of a module (DWARF versions 2 to 5, section 6.2): which line of which source file
/// a byte of the code came from. Read for a backtrace only; what is malformed ends the search and
/// nothing else.
struct LineTable {
    private let lines: [UInt8]
    private let strings: [UInt8]
    private let lineStrings: [UInt8]
    private let inlined: InlinedCalls?

    /// Nil when none of the sections has line tables.
    init?(_ sections: [CustomSection]) {
        func section(_ name: String) -> [UInt8] { sections.first { $0.name == name }?.bytes ?? [] }
        lines = section(".debug_line")
        strings = section(".debug_str")
        lineStrings = section(".debug_line_str")
        inlined = InlinedCalls(sections)
        if lines.isEmpty { return nil }
    }

    /// A line of a source file.
    struct Place: Equatable {
        /// The file's name without its folders.
        var file: String
        var line: Int
    }

    /// Finds the lines of offsets in the code section's contents, all in one pass.
    func places(of offsets: [Int]) -> [Int: Place] {
        var search = Search(wanted: offsets.sorted())
        var reader = DWARFReader(lines)
        while !reader.isAtEnd, var unit = reader.unit() {
            guard let header = UnitHeader(&unit, strings, lineStrings) else { continue }
            run(header, &unit, &search)
        }
        for offset in search.uncertain {
            if let place = callSite(around: offset) { search.found[offset] = place }
        }
        return search.found
    }

    /// The line of the innermost call whose place was taken by code that stands for no line.
    private func callSite(around offset: Int) -> Place? {
        for call in inlined?.around(offset) ?? [] {
            var reader = DWARFReader(lines, at: call.lines)
            guard var unit = reader.unit(), let header = UnitHeader(&unit, strings, lineStrings),
                let name = header.name(of: call.file), !name.hasPrefix("<")
            else { continue }
            return Place(file: name, line: call.line)
        }
        return nil
    }

    // MARK: - The line number program

    private struct Search {
        let wanted: [Int]
        var found: [Int: Place] = [:]
        /// Offsets whose own row has no line.
        var uncertain: Set<Int> = []
    }

    private struct Row {
        var address = 0
        var file: Int
        var line = 1
    }

    private func run(_ header: UnitHeader, _ reader: inout DWARFReader, _ search: inout Search) {
        let first = Row(file: 1)
        var row = first
        var last: Row?
        // Code that stands for no line, as a trap of Swift's does, has line 0: the line before it in
        // the same function says most.
        var known: Row?
        var start = 0
        /// Adds a row; wanted offsets between the one before and this one are that one's.
        func emit(isEnd: Bool) {
            // What the linker left out stays in the table at address 0, where no function is.
            if let last, start > 0, let known {
                for offset in search.wanted where offset >= last.address && offset < row.address {
                    if last.line == 0 { search.uncertain.insert(offset) }
                    search.found[offset] = header.name(of: known.file).map {
                        Place(file: $0, line: known.line)
                    }
                }
            }
            if last == nil { start = row.address }
            last = isEnd ? nil : row
            if isEnd { known = nil } else if row.line > 0 { known = row }
        }
        while !reader.isAtEnd {
            guard let opcode = reader.u8() else { return }
            if opcode >= header.opcodeBase {
                let step = Int(opcode - header.opcodeBase)
                row.address &+= header.instructionLength &* (step / header.lineRange)
                row.line &+= header.lineBase &+ step % header.lineRange
                emit(isEnd: false)
                continue
            }
            switch opcode {
            case 0:
                guard let size = reader.uleb(), var part = reader.part(size), let kind = part.u8()
                else { return }
                if kind == 1 {
                    emit(isEnd: true)
                    row = first
                } else if kind == 2 {
                    guard let address = part.number(part.remaining) else { return }
                    row.address = address
                }
            case 1: emit(isEnd: false)
            case 2: row.address &+= header.instructionLength &* (reader.uleb() ?? 0)
            case 3: row.line &+= reader.sleb() ?? 0
            case 4: row.file = reader.uleb() ?? 0
            case 8:
                row.address &+=
                    header.instructionLength
                    &* (Int(255 - header.opcodeBase) / header.lineRange)
            case 9: row.address &+= reader.number(2) ?? 0
            default:
                for _ in 0..<header.operands(of: opcode) { _ = reader.uleb() }
            }
        }
    }
}

/// The header of one unit's line program.
private struct UnitHeader {
    let opcodeBase: UInt8
    let instructionLength: Int
    let lineBase: Int
    let lineRange: Int
    private let lengths: [UInt8]
    private var files: [String] = []
    /// Files are counted from 1 before version 5, from 0 since.
    private let firstFile: Int

    /// Leaves the reader at the program.
    init?(_ reader: inout DWARFReader, _ strings: [UInt8], _ lineStrings: [UInt8]) {
        guard let version = reader.number(2), (2...5).contains(version) else { return nil }
        if version == 5 { _ = reader.number(2) }
        guard let size = reader.number(4), var header = reader.part(size),
            let instructionLength = header.u8(), version < 4 || header.u8() != nil,
            header.u8() != nil, let base = header.u8(), let range = header.u8(), range > 0,
            let opcodeBase = header.u8(), opcodeBase > 0
        else { return nil }
        self.instructionLength = Int(instructionLength)
        lineBase = Int(Int8(bitPattern: base))
        lineRange = Int(range)
        self.opcodeBase = opcodeBase
        var lengths: [UInt8] = [0]
        for _ in 1..<Int(opcodeBase) { lengths.append(header.u8() ?? 0) }
        self.lengths = lengths
        firstFile = version == 5 ? 0 : 1
        if version == 5 {
            // Folders first, then files, each described by a list of formats.
            _ = Self.entries(&header, strings, lineStrings)
            files = Self.entries(&header, strings, lineStrings)
        } else {
            while let folder = header.text(), !folder.isEmpty {}
            while let file = header.text(), !file.isEmpty {
                files.append(file)
                for _ in 0..<3 { _ = header.uleb() }
            }
        }
    }

    func operands(of opcode: UInt8) -> Int {
        Int(opcode) < lengths.count ? Int(lengths[Int(opcode)]) : 0
    }

    func name(of file: Int) -> String? {
        let index = file - firstFile
        guard files.indices.contains(index) else { return nil }
        return files[index].split(separator: "/").last.map(String.init)
    }

    private static func entries(
        _ reader: inout DWARFReader, _ strings: [UInt8], _ lineStrings: [UInt8]
    ) -> [String] {
        guard let formats = reader.u8() else { return [] }
        var fields: [(content: Int, form: Int)] = []
        for _ in 0..<formats {
            guard let content = reader.uleb(), let form = reader.uleb() else { return [] }
            fields.append((content, form))
        }
        guard let count = reader.uleb(), count <= reader.remaining else { return [] }
        var names: [String] = []
        for _ in 0..<count {
            var name = ""
            for field in fields {
                guard let text = value(&reader, field.form, strings, lineStrings) else {
                    return names
                }
                if field.content == 1 { name = text }
            }
            names.append(name)
        }
        return names
    }

    /// Reads one value; empty for one that is no text, nil for a form that cannot be read past.
    private static func value(
        _ reader: inout DWARFReader, _ form: Int, _ strings: [UInt8], _ lineStrings: [UInt8]
    ) -> String? {
        switch form {
        case 0x08: return reader.text()
        case 0x0e: return reader.number(4).map { DWARFReader(strings, at: $0).firstText }
        case 0x1f: return reader.number(4).map { DWARFReader(lineStrings, at: $0).firstText }
        case 0x0b: return reader.part(1).map { _ in "" }
        case 0x05: return reader.part(2).map { _ in "" }
        case 0x06: return reader.part(4).map { _ in "" }
        case 0x07: return reader.part(8).map { _ in "" }
        case 0x1e: return reader.part(16).map { _ in "" }
        case 0x0f: return reader.uleb().map { _ in "" }
        case 0x09: return reader.uleb().flatMap { reader.part($0) }.map { _ in "" }
        default: return nil
        }
    }
}

/// Reads little-endian numbers and texts from bytes; nil past their end.
struct DWARFReader {
    private let bytes: [UInt8]
    private var at: Int
    private let end: Int

    init(_ bytes: [UInt8], at start: Int = 0) {
        self.bytes = bytes
        at = min(max(0, start), bytes.count)
        end = bytes.count
    }

    private init(_ bytes: [UInt8], _ at: Int, _ end: Int) {
        self.bytes = bytes
        self.at = at
        self.end = end
    }

    var isAtEnd: Bool { at >= end }
    var remaining: Int { end - at }

    mutating func u8() -> UInt8? {
        guard at < end else { return nil }
        at += 1
        return bytes[at - 1]
    }

    mutating func number(_ size: Int) -> Int? {
        guard size >= 0, size <= 8, size <= remaining else { return nil }
        var value: UInt64 = 0
        for index in 0..<size { value |= UInt64(bytes[at + index]) << UInt64(8 * index) }
        at += size
        return Int(truncatingIfNeeded: value)
    }

    mutating func uleb() -> Int? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = u8() {
            if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
            shift += 7
            if byte < 0x80 { return Int(truncatingIfNeeded: value) }
        }
        return nil
    }

    mutating func sleb() -> Int? {
        var value: Int64 = 0
        var shift: Int64 = 0
        while let byte = u8() {
            if shift < 64 { value |= Int64(byte & 0x7f) << shift }
            shift += 7
            if byte < 0x80 {
                return Int(byte & 0x40 != 0 && shift < 64 ? value | (-1 << shift) : value)
            }
        }
        return nil
    }

    mutating func text() -> String? {
        guard let zero = bytes[at..<end].firstIndex(of: 0) else { return nil }
        defer { at = zero + 1 }
        return String(decoding: bytes[at..<zero], as: UTF8.self)
    }

    var firstText: String {
        var copy = self
        return copy.text() ?? ""
    }

    mutating func part(_ size: Int) -> DWARFReader? {
        guard size >= 0, size <= remaining else { return nil }
        defer { at += size }
        return DWARFReader(bytes, at, at + size)
    }

    /// One unit behind its length; 64-bit DWARF is not made for WebAssembly.
    mutating func unit() -> DWARFReader? {
        guard let size = number(4), size < 0xffff_fff0 else { return nil }
        return part(size)
    }
}
