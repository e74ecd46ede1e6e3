import Foundation

/// JSON as the API writes it: sorted keys, slashes as they are, one line.
enum JSONText {
    static func encode(_ document: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else { return Array("{}".utf8) }
        return [UInt8](data) + [0x0A]
    }
}
