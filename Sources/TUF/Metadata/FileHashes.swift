import PatchCrypto

/// Digests of a file by the name of the algorithm (specification §4.4, HASHES).
enum FileHashes {
    static func read(_ members: [String: JSONValue], _ place: String) throws -> [String: String] {
        guard !members.isEmpty else {
            throw FieldReader.malformed("'hashes' of \(place) must not be empty")
        }
        return try members.mapValues {
            guard let text = $0.string else {
                throw FieldReader.malformed("'hashes' of \(place) must hold strings")
            }
            return text
        }
    }

    /// Whether every digest of an algorithm we know is that of the file.
    ///
    /// Algorithms that we do not know are passed over, as long as we know one.
    static func match(
        _ hashes: [String: String], _ digest: (HashAlgorithm) -> [UInt8], role: String?
    ) throws -> Bool {
        var known = false
        for (name, text) in hashes {
            guard let algorithm = HashAlgorithm(rawValue: name) else { continue }
            known = true
            guard let expected = Hex.decode(text), expected.count == algorithm.digestSize,
                expected == digest(algorithm)
            else { return false }
        }
        guard known else {
            throw TUFError(
                .hashUnsupported, role: role,
                "None of the digests in the metadata is SHA-256, SHA-384 or SHA-512.")
        }
        return true
    }
}
