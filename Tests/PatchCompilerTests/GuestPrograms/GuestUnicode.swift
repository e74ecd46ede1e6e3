// Texts that somebody else made up to be hard, one after the other, with U+10FFFE between them.

private let separator = Unicode.Scalar(0x10_FFFE)

func programHardTexts(_ input: String) -> UInt64 {
    var digest = ProgramDigest()
    let texts = input.unicodeScalars.split { $0 == separator }
        .map { String(String.UnicodeScalarView($0)) }
    var seen = Set<String>()
    var counts: [String: Int64] = [:]
    var characters: [Character: Int64] = [:]
    for (index, text) in texts.enumerated() {
        // Where one character ends and the next begins.
        digest.add(UInt64(text.count))
        for character in text {
            digest.add(UInt64(String(character).utf8.count))
            characters[character, default: 0] += 1
        }
        digest.add(UInt64(text.utf16.count))
        digest.add(String(text.reversed()))
        digest.add(text.uppercased())
        digest.add(text.lowercased())
        digest.add(String(text.dropFirst()) + String(text.suffix(1)))
        // Texts of up to 15 bytes live in the string value itself, longer ones do not.
        let long = text + "0123456789abcdef" + text
        seen.insert(text)
        seen.insert(long)
        counts[text, default: 0] += Int64(index)
        counts[long, default: 0] -= 1
        let other = texts[(index &* 7 &+ 3) % texts.count]
        digest.add(seen.contains(other) ? 1 : UInt64(0))
        digest.add(text < other ? 1 : text == other ? 2 : UInt64(3))
        digest.add(text.hasPrefix(other) || long.hasSuffix(text) ? 1 : UInt64(0))
        digest.add("\(index): \(text.isEmpty) \(seen.count)")
    }
    digest.add(UInt64(seen.count))
    digest.add(UInt64(characters.count))
    for text in texts {
        digest.add(UInt64(bitPattern: counts[text] ?? -1))
        if let first = text.first { digest.add(UInt64(bitPattern: characters[first] ?? -1)) }
    }
    for text in texts.sorted() { digest.add(text) }
    for text in Set(texts).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
        digest.add(UInt64(text.utf8.count))
    }
    return digest.value
}

/// What each scalar of a plane is, and how it goes together with others.
@_cdecl("program_scalars")
func programScalars(_ plane: UInt64, _ step: Int32) -> UInt64 {
    var digest = ProgramDigest()
    var value = UInt32(truncatingIfNeeded: plane) << 16
    let end = value + 0x1_0000
    while value < end {
        defer { value += UInt32(bitPattern: step) }
        guard let scalar = Unicode.Scalar(value) else { continue }
        let text = String(Character(scalar))
        digest.add(UInt64((text + "\u{301}").count &* 8 &+ ("a" + text).count))
        digest.add(text.uppercased() + text.lowercased())
        let character = Character(scalar)
        var bits = UInt64(character.isLetter ? 1 : 0)
        if character.isNumber { bits |= 2 }
        if character.isWhitespace { bits |= 4 }
        if character.isNewline { bits |= 8 }
        if character.isPunctuation { bits |= 16 }
        if character.isSymbol { bits |= 32 }
        if character.isUppercase { bits |= 64 }
        if character.isLowercase { bits |= 128 }
        digest.add(bits)
        // A trillion is one character, and more than `Int` holds on wasm32.
        let number = character.wholeNumberValue.flatMap { Int32(exactly: $0) } ?? -1
        digest.add(UInt64(bitPattern: Int64(number)))
        digest.add([text + "b": UInt64(value)][text + "b"] ?? 0)
    }
    return digest.value
}

#if hasFeature(Embedded)
    @_cdecl("program_hard_texts")
    func programHardTexts(_ pointer: Int32, _ length: Int32) -> UInt64 {
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(UInt32(bitPattern: pointer))),
            count: Int(length))
        return programHardTexts(String(decoding: bytes, as: UTF8.self))
    }
#endif
