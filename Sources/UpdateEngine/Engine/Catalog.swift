import Foundation
import PatchCrypto
import Rollout
import TUF

/// What verified metadata offers one device: the head and the releases that the build's role
/// lists.
struct Catalog: Sendable {
    /// Nil when nothing is published for this channel and build.
    var head: Head?
    /// What the server's ops key restricts on this channel; nil when it restricts nothing.
    var brake: Brake?
    /// Why nothing new may be taken: what is known verifies in everything but its expiry, or the
    /// brake cannot be read. It may then only restrict (updates.md §1).
    var restriction: UpdateError?
    /// When all this has to be looked at anew, in seconds since 1970.
    var expires = Double.infinity
    /// Stands for the keys that signed; sequences count under the same ones only.
    var signers = ""
    /// Releases by the digest of their payload.
    var releases: [String: Release] = [:]
    /// Where each payload is published, by its digest.
    var targets: [String: TargetFile] = [:]
    /// Published differences between payloads, by path.
    var deltas: [String: TargetFile] = [:]
    /// The app that root says it serves, if it says.
    var rootAppID: String?
    /// The lowest sequence that root allows.
    var rootFloor = 0

    /// Adds the releases among a role's targets; targets that describe none are left out, so that
    /// a newer kind of entry does not hide the ones we understand.
    mutating func add(_ files: [TargetFile], kind: any PayloadKind) {
        for file in files {
            if file.path.hasPrefix("deltas/") { deltas[file.path] = file }
            guard let custom = file.custom, let release = try? Self.release(custom),
                release.kind == kind.name, kind.lists(file.path),
                Hex.decode(release.raw.sha256)?.count == 32
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
        let head: Head = try statement(bytes, .headMalformed)
        guard head.v == 1 else { throw UpdateError(.headMalformed, "version \(head.v)") }
        return head
    }

    /// Reads a brake.
    /// - Throws: ``UpdateError`` `brake_malformed`.
    static func brake(_ bytes: [UInt8]) throws -> Brake {
        let brake: Brake = try statement(bytes, .brakeMalformed)
        guard brake.v == 1 else { throw UpdateError(.brakeMalformed, "version \(brake.v)") }
        return brake
    }

    /// Read strictly first: `JSONDecoder` takes duplicate members and deep nesting as it pleases.
    private static func statement<Statement: Decodable>(
        _ bytes: [UInt8], _ reason: Reason
    ) throws -> Statement {
        do {
            let json = try JSONValue(parsing: bytes)
            return try JSONDecoder().decode(Statement.self, from: Data(json.encoded()))
        } catch let error as TUFError {
            throw UpdateError(reason, error.message)
        } catch {
            throw UpdateError(reason, describe(error))
        }
    }

    /// The place of a decoding error, without Foundation's own prose.
    private static func describe(_ error: any Error) -> String {
        func place(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            let path = context.codingPath + [key].compactMap { $0 }
            return path.isEmpty
                ? "the document" : "'\(path.map(\.stringValue).joined(separator: "."))'"
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): return "\(place(context, key)) is missing"
        case .typeMismatch(_, let context): return "\(place(context)) has the wrong type"
        case .valueNotFound(_, let context): return "\(place(context)) has no value"
        case .dataCorrupted(let context): return "\(place(context)) cannot be read"
        default: return "it cannot be read"
        }
    }
}
