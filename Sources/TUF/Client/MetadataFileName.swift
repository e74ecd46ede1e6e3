/// Names of metadata files (specification §6.2).
public enum MetadataFileName {
    /// The name of a role's file: `role.json`, or `N.role.json` with a version. The role's name is
    /// percent-encoded, so that no role can leave the folder.
    public static func of(role: String, version: Int? = nil) -> String {
        let name = percentEncoded(role) + ".json"
        return version.map { "\($0).\(name)" } ?? name
    }

    /// The role and version that a file's name stands for; nil for other files.
    public static func parse(_ name: String) -> (role: String, version: Int?)? {
        guard name.hasSuffix(".json") else { return nil }
        let stem = name.dropLast(5)
        if let dot = stem.firstIndex(of: "."), let version = Int(stem[..<dot]), version > 0,
            String(version) == stem[..<dot]
        {
            guard let role = percentDecoded(stem[stem.index(after: dot)...]) else { return nil }
            return (role, version)
        }
        guard let role = percentDecoded(stem) else { return nil }
        return (role, nil)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func percentEncoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty else { return nil }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2,
                    let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                guard isUnreserved(byte) else { return nil }
                bytes.append(byte)
            }
        }
        guard UTF8Check.isValid(bytes) else { return nil }
        let role = String(decoding: bytes, as: UTF8.self)
        return percentEncoded(role) == text ? role : nil
    }
}
