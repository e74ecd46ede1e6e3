import PatchCrypto
import TUF

/// Makes signatures for one key: with a private key in memory, or by asking whoever holds it.
public struct TUFSigner: Sendable {
    /// The public key that the signatures are checked with.
    public let key: TUFKey
    private let makeSignature: @Sendable ([UInt8]) throws -> [UInt8]

    /// Signs with `signingKey`.
    public init(_ signingKey: SigningKey, scheme: SignatureScheme? = nil) {
        key = TUFKey(signingKey.publicKey, scheme: scheme)
        makeSignature = { try signingKey.sign($0, scheme: scheme) }
    }

    /// Signs as `key`, whose identifier may differ from the computed one, with `makeSignature`
    /// (a KMS, an agent).
    public init(key: TUFKey, _ makeSignature: @escaping @Sendable ([UInt8]) throws -> [UInt8]) {
        self.key = key
        self.makeSignature = makeSignature
    }

    /// A signature over `payload` that has been checked against ``key``.
    /// - Throws: ``TUFError`` `signing_failed`.
    public func sign(_ payload: [UInt8]) throws -> MetadataSignature {
        let bytes: [UInt8]
        do {
            bytes = try makeSignature(payload)
        } catch {
            throw TUFError(
                .signingFailed, "Key \(key.keyID.prefix(8)) could not sign: \(error)")
        }
        let signature = MetadataSignature(keyID: key.keyID, signature: bytes.hex)
        // A helper that signs with the wrong key would publish what no client accepts.
        guard key.isValidSignature(signature.signature, for: payload) else {
            throw TUFError(
                .signingFailed,
                "The signature made for key \(key.keyID.prefix(8)) does not verify with it; "
                    + "the private key belongs to another public key.")
        }
        return signature
    }
}

extension SignedMetadata {
    /// A document signed by `signers`.
    /// - Throws: ``TUFError`` `signing_failed`.
    public init(_ signed: Role, signers: [TUFSigner]) throws {
        self.init(signed)
        for signer in signers { try sign(with: signer) }
    }

    /// Adds (or renews) the signature of one signer.
    /// - Throws: ``TUFError`` `signing_failed`.
    public mutating func sign(with signer: TUFSigner) throws {
        add(try signer.sign(signedBytes))
    }
}
