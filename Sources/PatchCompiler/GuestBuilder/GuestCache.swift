import Foundation
import PatchCrypto

/// Compiled things by what they were compiled from. Entries are folders that never change once
/// they are there, so processes may share a cache; deleting it costs time only.
struct GuestCache: Sendable {
    /// Where the entries lie.
    var folder: URL
    /// Compiled sources kept.
    static let maximumObjects = 64
    /// Compiled runtimes kept: one for each toolchain, target and set of flags in use.
    static let maximumRuntimes = 8

    /// A key over all that decides an output, each part with its length so that parts cannot run
    /// into each other.
    struct Key {
        private var hash = SHA256.incremental()

        mutating func add(_ text: String) { add(Array(text.utf8)) }

        mutating func add(_ bytes: [UInt8]) {
            hash.update(Array("\(bytes.count):".utf8))
            hash.update(bytes)
        }

        /// 32 hex digits: half a SHA-256.
        var text: String { hash.finalize().prefix(16).hex }
    }

    /// The entry `kind-key`, made by `make` in a fresh folder when it is not there.
    ///
    /// Builds that want the same entry at the same time wait for the one that makes it.
    func entry(_ kind: String, _ key: Key, make: (URL) throws -> Void) throws -> URL {
        let place = folder.appendingPathComponent("\(kind)-\(key.text)")
        if isThere(place) { return place }
        // Sixteen locks for each kind, so that different entries rarely wait for each other.
        let lock = waitForLock("\(kind)-\(key.text.prefix(1))")
        defer { if lock >= 0 { close(lock) } }
        if isThere(place) { return place }
        let workshop = try makeWorkshop()
        defer { try? FileManager.default.removeItem(at: workshop) }
        try make(workshop)
        do {
            try FileManager.default.moveItem(at: workshop, to: place)
        } catch {
            // Another process made the same entry in the meantime.
            guard FileManager.default.fileExists(atPath: place.path) else {
                throw GuestBuildError.system(
                    "The cache folder \(folder.path) cannot be written: \(error).")
            }
        }
        return place
    }

    private func isThere(_ place: URL) -> Bool {
        guard FileManager.default.fileExists(atPath: place.path) else { return false }
        // Recently used is what stays when the cache is pruned.
        try? FileManager.default.setAttributes(
            [.modificationDate: Date()], ofItemAtPath: place.path)
        return true
    }

    /// A descriptor that holds the lock `name` until it is closed, by whatever end the process
    /// comes to; negative when there is no lock to be had, which costs double work only.
    private func waitForLock(_ name: String) -> Int32 {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("lock-\(name)").path
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return -1 }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return descriptor
    }

    /// A new folder to work in, on the same volume as the entries.
    func makeWorkshop() throws -> URL {
        let url = folder.appendingPathComponent("work-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw GuestBuildError.system(
                "The cache folder \(folder.path) cannot be written: \(error).")
        }
        return url
    }

    /// Removes the entries used least recently, and what crashed builds left behind.
    func prune() {
        let keys: [URLResourceKey] = [.contentModificationDateKey]
        guard
            let entries = try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: keys)
        else { return }
        func age(_ url: URL) -> Date {
            (try? url.resourceValues(forKeys: Set(keys)).contentModificationDate) ?? .distantPast
        }
        let yesterday = Date().addingTimeInterval(-86_400)
        for entry in entries
        where entry.lastPathComponent.hasPrefix("work-") && age(entry) < yesterday {
            try? FileManager.default.removeItem(at: entry)
        }
        for (kind, limit) in [
            ("object-", Self.maximumObjects), ("runtime-", Self.maximumRuntimes),
        ] {
            let ofKind = entries.filter { $0.lastPathComponent.hasPrefix(kind) }
                .map { (url: $0, age: age($0)) }.sorted { $0.age > $1.age }
            for entry in ofKind.dropFirst(limit) {
                try? FileManager.default.removeItem(at: entry.url)
            }
        }
    }
}
