// Apple: CryptoKit for hashes and curves, Security for RSA. Thin on purpose: everything that can be
// decided without the frameworks is portable and tested on Linux. The Linux twin is
// Backend+OpenSSL.swift.
#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// A hash in progress; CryptoKit's hashers are values already.
    struct HashState: Sendable {
        private enum Hasher: Sendable {
            case sha256(CryptoKit.SHA256)
            case sha384(CryptoKit.SHA384)
            case sha512(CryptoKit.SHA512)
        }

        private var hasher: Hasher

        init(_ algorithm: HashAlgorithm) {
            switch algorithm {
            case .sha256: hasher = .sha256(CryptoKit.SHA256())
            case .sha384: hasher = .sha384(CryptoKit.SHA384())
            case .sha512: hasher = .sha512(CryptoKit.SHA512())
            }
        }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            switch hasher {
            case .sha256(var state):
                state.update(bufferPointer: bytes)
                hasher = .sha256(state)
            case .sha384(var state):
                state.update(bufferPointer: bytes)
                hasher = .sha384(state)
            case .sha512(var state):
                state.update(bufferPointer: bytes)
                hasher = .sha512(state)
            }
        }

        func digest() -> [UInt8] {
            switch hasher {
            case .sha256(let state): Array(state.finalize())
            case .sha384(let state): Array(state.finalize())
            case .sha512(let state): Array(state.finalize())
            }
        }
    }

    enum Backend {
        static func failure(_ what: String) -> CryptoError {
            CryptoError(
                .backendFailure,
                "The system could not \(what): the key may be damaged or out of range.")
        }

        static func generate(_ kind: KeyKind) throws -> [UInt8] {
            switch kind {
            case .ed25519: Array(Curve25519.Signing.PrivateKey().rawRepresentation)
            case .p256: Array(P256.Signing.PrivateKey().rawRepresentation)
            case .p384: Array(P384.Signing.PrivateKey().rawRepresentation)
            case .rsa: throw failure("make a key")
            }
        }

        static func publicKey(_ kind: KeyKind, secret: [UInt8]) throws -> [UInt8] {
            do {
                switch kind {
                case .ed25519:
                    let key = try Curve25519.Signing.PrivateKey(rawRepresentation: secret)
                    return Array(key.publicKey.rawRepresentation)
                case .p256:
                    let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
                    return Array(key.publicKey.x963Representation)
                case .p384:
                    let key = try P384.Signing.PrivateKey(rawRepresentation: secret)
                    return Array(key.publicKey.x963Representation)
                case .rsa:
                    return try RSABackend.publicKey(secret)
                }
            } catch let error as CryptoError {
                throw error
            } catch {
                throw failure("read the key")
            }
        }

        static func verify(
            _ signature: [UInt8], _ message: [UInt8], key: VerifyingKey, scheme: SignatureScheme
        ) -> Bool {
            let raw = key.rawRepresentation
            // CryptoKit hashes by the curve: SHA-256 for P-256, SHA-384 for P-384.
            switch key.kind {
            case .ed25519:
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
                return key?.isValidSignature(signature, for: message) ?? false
            case .p256:
                guard let key = try? P256.Signing.PublicKey(x963Representation: raw),
                    let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature)
                else { return false }
                return key.isValidSignature(parsed, for: message)
            case .p384:
                guard let key = try? P384.Signing.PublicKey(x963Representation: raw),
                    let parsed = try? P384.Signing.ECDSASignature(derRepresentation: signature)
                else { return false }
                return key.isValidSignature(parsed, for: message)
            case .rsa:
                return RSABackend.verify(signature, message, publicKey: raw, scheme: scheme)
            }
        }

        static func sign(
            _ message: [UInt8], key: SigningKey, scheme: SignatureScheme
        ) throws -> [UInt8] {
            do {
                switch key.kind {
                case .ed25519:
                    let key = try Curve25519.Signing.PrivateKey(rawRepresentation: key.secret)
                    return Array(try key.signature(for: message))
                case .p256:
                    let key = try P256.Signing.PrivateKey(rawRepresentation: key.secret)
                    return Array(try key.signature(for: message).derRepresentation)
                case .p384:
                    let key = try P384.Signing.PrivateKey(rawRepresentation: key.secret)
                    return Array(try key.signature(for: message).derRepresentation)
                case .rsa:
                    return try RSABackend.sign(message, privateKey: key.secret, scheme: scheme)
                }
            } catch let error as CryptoError {
                throw error
            } catch {
                throw failure("sign")
            }
        }
    }
#endif
