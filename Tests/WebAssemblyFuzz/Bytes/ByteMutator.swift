/// Changes modules so that they are nearly right: bytes anywhere, whole sections, and bytes inside
/// of a section or body whose size is then mended, so that the change is not refused at once.
struct ByteMutator {
    var dice: Dice

    /// Numbers that stand at borders when read as LEB128, opcodes and types.
    private static let interesting: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x0b, 0x0e, 0x11, 0x1c, 0x3f, 0x40, 0x41, 0x60, 0x6f,
        0x70, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0xd0, 0xd2, 0xfc, 0xfd, 0xff,
    ]

    /// A mutant of `base`; parts may come from `other`.
    mutating func mutate(_ base: [UInt8], with other: [UInt8]) -> [UInt8] {
        var sections = Section.split(base)
        let count = dice.pick([1, 1, 1, 2, 2, 3, 5, 9])
        for _ in 0..<count {
            switch dice.below(10) {
            case 0: moveSections(&sections, Section.split(other))
            case 1...7:
                guard !sections.isEmpty else { continue }
                // Bodies are where most rules are.
                let code = sections.firstIndex { $0.number == 10 }
                let at = dice.once(in: 2) ? code : nil
                change(&sections[at ?? dice.below(sections.count)])
            default:
                var whole = Section.join(sections)
                edit(&whole)
                if dice.once(in: 3) { return whole }
                sections = Section.split(whole)
            }
        }
        return Section.join(sections)
    }

    private mutating func moveSections(_ sections: inout [Section], _ others: [Section]) {
        guard !sections.isEmpty else { return }
        let at = dice.below(sections.count)
        switch dice.below(5) {
        case 0: sections.remove(at: at)
        case 1: sections.insert(sections[at], at: dice.below(sections.count + 1))
        case 2: sections.swapAt(at, dice.below(sections.count))
        case 3: sections[at].number = UInt8(dice.below(16))
        default:
            guard !others.isEmpty else { return }
            let theirs = dice.pick(others)
            if let mine = sections.firstIndex(where: { $0.number == theirs.number }) {
                sections[mine] = theirs
            } else {
                sections.insert(theirs, at: at)
            }
        }
    }

    private mutating func change(_ section: inout Section) {
        if section.number == 10, var bodies = section.items(), !bodies.isEmpty,
            !dice.once(in: 6)
        {
            let at = dice.below(bodies.count)
            edit(&bodies[at])
            section.replaceItems(bodies)
        } else {
            edit(&section.contents)
        }
    }

    /// One change of some bytes.
    private mutating func edit(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(dice.pick(Self.interesting)) }
        let at = dice.below(bytes.count)
        switch dice.below(9) {
        case 0: bytes[at] ^= 1 << UInt8(dice.below(8))
        case 1, 2: bytes[at] = dice.pick(Self.interesting)
        case 3: bytes[at] = bytes[at] &+ UInt8(truncatingIfNeeded: dice.within(-2...2))
        case 4: bytes.insert(dice.pick(Self.interesting), at: at)
        case 5:
            let end = min(bytes.count, at + 1 + dice.below(6))
            bytes.removeSubrange(at..<end)
        case 6:
            // A piece of itself once more, elsewhere.
            let end = min(bytes.count, at + 1 + dice.below(24))
            bytes.insert(contentsOf: bytes[at..<end], at: dice.below(bytes.count + 1))
        case 7:
            // A number that is too long or too large.
            var number: [UInt8] = []
            number.unsigned(
                dice.pick([0x7f, 0x80, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 32, UInt64.max]))
            if dice.once(in: 3) {
                number[number.count - 1] |= 0x80
                number.append(0)
            }
            bytes.replaceSubrange(at..<min(bytes.count, at + 1), with: number)
        default:
            bytes[at] = UInt8(truncatingIfNeeded: dice.next())
        }
    }
}

/// A section of a module, or what lies where none can be read.
struct Section {
    var number: UInt8
    var contents: [UInt8]

    static func split(_ module: [UInt8]) -> [Section] {
        var sections: [Section] = []
        var at = 8
        while at < module.count {
            let number = module[at]
            at += 1
            guard let size = readUnsigned(module, &at), size <= module.count - at else { break }
            sections.append(Section(number: number, contents: Array(module[at..<at + size])))
            at += size
        }
        return sections
    }

    static func join(_ sections: [Section]) -> [UInt8] {
        var out: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        for section in sections { out.section(section.number, raw: section.contents) }
        return out
    }

    /// The bodies of a code section, without their sizes; nil when they cannot be read.
    func items() -> [[UInt8]]? {
        var at = 0
        guard let count = Self.readUnsigned(contents, &at), count <= contents.count else {
            return nil
        }
        var items: [[UInt8]] = []
        for _ in 0..<count {
            guard let size = Self.readUnsigned(contents, &at), size <= contents.count - at else {
                return nil
            }
            items.append(Array(contents[at..<at + size]))
            at += size
        }
        return items
    }

    mutating func replaceItems(_ items: [[UInt8]]) {
        contents = []
        contents.unsigned(items.count)
        for item in items {
            contents.unsigned(item.count)
            contents.append(contentsOf: item)
        }
    }

    private static func readUnsigned(_ bytes: [UInt8], _ at: inout Int) -> Int? {
        var value = 0
        var shift = 0
        while at < bytes.count, shift < 35 {
            let byte = bytes[at]
            at += 1
            value |= Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }
}
