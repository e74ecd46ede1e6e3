import PatchCrypto
import Rollout
import TUF

/// What verified metadata offers one device: the head and the releases that the build's role
/// lists. A class, because it is large and handed around.
final class Catalog: Sendable {
    /// What a build's role lists.
    struct Listing: Sendable {
        /// Releases by the digest of their payload.
        private(set) var releases: [String: Release] = [:]
        /// Where each payload is published, by its digest.
        private(set) var targets: [String: TargetFile] = [:]
        /// Published differences between payloads, by path.
        private(set) var deltas: [String: TargetFile] = [:]

        /// Adds the releases among a role's targets; targets that describe none are left out, so
        /// that a newer kind of entry does not hide the ones we understand.
        mutating func add(_ files: [TargetFile], kind: any PayloadKind) {
            for file in files {
                if file.path.hasPrefix("deltas/") { deltas[file.path] = file }
                guard let custom = file.custom, let release = try? Release(json: .object(custom)),
                    release.kind == kind.name, kind.lists(file.path),
                    Hex.decode(release.raw.sha256)?.count == 32
                else { continue }
                releases[release.raw.sha256] = release
                targets[release.raw.sha256] = file
            }
        }
    }

    /// Nil when nothing is published for this channel and build.
    let head: Head?
    /// What the server's ops key restricts on this channel; nil when it restricts nothing.
    let brake: Brake?
    /// Why nothing new may be taken: what is known verifies in everything but its expiry, or the
    /// brake cannot be read. It may then only restrict (updates.md §1).
    let restriction: UpdateError?
    /// When all this has to be looked at anew, in seconds since 1970.
    let expires: Double
    /// Stands for the keys that signed; sequences count under the same ones only.
    let signers: String
    /// What the build's role lists.
    let listing: Listing
    /// The app that root says it serves, if it says.
    let rootAppID: String?
    /// The lowest sequence that root allows.
    let rootFloor: Int

    init(
        head: Head?, brake: Brake?, restriction: UpdateError?, expires: Double, signers: String,
        listing: Listing, rootAppID: String?, rootFloor: Int
    ) {
        self.head = head
        self.brake = brake
        self.restriction = restriction
        self.expires = expires
        self.signers = signers
        self.listing = listing
        self.rootAppID = rootAppID
        self.rootFloor = rootFloor
    }

    /// Reads a head.
    /// - Throws: ``UpdateError`` `head_malformed`.
    static func head(_ bytes: [UInt8]) throws -> Head {
        let head = try statement(bytes, .headMalformed) { try Head(json: $0) }
        guard head.v == 1 else { throw UpdateError(.headMalformed, "version \(head.v)") }
        return head
    }

    /// Reads a brake.
    /// - Throws: ``UpdateError`` `brake_malformed`.
    static func brake(_ bytes: [UInt8]) throws -> Brake {
        let brake = try statement(bytes, .brakeMalformed) { try Brake(json: $0) }
        guard brake.v == 1 else { throw UpdateError(.brakeMalformed, "version \(brake.v)") }
        return brake
    }

    private static func statement<Statement>(
        _ bytes: [UInt8], _ reason: Reason, _ read: (JSONValue) throws -> Statement
    ) throws -> Statement {
        do {
            return try read(try JSONValue(parsing: bytes))
        } catch let error as TUFError {
            throw UpdateError(reason, error.message)
        } catch {
            throw UpdateError(reason, "\(error)")
        }
    }
}
