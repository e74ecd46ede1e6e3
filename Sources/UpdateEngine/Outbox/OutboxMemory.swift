import Foundation
import PatchPlatform

/// What the outbox remembers beside its events: who it is, and when the server may be asked again.
struct OutboxMemory: Sendable {
    /// How long to leave the server alone.
    struct Patience: Codable, Equatable {
        /// Not before this time, in seconds since 1970.
        var notBefore: Double
        /// How often in a row it failed.
        var failures: Int

        enum CodingKeys: String, CodingKey {
            case failures
            case notBefore = "not_before"
        }
    }

    private static let installName = "\(OutboxFile.folder)/install_id"
    private static let patienceName = "\(OutboxFile.folder)/patience.json"

    let files: any FileStore
    let random: any RandomSource

    /// The random id of this install, made when it is first asked for. It is not the id that rollouts
    /// draw by, and is gone with the app.
    /// - Throws: ``FileError``; an id that cannot be read is not replaced.
    func installID() throws -> String {
        if let known = try readInstallID() { return known }
        return try OutboxLock(files: files).run {
            if let known = try readInstallID() { return known }
            let id = random.uuid()
            try files.writeAtomically(Array(id.utf8), to: Self.installName)
            return id
        }
    }

    private func readInstallID() throws -> String? {
        guard let bytes = try files.read(Self.installName, maximumSize: 64) else { return nil }
        return UUID(uuidString: String(decoding: bytes, as: UTF8.self))?.uuidString.lowercased()
    }

    /// What was asked of us; nothing when it cannot be read, which costs the server one request.
    func patience() -> Patience {
        let bytes = (try? files.read(Self.patienceName, maximumSize: 1024)) ?? nil
        let known = bytes.flatMap { try? JSONDecoder().decode(Patience.self, from: Data($0)) }
        return known ?? Patience(notBefore: 0, failures: 0)
    }

    func keep(_ patience: Patience) throws {
        try files.writeVerifiable(
            [UInt8](try JSONEncoder().encode(patience)), to: Self.patienceName)
    }

    func forgetPatience() throws { try files.remove(Self.patienceName) }
}
