// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Our own declarations of the part of Security that this project calls, written from its public
// documentation. Nothing here runs: the bodies only satisfy the compiler. On Apple platforms the
// Core Foundation types bridge from Data and Dictionary; here they are the same types.
import Foundation

private func neverRun<T>() -> T { fatalError("declarations for the type checker") }

public typealias CFData = Data
public typealias CFString = String
public typealias CFDictionary = [String: Any]
public final class CFError {}

public final class SecKey {}

public struct SecKeyAlgorithm: Sendable {
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm()
}

public let kSecAttrKeyType: CFString = "type"
public let kSecAttrKeyTypeRSA: CFString = "rsa"
public let kSecAttrKeyClass: CFString = "class"
public let kSecAttrKeyClassPublic: CFString = "public"
public let kSecAttrKeyClassPrivate: CFString = "private"

public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { neverRun() }

public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { neverRun() }

public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { neverRun() }

public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool { neverRun() }

public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { neverRun() }
