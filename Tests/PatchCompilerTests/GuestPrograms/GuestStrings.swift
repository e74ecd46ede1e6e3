// Text and hashed collections: what `-Osize` is known to break on wasm64.

private let pieces = [
    "a", "B", "z", "0", "9", " ", ",", "é", "e\u{301}", "ß", "İ", "ﬁ", "Ω", "你", "한", "ก",
    "👩‍👩‍👧‍👦", "🇩🇪", "🇫🇷", "\r\n", "\u{200d}", "\u{1f3fd}", "क्षि", "…",
]

private func word(_ numbers: inout ProgramNumbers, _ longest: UInt64) -> String {
    var text = ""
    for _ in 0..<numbers.below(longest + 1) {
        text += pieces[Int(truncatingIfNeeded: numbers.below(UInt64(pieces.count)))]
    }
    return text
}

@_cdecl("program_text")
func programText(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let a = word(&numbers, 12)
        let b = word(&numbers, 3)
        digest.add(UInt64(a.count))
        digest.add(UInt64(a.unicodeScalars.count))
        digest.add(UInt64(a.utf16.count))
        digest.add(a.uppercased())
        digest.add(a.lowercased())
        digest.add(String(a.reversed()))
        digest.add(a < b ? 1 : a == b ? 2 : UInt64(3))
        digest.add(a.hasPrefix(b) ? 1 : UInt64(0))
        digest.add(a.hasSuffix(b) ? 1 : UInt64(0))
        for part in a.split(separator: ",", omittingEmptySubsequences: false) {
            digest.add(String(part))
        }
        digest.add([a, b, a].joined(separator: "-"))
        digest.add(String(a.prefix(3)) + String(b.suffix(2)))
        digest.add("\(a.count): \(b), \(a.isEmpty), \(numbers.next())")
        let number = Int64(bitPattern: numbers.skewed())
        digest.add(UInt64(bitPattern: Int64("\(number)") ?? 7))
        digest.add(String(numbers.next(), radix: 36, uppercase: true))
    }
    return digest.value
}

@_cdecl("program_collections")
func programCollections(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    var totals: [String: Int64] = [:]
    var seen = Set<String>()
    var order: [String] = []
    for index in 0..<count {
        // Texts of up to 15 bytes live in the string value itself.
        let key = numbers.below(2) == 0 ? "k\(numbers.below(50))" : word(&numbers, 4)
        totals[key, default: 0] += Int64(index)
        if seen.insert(key).inserted { order.append(key) }
        if numbers.below(5) == 0 {
            totals.removeValue(forKey: key)
            seen.remove(key)
            order.removeAll { $0 == key }
        }
        digest.add(seen.contains(word(&numbers, 2)) ? 1 : UInt64(0))
    }
    digest.add(UInt64(order.count))
    digest.add(UInt64(seen.count))
    // By bytes: `<` of some texts here is no strict order in the standard library (neither of two
    // unequal texts comes first), so that sorting by it would show the dictionary's own order.
    for key in totals.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
        digest.add(key)
        digest.add(UInt64(bitPattern: totals[key] ?? -1))
    }
    for text in order.sorted(by: >) { digest.add(text) }
    let lengths = Dictionary(grouping: order) { $0.utf8.count }
    for length in lengths.keys.sorted() { digest.add(UInt64((lengths[length] ?? []).count)) }
    return digest.value
}
