/// The little of DER (X.690) that key files need: a bounded reader and a writer.
enum DER {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    /// No key that we accept comes near this (an RSA-16384 private key is 9 KB).
    static let maximumSize = 32 * 1024

    static func write(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        var length: [UInt8]
        if contents.count < 0x80 {
            length = [UInt8(contents.count)]
        } else {
            length = []
            var rest = contents.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + contents
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        write(sequence, parts.flatMap { $0 })
    }
}

/// Reads DER elements from front to back; every length is checked against what is there.
struct DERReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: [UInt8]) throws {
        guard bytes.count <= DER.maximumSize else {
            throw CryptoError(
                .badDER, "The key is \(bytes.count) bytes long, far too long for one.")
        }
        self.init(slice: bytes[...])
    }

    private init(slice: ArraySlice<UInt8>) {
        bytes = slice
        position = slice.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// The tag of the next element, or nil at the end.
    var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// The contents of the next element, which must have the tag `tag`.
    mutating func read(_ tag: UInt8) throws -> ArraySlice<UInt8> {
        let found = try readAny()
        guard found.tag == tag else {
            throw CryptoError(
                .badDER, "The key is damaged: DER tag \(found.tag) stands where \(tag) belongs.")
        }
        return found.contents
    }

    mutating func readSequence() throws -> DERReader {
        DERReader(slice: try read(DER.sequence))
    }

    mutating func readAny() throws -> (tag: UInt8, contents: ArraySlice<UInt8>) {
        let tag = try byte()
        var length = Int(try byte())
        if length >= 0x80 {
            let digits = length & 0x7F
            // DER: definite, minimal lengths only; more than three digits exceeds every bound.
            guard (1...3).contains(digits) else { throw truncated }
            length = 0
            for _ in 0..<digits { length = length << 8 | Int(try byte()) }
            guard length >= 0x80, digits == 1 || length >> (8 * (digits - 1)) > 0 else {
                throw CryptoError(.badDER, "The key is damaged: a DER length is not minimal.")
            }
        }
        guard length <= bytes.endIndex - position else { throw truncated }
        defer { position += length }
        return (tag, bytes[position..<position + length])
    }

    func expectEnd() throws {
        guard isAtEnd else {
            throw CryptoError(.badDER, "The key is damaged: bytes follow its end.")
        }
    }

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.endIndex else { throw truncated }
        defer { position += 1 }
        return bytes[position]
    }

    private var truncated: CryptoError {
        CryptoError(.badDER, "The key is damaged: it ends in the middle of a DER element.")
    }
}
