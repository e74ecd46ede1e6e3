import Foundation

/// Parameters of a header value, as in `form-data; name="x"`.
enum HeaderParameters {
    /// The value of a parameter, quotes and their escapes removed.
    static func value(_ name: String, in header: String) -> String? {
        var rest = Substring(header)
        guard let first = rest.firstIndex(of: ";") else { return nil }
        rest = rest[rest.index(after: first)...]
        while !rest.isEmpty {
            let key = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(key.count)
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst()
                value = readValue(&rest)
            }
            if rest.first == ";" { rest = rest.dropFirst() }
            if key.trimmingCharacters(in: .whitespaces).lowercased() == name { return value }
        }
        return nil
    }

    private static func readValue(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let word = rest.prefix { $0 != ";" }
            rest = rest.dropFirst(word.count)
            return word.trimmingCharacters(in: .whitespaces)
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.first, character != "\"" {
            rest = rest.dropFirst()
            if character == "\\", let escaped = rest.first {
                value.append(escaped)
                rest = rest.dropFirst()
            } else {
                value.append(character)
            }
        }
        rest = rest.dropFirst()
        rest = rest.drop { $0 != ";" }
        return value
    }
}
