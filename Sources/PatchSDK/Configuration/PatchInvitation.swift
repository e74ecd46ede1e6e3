import Foundation

/// An invitation to a test: the tag that a signed rollout asks for and, if the sender wants to be
/// sure, the exact module that is tested.
///
/// Whoever sends it can make a device take only what the release key has signed for that tag.
struct PatchInvitation: Equatable, Sendable {
    /// The tag to carry.
    var tag: String
    /// SHA-256 of the module, 64 hex digits, or its first digits (at least 8).
    var digest: String?

    /// Reads a tag, or a link such as `myapp://join?tag=qa-17&digest=3fa9…`.
    /// - Throws: ``PatchError`` `invitation_malformed`.
    init(_ text: String) throws {
        guard text.utf8.count <= 2048 else {
            throw PatchError(.invitationMalformed, "\(text.utf8.count) bytes")
        }
        guard text.utf8.contains(UInt8(ascii: ":")) || text.utf8.contains(UInt8(ascii: "?")) else {
            self = try Self(tag: text, digest: nil)
            return
        }
        guard let parts = URLComponents(string: text), let items = parts.queryItems else {
            throw PatchError(.invitationMalformed, "it has no query")
        }
        func value(_ name: String) throws -> String? {
            let found = items.filter { $0.name == name }
            guard found.count <= 1 else {
                throw PatchError(.invitationMalformed, "it has \(found.count) times '\(name)'")
            }
            return found.first?.value
        }
        guard let tag = try value("tag") else {
            throw PatchError(.invitationMalformed, "it names no tag")
        }
        self = try Self(tag: tag, digest: try value("digest"))
    }

    private init(tag: String, digest: String?) throws {
        guard PlainName.isSound(tag) else {
            throw PatchError(.invitationMalformed, "a tag is 1 to 64 letters, digits and . - _")
        }
        let digest = digest?.lowercased()
        if let digest {
            let isHex = digest.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
            }
            guard isHex, (8...64).contains(digest.utf8.count) else {
                throw PatchError(.invitationMalformed, "a digest is 8 to 64 hex digits")
            }
        }
        self.tag = tag
        self.digest = digest
    }
}

/// Names that appear in paths and signed documents.
enum PlainName {
    static func isSound(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.utf8.starts(with: [UInt8(ascii: ".")])
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
            }
    }
}
