// Apple: RSA through Security, which takes keys as PKCS #1, the form that we keep them in.
#if canImport(Security) && canImport(CryptoKit)
    import Foundation
    import Security

    enum RSABackend {
        static func publicKey(_ privateKey: [UInt8]) throws -> [UInt8] {
            guard let key = key(privateKey, kSecAttrKeyClassPrivate),
                let publicKey = SecKeyCopyPublicKey(key),
                let bytes = SecKeyCopyExternalRepresentation(publicKey, nil)
            else { throw Backend.failure("read the key") }
            return Array(bytes as Data)
        }

        static func verify(
            _ signature: [UInt8], _ message: [UInt8], publicKey: [UInt8], scheme: SignatureScheme
        ) -> Bool {
            guard let algorithm = algorithm(scheme),
                let key = key(publicKey, kSecAttrKeyClassPublic)
            else { return false }
            return SecKeyVerifySignature(
                key, algorithm, Data(message) as CFData, Data(signature) as CFData, nil)
        }

        static func sign(
            _ message: [UInt8], privateKey: [UInt8], scheme: SignatureScheme
        ) throws -> [UInt8] {
            guard let algorithm = algorithm(scheme),
                let key = key(privateKey, kSecAttrKeyClassPrivate),
                let signature = SecKeyCreateSignature(
                    key, algorithm, Data(message) as CFData, nil)
            else { throw Backend.failure("sign") }
            return Array(signature as Data)
        }

        private static func key(_ pkcs1: [UInt8], _ keyClass: CFString) -> SecKey? {
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: keyClass,
            ]
            return SecKeyCreateWithData(Data(pkcs1) as CFData, attributes as CFDictionary, nil)
        }

        private static func algorithm(_ scheme: SignatureScheme) -> SecKeyAlgorithm? {
            switch scheme {
            case .rsaPSSSHA256: .rsaSignatureMessagePSSSHA256
            case .rsaPSSSHA384: .rsaSignatureMessagePSSSHA384
            case .rsaPSSSHA512: .rsaSignatureMessagePSSSHA512
            case .rsaPKCS1v15SHA256: .rsaSignatureMessagePKCS1v15SHA256
            case .rsaPKCS1v15SHA384: .rsaSignatureMessagePKCS1v15SHA384
            case .rsaPKCS1v15SHA512: .rsaSignatureMessagePKCS1v15SHA512
            case .ed25519, .ecdsaP256SHA256, .ecdsaP384SHA384: nil
            }
        }
    }
#endif
