import PatchCrypto

/// Secrets that clients show: 256 random bits, kept only as a hash.
enum Token {
    /// A new token; the prefix tells people and secret scanners what it is.
    static func make(prefix: String) -> String {
        prefix + "_" + SecureRandom.bytes(32).hex
    }

    /// What is stored of a token. It is long and random, so that one plain hash protects it.
    static func hash(_ token: String) -> String { SHA256.hash(token).hex }

    /// Whether `token` is the one with this hash, in constant time.
    static func matches(_ token: String, hash stored: String) -> Bool {
        equalInConstantTime(Array(hash(token).utf8), Array(stored.utf8))
    }

    /// The token of an `Authorization: Bearer` header.
    static func bearer(_ request: HTTPRequest) -> String? {
        guard let header = request.headers["authorization"] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 512
        else { return nil }
        return String(parts[1])
    }
}
