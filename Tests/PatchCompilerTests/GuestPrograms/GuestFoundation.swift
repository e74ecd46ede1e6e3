import Foundation

// What the guest's own module `Foundation` gives, against the host's Foundation.

private let pieces = [
    "a", "b", "ab", "A", " ", "\t", "\n", "\r\n", ",", ", ", "é", "e\u{301}", "e", "\u{301}", "你",
    "👩‍👩‍👧", "👩", "\u{200d}", "\u{200b}", "\u{a0}", "\u{2028}", "\u{85}", "ß", "한", "ᄒ", "ᅡ",
]

/// Of these no character can begin or end inside another one.
private let wholePieces = [
    "a", "b", "ab", "A", " ", "\t", "\n", ",", ", ", "é", "ü", "你", "好", "👩‍👩‍👧", "🇩🇪", "ß", "한",
    "\u{a0}", "…", "Ω",
]

private func text(
    _ numbers: inout ProgramNumbers, _ longest: UInt64, of pieces: [String] = pieces
) -> String {
    var text = ""
    for _ in 0..<numbers.below(longest + 1) {
        text += pieces[Int(truncatingIfNeeded: numbers.below(UInt64(pieces.count)))]
    }
    return text
}

private func add(_ range: Range<String.Index>?, in text: String, to digest: inout ProgramDigest) {
    guard let range else {
        digest.add("none")
        return
    }
    digest.add(UInt64(text[..<range.lowerBound].utf8.count))
    digest.add(String(text[range]))
}

@_cdecl("program_search")
func programSearch(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let any = text(&numbers, 14)
        for piece in any.components(separatedBy: text(&numbers, 2)) { digest.add(piece) }
        let whole = text(&numbers, 14, of: wholePieces)
        let part = text(&numbers, 2, of: wholePieces)
        for piece in whole.components(separatedBy: part) { digest.add(piece) }
        digest.add(whole.replacingOccurrences(of: part, with: "<\(part)>"))
        add(whole.range(of: part), in: whole, to: &digest)
        digest.add(whole.contains(part) ? 1 : UInt64(0))
        digest.add(whole.dropFirst(2).replacingOccurrences(of: "a", with: ""))
    }
    return digest.value
}

@_cdecl("program_character_sets")
func programCharacterSets(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    let sets: [CharacterSet] = [
        .whitespaces, .newlines, .whitespacesAndNewlines, CharacterSet(charactersIn: "ab,e"),
        CharacterSet(charactersIn: "a"..."f"),
        CharacterSet(charactersIn: "ab").union(CharacterSet(charactersIn: " ")), CharacterSet(),
    ]
    for _ in 0..<count {
        let whole = text(&numbers, 14)
        for set in sets {
            digest.add(whole.trimmingCharacters(in: set))
            for piece in whole.components(separatedBy: set) { digest.add(piece) }
        }
    }
    for value in UInt32(0)..<0x3100 {
        guard let scalar = Unicode.Scalar(value) else { continue }
        for set in sets { digest.add(set.contains(scalar) ? 1 : UInt64(0)) }
    }
    return digest.value
}

@_cdecl("program_numbers_and_dates")
func programNumbersAndDates(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let a = Double(Int64(bitPattern: numbers.skewed())) / 8
        let b = Double(Int64(bitPattern: numbers.skewed() | 1)) / 16
        let results = [
            floor(a), ceil(a), round(a), trunc(a), rint(a), fabs(a), fmod(a, b), copysign(a, b),
            sqrt(fabs(a)),
        ]
        for result in results { digest.add(result.bitPattern) }
        let narrow = Float(a)
        for result in [floor(narrow), ceil(narrow), round(narrow), trunc(narrow), rint(narrow)] {
            digest.add(UInt64(result.bitPattern))
        }
        let date = Date(timeIntervalSince1970: a)
        let other = Date(timeIntervalSinceReferenceDate: b).addingTimeInterval(a)
        digest.add(date.timeIntervalSinceReferenceDate.bitPattern)
        digest.add(other.timeIntervalSince1970.bitPattern)
        digest.add(date.timeIntervalSince(other).bitPattern)
        digest.add(date < other ? 1 : date == other ? 2 : UInt64(3))
        digest.add((date + 1.5 - 0.25).timeIntervalSince1970.bitPattern)
        digest.add((min(date, .distantFuture) > .distantPast) ? 1 : UInt64(0))
    }
    let size: CGFloat = 4
    let interval: TimeInterval = size / 2
    digest.add(interval.bitPattern)
    return digest.value
}

@_cdecl("program_bytes_and_identifiers")
func programBytesAndIdentifiers(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    func add(_ data: Data) {
        digest.add(UInt64(data.startIndex))
        for byte in data { digest.add(UInt64(byte)) }
        digest.add(data.description + data.base64EncodedString())
    }
    for _ in 0..<count {
        var data = Data(
            (0..<numbers.below(20)).map { _ in UInt8(truncatingIfNeeded: numbers.below(256)) })
        add(data)
        let half = data.count / 2
        var slice = data[half...]
        add(slice)
        add(slice.subdata(in: slice.startIndex..<slice.endIndex))
        slice.append(7)
        slice.append(data)
        add(slice)
        slice.replaceSubrange(slice.startIndex..<slice.startIndex + 1, with: [1, 2, 3])
        add(slice)
        if let first = slice.popFirst() { digest.add(UInt64(first)) }
        add(slice)
        if !data.isEmpty { data[0] ^= 0xff }
        data.insert(contentsOf: [9, 8], at: half)
        add(data + slice.prefix(2))
        digest.add(data == slice ? 1 : data.starts(with: slice.prefix(1)) ? 2 : UInt64(3))
        digest.add(String(data: Data(text(&numbers, 5).utf8), encoding: .utf8) ?? "none")
        digest.add(String(data: Data([0x61]) + data.prefix(3), encoding: .utf8) ?? "none")
        digest.add(UInt64(text(&numbers, 5).data(using: .utf8)?.count ?? -1))
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: numbers.below(256)) }
        let id = UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14],
                bytes[15]
            ))
        digest.add(id.uuidString + id.description)
        digest.add(UUID(uuidString: id.uuidString.lowercased()) == id ? 1 : UInt64(0))
        digest.add(UInt64(id.uuid.15))
        var broken = Array(id.uuidString)
        broken[Int(numbers.below(36))] = ["_", "g", "0", "~"][Int(numbers.below(4))]
        digest.add(UUID(uuidString: String(broken))?.uuidString ?? "none")
        digest.add(UUID(uuidString: String(broken.dropLast()))?.uuidString ?? "none")
    }
    return digest.value
}

/// Looks for one person in a family, which versions of Foundation answer differently.
@_cdecl("program_inner_match")
func programInnerMatch() -> Int32 { "👩‍👩‍👧".contains("👩") ? 1 : 0 }
