import Foundation
import PatchCrypto

/// When a bundle must carry an integrity string.
public enum IntegrityPolicy: String, Sendable, CaseIterable {
    /// It must be there and be right.
    case strict
    /// It may be missing; when it is there it must be right.
    case optional
    /// It is not looked at, unless a signature is demanded: that always forces the check, since
    /// it is the integrity string that is signed.
    case none
}

/// A digest over a whole `.wvb` file, written `sha256:<base64>`.
public struct Integrity: Sendable, Equatable, CustomStringConvertible {
    /// The hash function.
    public let algorithm: HashAlgorithm
    /// The digest.
    public let digest: [UInt8]

    /// The integrity of `bytes`.
    public init(of bytes: [UInt8], _ algorithm: HashAlgorithm = .sha256) {
        self.algorithm = algorithm
        digest = algorithm.hash(bytes)
    }

    /// The integrity of a file, read piece by piece.
    /// - Throws: what Foundation throws for a file that cannot be read.
    public init(ofFile path: String, _ algorithm: HashAlgorithm = .sha256) throws {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        var hash = IncrementalHash(algorithm)
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
            hash.update(piece)
        }
        self.algorithm = algorithm
        digest = hash.finalize()
    }

    /// Reads `<sha256|sha384|sha512>:<base64>`.
    /// - Throws: ``Error/Core(message:)`` `integrity_malformed`.
    public init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let algorithm = HashAlgorithm(rawValue: String(parts[0])),
            let digest = Data(base64Encoded: String(parts[1])),
            digest.count == algorithm.digestSize,
            // One digest has one text: what is signed and what is compared is the text itself.
            digest.base64EncodedString() == parts[1]
        else {
            throw FailureCode.integrityMalformed.core(
                "'\(text.printable)' is not an integrity string such as sha256:<base64>.")
        }
        self.algorithm = algorithm
        self.digest = [UInt8](digest)
    }

    init(_ algorithm: HashAlgorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }

    /// The text form, whose UTF-8 bytes a signature covers.
    public var description: String {
        "\(algorithm.rawValue):\(Data(digest).base64EncodedString())"
    }
}

/// Decides whether a bundle's bytes are the ones that its publisher meant.
struct BundleVerifier: Sendable {
    let policy: IntegrityPolicy
    let signature: SignatureVerifier?

    /// Whether the digest has to be computed at all, given what the publisher stated.
    func needsDigest(stated: String?) -> Bool {
        signature != nil || policy == .strict || (policy == .optional && stated != nil)
    }

    /// The hash to run over the bytes while they arrive; nil when none is needed.
    /// - Throws: ``Error``, when the statement alone already fails.
    func algorithm(statedIntegrity: String?, statedSignature: String?) throws -> HashAlgorithm? {
        guard needsDigest(stated: statedIntegrity) else { return nil }
        guard let text = statedIntegrity else {
            throw FailureCode.integrityMissing.core(
                "The bundle comes without an integrity string, which this app demands.")
        }
        let integrity = try Integrity(text)
        // A signature over the text is worth checking before megabytes are fetched.
        try signature?.verify(statedSignature, overIntegrity: text)
        return integrity.algorithm
    }

    /// Checks the digest of all bytes against what was stated.
    /// - Parameter digest: computed with the hash that ``algorithm(statedIntegrity:statedSignature:)``
    ///   named.
    /// - Throws: ``Error``.
    func check(digest: [UInt8], statedIntegrity: String?, statedSignature: String?) throws {
        guard needsDigest(stated: statedIntegrity) else { return }
        guard let text = statedIntegrity else {
            throw FailureCode.integrityMissing.core(
                "The bundle comes without an integrity string, which this app demands.")
        }
        let stated = try Integrity(text)
        guard equalInConstantTime(stated.digest, digest) else {
            throw FailureCode.integrityMismatch.core(
                "The bundle's bytes are not those that its integrity string names.")
        }
        try signature?.verify(statedSignature, overIntegrity: text)
    }

    /// Checks bytes that are in memory.
    func check(_ bytes: [UInt8], statedIntegrity: String?, statedSignature: String?) throws {
        let algorithm = try algorithm(
            statedIntegrity: statedIntegrity, statedSignature: statedSignature)
        try check(
            digest: algorithm?.hash(bytes) ?? [], statedIntegrity: statedIntegrity,
            statedSignature: statedSignature)
    }
}
