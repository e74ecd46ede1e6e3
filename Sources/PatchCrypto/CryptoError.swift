/// Why a key could not be read, made or used.
public struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, stable over releases.
    public enum Code: String, Sendable {
        /// The text is not a PEM block, or its base64 is broken.
        case badPEM = "bad_pem"
        /// The bytes are not the DER structure that was expected.
        case badDER = "bad_der"
        /// The key is of a type or size that this library does not use.
        case unsupportedKey = "unsupported_key"
        /// The key file is encrypted.
        case encryptedKey = "encrypted_key"
        /// The scheme does not go with the key.
        case schemeMismatch = "scheme_mismatch"
        /// The system's cryptographic library refused.
        case backendFailure = "crypto_backend_failure"
    }

    /// The kind of failure.
    public let kind: Code
    /// One sentence: what happened and what to do about it.
    public let message: String

    init(_ kind: Code, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The stable code, for logs and programs.
    public var code: String { kind.rawValue }
    /// For people: the sentence and the code.
    public var description: String { "\(message) [\(code)]" }
}
