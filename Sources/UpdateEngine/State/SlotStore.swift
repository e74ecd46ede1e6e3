import PatchCrypto
import PatchPlatform
import Rollout

/// Payloads on disk, named by their digest. Bytes are hashed again at every load: a file that was
/// changed is never run.
struct SlotStore: Sendable {
    static let folder = "slots"

    let files: any FileStore

    private func name(_ digest: String) -> String { "\(Self.folder)/\(digest)" }

    /// The payload of a slot.
    /// - Throws: ``UpdateError`` `slot_missing` or `slot_damaged`.
    func load(_ slot: Slot) throws -> [UInt8] {
        let bytes: [UInt8]?
        do {
            bytes = try files.read(name(slot.digest), maximumSize: slot.size)
        } catch let error as FileError where error.reason == .tooLarge {
            throw UpdateError(.slotDamaged, "larger than \(slot.size) bytes")
        } catch {
            throw UpdateError.state(error)
        }
        guard let bytes else { throw UpdateError(.slotMissing, slot.digest) }
        guard bytes.count == slot.size, SHA256.hash(bytes).hex == slot.digest else {
            throw UpdateError(.slotDamaged, slot.digest)
        }
        return bytes
    }

    /// Hashes the payload of a slot piece by piece, for those that read it from its file.
    /// - Returns: the file's name in the state folder.
    /// - Throws: ``UpdateError`` `slot_missing` or `slot_damaged`.
    func check(_ slot: Slot) throws -> String {
        let name = name(slot.digest)
        do {
            guard let reader = try files.openForReading(name) else {
                throw UpdateError(.slotMissing, slot.digest)
            }
            var hash = SHA256.incremental()
            var size = 0
            while size <= slot.size {
                let piece = try reader.read(upTo: 256 << 10)
                if piece.isEmpty { break }
                hash.update(piece)
                size += piece.count
            }
            guard size == slot.size, hash.finalize().hex == slot.digest else {
                throw UpdateError(.slotDamaged, slot.digest)
            }
            return name
        } catch {
            throw UpdateError.state(error)
        }
    }

    /// The payload with a digest, if it is here and whole.
    func load(digest: String, maximumSize: Int) -> [UInt8]? {
        guard let bytes = try? files.read(name(digest), maximumSize: maximumSize),
            SHA256.hash(bytes).hex == digest
        else { return nil }
        return bytes
    }

    /// Keeps a payload whose digest has been checked.
    func store(_ payload: [UInt8], digest: String) throws {
        do {
            try files.writeVerifiable(payload, to: name(digest))
        } catch {
            throw UpdateError.state(error)
        }
    }

    /// Removes every payload that is not in use. A failure only costs disk space.
    func prune(keeping digests: Set<String>) {
        for file in (try? files.list(Self.folder)) ?? [] where !digests.contains(file) {
            try? files.remove(name(file))
        }
    }
}
