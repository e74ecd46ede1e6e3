#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Swift's symbol names as people write them.
enum SwiftNames {
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
            UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The runtime's own demangler, which every Swift program carries; nil where the runtime is
    /// linked in without it (decision 0026).
    private static let demangle: Demangle? = {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle") else { return nil }
        return unsafeBitCast(symbol, to: Demangle.self)
    }()

    /// The most of a name that is demangled: what it grows to is not bounded by its length.
    private static let longest = 4096

    /// `$s4main5greetyS2SF` → `main.greet(String) -> String`; a name that is not Swift's as it is.
    static func readable(_ name: String) -> String {
        let isSwift = ["$s", "$S", "$e", "_$s", "_$e"].contains { name.hasPrefix($0) }
        guard isSwift, name.utf8.count <= longest, let demangle,
            let text = demangle(name, name.utf8.count, nil, nil, 0)
        else { return name }
        defer { free(text) }
        return nameFirst(withoutStandardModule(String(cString: text)))
    }

    /// What the optimiser made of a function stands before its name; here it goes behind, so that a
    /// list can be read.
    static func nameFirst(_ text: String) -> String {
        var rest = text[...]
        var notes: [String] = []
        while true {
            if rest.hasPrefix("merged ") {
                rest = rest.dropFirst("merged ".count)
                notes.append("merged")
                continue
            }
            let kinds = ["generic specialization <", "function signature specialization <"]
            guard let kind = kinds.first(where: { rest.hasPrefix($0) }),
                let end = closingBracket(of: rest.dropFirst(kind.count)),
                rest[end...].hasPrefix("> of ")
            else { break }
            if !notes.contains("specialized") { notes.append("specialized") }
            rest = rest[end...].dropFirst("> of ".count)
        }
        return notes.isEmpty ? text : "\(rest) [\(notes.joined(separator: ", "))]"
    }

    /// Where the bracket closes that was opened before `text`; `->` closes none.
    private static func closingBracket(of text: Substring) -> Substring.Index? {
        var depth = 1
        var before: Character = " "
        for index in text.indices {
            if text[index] == "<" { depth += 1 }
            if text[index] == ">", before != "-" { depth -= 1 }
            if depth == 0 { return index }
            before = text[index]
        }
        return nil
    }

    /// Leaves out `Swift.` before the standard library's types, which everyone knows.
    static func withoutStandardModule(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        var before: Character = " "
        while let next = rest.first {
            if next == "S", !isPartOfName(before), rest.hasPrefix("Swift.") {
                rest = rest.dropFirst("Swift.".count)
                continue
            }
            result.append(next)
            before = next
            rest = rest.dropFirst()
        }
        return result
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "."
    }
}
