import Foundation
import PatchCrypto
import Rollout
import RolloutGates
import TUF

/// Heads and brakes that were read, by digest: a look at an app reads only what is new.
struct DocumentCache {
    private static let most = 4_096

    private var heads: [String: Head] = [:]
    private var brakes: [String: Brake] = [:]

    /// The head in a target file.
    mutating func head(_ target: TargetFile, _ read: (TargetFile) throws -> [UInt8]) throws -> Head
    {
        try document(target, &heads, read)
    }

    /// The brake in a target file.
    mutating func brake(
        _ target: TargetFile, _ read: (TargetFile) throws -> [UInt8]
    ) throws -> Brake {
        try document(target, &brakes, read)
    }

    private func document<Document: Decodable>(
        _ target: TargetFile, _ known: inout [String: Document],
        _ read: (TargetFile) throws -> [UInt8]
    ) throws -> Document {
        guard let digest = target.sha256 else { throw TUFError.noDigest(target) }
        if let found = known[digest] { return found }
        let bytes = try read(target)
        // The folder may have been damaged since; what is decided here must rest on what was signed.
        try target.verify(bytes)
        let document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        if known.count >= Self.most { known.removeAll() }
        known[digest] = document
        return document
    }
}

extension TUFError {
    fileprivate static func noDigest(_ target: TargetFile) -> TUFError {
        TUFError(.metadataMalformed, "'\(target.path)' has no SHA-256.")
    }
}
