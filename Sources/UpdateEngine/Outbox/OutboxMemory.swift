import Foundation
import PatchPlatform
import TUF

/// What the outbox remembers beside its events: who it is, and when the server may be asked again.
struct OutboxMemory: Sendable {
    /// How long to leave the server alone.
    struct Patience: Equatable {
        /// Not before this time, in seconds since 1970.
        var notBefore: Double
        /// How often in a row it failed.
        var failures: Int
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
        return bytes.flatMap { try? Self.patience($0) } ?? Patience(notBefore: 0, failures: 0)
    }

    private static func patience(_ bytes: [UInt8]) throws -> Patience {
        let json = try JSONValue(parsing: bytes, limits: DocumentFields.limits(1024))
        let fields = try DocumentFields(json, "patience")
        return Patience(
            notBefore: try fields.seconds("not_before"), failures: try fields.integer("failures"))
    }

    func keep(_ patience: Patience) throws {
        let document: JSONValue = [
            "not_before": DocumentFields.seconds(patience.notBefore),
            "failures": .integer(Int64(patience.failures)),
        ]
        try files.writeVerifiable(document.encoded(), to: Self.patienceName)
    }

    func forgetPatience() throws { try files.remove(Self.patienceName) }
}
