import Foundation
import PatchCrypto
import Rollout
import TUF

/// What verified metadata offers one device: the head and the releases that the build's role
/// lists.
struct Catalog: Sendable {
    /// Nil when nothing is published for this channel and build.
    var head: Head?
    /// Releases by the digest of their payload.
    var releases: [String: Release] = [:]
    /// Where each payload is published, by its digest.
    var targets: [String: TargetFile] = [:]
    /// The app that root says it serves, if it says.
    var rootAppID: String?
    /// The lowest sequence that root allows.
    var rootFloor = 0

    /// Adds the releases among a role's targets; targets that describe none are left out, so that
    /// a newer kind of entry does not hide the ones we understand.
    mutating func add(_ files: [TargetFile], kind: String) {
        for file in files {
            guard let custom = file.custom, let release = try? Self.release(custom),
                release.kind == kind, Hex.decode(release.raw.sha256)?.count == 32
            else { continue }
            releases[release.raw.sha256] = release
            targets[release.raw.sha256] = file
        }
    }

    private static func release(_ custom: [String: JSONValue]) throws -> Release {
        let bytes = CanonicalJSON.encode(.object(custom))
        return try JSONDecoder().decode(Release.self, from: Data(bytes))
    }

    /// Reads a head.
    /// - Throws: ``UpdateError`` `head_malformed`.
    static func head(_ bytes: [UInt8]) throws -> Head {
        do {
            let head = try JSONDecoder().decode(Head.self, from: Data(bytes))
            guard head.v == 1 else { throw UpdateError(.headMalformed, "version \(head.v)") }
            return head
        } catch let error as UpdateError {
            throw error
        } catch {
            throw UpdateError(.headMalformed, "\(error)")
        }
    }
}
