// Linux: OpenSSL 3, keys through its EVP interface. The Apple twin is Backend+Apple.swift.
#if !canImport(CryptoKit) && canImport(COpenSSL)
    import COpenSSL

    /// A hash in progress: a plain value, so that a copy goes on by itself.
    struct HashState: Sendable {
        private enum Context: Sendable {
            case sha256(SHA256_CTX)
            case sha384(SHA512_CTX)
            case sha512(SHA512_CTX)
        }

        private var context: Context

        init(_ algorithm: HashAlgorithm) {
            switch algorithm {
            case .sha256:
                var state = SHA256_CTX()
                SHA256_Init(&state)
                context = .sha256(state)
            case .sha384:
                var state = SHA512_CTX()
                SHA384_Init(&state)
                context = .sha384(state)
            case .sha512:
                var state = SHA512_CTX()
                SHA512_Init(&state)
                context = .sha512(state)
            }
        }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            guard let base = bytes.baseAddress else { return }
            switch context {
            case .sha256(var state):
                SHA256_Update(&state, base, bytes.count)
                context = .sha256(state)
            case .sha384(var state):
                SHA384_Update(&state, base, bytes.count)
                context = .sha384(state)
            case .sha512(var state):
                SHA512_Update(&state, base, bytes.count)
                context = .sha512(state)
            }
        }

        func digest() -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: Int(SHA512_DIGEST_LENGTH))
            switch context {
            case .sha256(var state):
                SHA256_Final(&digest, &state)
                return Array(digest.prefix(Int(SHA256_DIGEST_LENGTH)))
            case .sha384(var state):
                SHA384_Final(&digest, &state)
                return Array(digest.prefix(Int(SHA384_DIGEST_LENGTH)))
            case .sha512(var state):
                SHA512_Final(&digest, &state)
                return digest
            }
        }
    }

    extension HashAlgorithm {
        var evp: OpaquePointer? {
            switch self {
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        }
    }

    /// An EVP_PKEY that frees itself.
    private final class PKey {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer?) throws {
            guard let pointer else { throw Backend.failure("read the key") }
            self.pointer = pointer
        }

        deinit { EVP_PKEY_free(pointer) }

        convenience init(_ key: VerifyingKey) throws {
            if key.kind == .ed25519 {
                // Straight from its bytes: reading DER costs OpenSSL 3 more than the signature.
                let raw = key.rawRepresentation
                try self.init(
                    EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, raw, raw.count))
                return
            }
            let der = key.derRepresentation
            try self.init(
                der.withUnsafeBufferPointer {
                    var start = $0.baseAddress
                    return d2i_PUBKEY(nil, &start, der.count)
                })
        }

        convenience init(_ kind: KeyKind, secret: [UInt8]) throws {
            let der =
                kind == .p256 || kind == .p384
                ? Self.withoutPublicKey(kind, secret)
                : KeyEncoding.encodePrivate(kind, secret, publicKey: [])
            try self.init(
                der.withUnsafeBufferPointer {
                    var start = $0.baseAddress
                    return d2i_AutoPrivateKey(nil, &start, der.count)
                })
        }

        /// ECPrivateKey without the public key: OpenSSL then computes it.
        private static func withoutPublicKey(_ kind: KeyKind, _ secret: [UInt8]) -> [UInt8] {
            let inner = DER.sequence(
                DER.write(DER.integer, [1]), DER.write(DER.octetString, secret))
            return DER.sequence(
                DER.write(DER.integer, [0]), KeyEncoding.algorithm(kind),
                DER.write(DER.octetString, inner))
        }
    }

    enum Backend {
        static func failure(_ what: String) -> CryptoError {
            // The queue is per thread; leaving our error in it would confuse a later caller.
            ERR_clear_error()
            return CryptoError(
                .backendFailure,
                "OpenSSL could not \(what): the key may be damaged or out of range.")
        }

        static func generate(_ kind: KeyKind) throws -> [UInt8] {
            guard let size = kind.scalarSize else { throw failure("make a key") }
            // Every 32-byte string is an Ed25519 seed; a curve's scalar must be below its order,
            // which fails once in 2^32 draws for P-256 and is then drawn again.
            for _ in 0..<8 {
                let secret = SecureRandom.bytes(size)
                if (try? publicKey(kind, secret: secret)) != nil { return secret }
            }
            throw failure("make a key")
        }

        static func publicKey(_ kind: KeyKind, secret: [UInt8]) throws -> [UInt8] {
            let key = try PKey(kind, secret: secret)
            var der: UnsafeMutablePointer<UInt8>?
            let size = i2d_PUBKEY(key.pointer, &der)
            guard size > 0, let der else { throw failure("derive the public key") }
            defer { CRYPTO_free(der, nil, 0) }
            let bytes = Array(UnsafeBufferPointer(start: der, count: Int(size)))
            let decoded = try KeyEncoding.decodePublic(bytes)
            guard decoded.kind == kind else { throw failure("derive the public key") }
            return decoded.key
        }

        static func verify(
            _ signature: [UInt8], _ message: [UInt8], key: VerifyingKey, scheme: SignatureScheme
        ) -> Bool {
            defer { ERR_clear_error() }
            guard let pkey = try? PKey(key), let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            var parameters: OpaquePointer?
            guard
                EVP_DigestVerifyInit(
                    context, &parameters, scheme.digest?.evp, nil, pkey.pointer) == 1,
                configure(parameters, scheme)
            else { return false }
            return EVP_DigestVerify(
                context, signature, signature.count, message, message.count) == 1
        }

        static func sign(
            _ message: [UInt8], key: SigningKey, scheme: SignatureScheme
        ) throws -> [UInt8] {
            let pkey = try PKey(key.kind, secret: key.secret)
            guard let context = EVP_MD_CTX_new() else { throw failure("sign") }
            defer { EVP_MD_CTX_free(context) }
            var parameters: OpaquePointer?
            var size = 0
            guard
                EVP_DigestSignInit(
                    context, &parameters, scheme.digest?.evp, nil, pkey.pointer) == 1,
                configure(parameters, scheme),
                EVP_DigestSign(context, nil, &size, message, message.count) == 1
            else { throw failure("sign") }
            var signature = [UInt8](repeating: 0, count: size)
            guard EVP_DigestSign(context, &signature, &size, message, message.count) == 1 else {
                throw failure("sign")
            }
            return Array(signature.prefix(size))
        }

        private static func configure(
            _ parameters: OpaquePointer?, _ scheme: SignatureScheme
        ) -> Bool {
            guard scheme.isPSS else { return true }
            // A salt as long as the digest is the one form that Apple's Security also accepts.
            return EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }
#endif
