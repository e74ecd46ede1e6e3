import Foundation
import PatchCompression
import PatchPlatform

/// Puts a set of files in their places so that a crash leaves either the state before or, after
/// the next start, the state after.
///
/// The files are laid beside the tree first; then a journal of renames is written, which is the
/// point of no return; then the renames are done, targets first and the timestamp last. A start
/// finds the journal and does the rest (decision record 0071).
struct Publication {
    /// The journal.
    struct Journal: Codable, Equatable {
        struct Move: Codable, Equatable {
            let from: String
            let to: String
        }
        var v = 1
        var targets: [Move] = []
        var metadata: [Move] = []
        var timestamp: [Move] = []
    }

    /// A metadata file.
    struct File: Sendable {
        let name: String
        let bytes: [UInt8]

        /// A root may take away keys that the old targets were signed with, so it comes as late as
        /// possible; nothing but the timestamp comes after it.
        var order: Int {
            if name == "timestamp.json" { return 2 }
            return name.hasSuffix(".root.json") ? 1 : 0
        }

        private static let leastPacked = 1_024
        // A publisher waits for it, and metadata is mostly digests: more effort gains little.
        private static let quality = 6

        /// The same, compressed for clients that take brotli; nil where that is not worth a file, and
        /// for files that change under one name, whose copies could be of different times.
        func packed() throws -> [UInt8]? {
            guard bytes.count >= Self.leastPacked, name.first?.isNumber == true else { return nil }
            let packed = try Brotli.compress(bytes, quality: Self.quality)
            return packed.count < bytes.count / 10 * 9 ? packed : nil
        }
    }

    let files: LocalFileStore
    let app: String
    let checkpoint: @Sendable (PublishStep) throws -> Void

    private var pending: String { "\(app)/pending" }
    private var journalName: String { "\(app)/pending/journal.json" }

    /// Publishes.
    /// - Parameter targets: file with the bytes, and where it goes below `tree/targets/`.
    func run(
        targets: [(file: String, place: String)], metadata: [File]
    ) throws {
        try files.remove(pending)
        var journal = Journal()
        for (index, target) in targets.enumerated() {
            let staged = "\(pending)/t\(index)"
            try files.move(target.file, to: staged)
            journal.targets.append(.init(from: staged, to: "\(app)/tree/targets/\(target.place)"))
        }
        for file in metadata.sorted(by: { $0.order < $1.order }) {
            let staged = "\(pending)/\(file.name)"
            try files.writeAtomically(file.bytes, to: staged)
            let move = Journal.Move(from: staged, to: "\(app)/tree/metadata/\(file.name)")
            if file.name == "timestamp.json" {
                journal.timestamp.append(move)
            } else {
                journal.metadata.append(move)
            }
            if let packed = try file.packed() {
                let staged = "\(pending)/br-\(file.name)"
                try files.writeAtomically(packed, to: staged)
                // Nobody may see a root before its turn, compressed or not.
                journal.metadata.append(
                    .init(from: staged, to: "\(app)/tree-br/metadata/\(file.name)"))
            }
        }
        try checkpoint(.staged)
        try files.writeAtomically(JSONText.encode(journal), to: journalName)
        try checkpoint(.committed)
        try finish(journal)
    }

    /// Does what a committed journal says, or throws away what was not committed.
    /// - Returns: Whether there was a journal.
    @discardableResult
    func recover() throws -> Bool {
        guard let bytes = try files.read(journalName, maximumSize: 1 << 20) else {
            try files.remove(pending)
            return false
        }
        try finish(try JSONDecoder().decode(Journal.self, from: Data(bytes)))
        return true
    }

    private func finish(_ journal: Journal) throws {
        try journal.targets.forEach(move)
        try checkpoint(.targetsPlaced)
        try journal.metadata.forEach(move)
        try checkpoint(.metadataPlaced)
        try journal.timestamp.forEach(move)
        try checkpoint(.timestampPlaced)
        try files.remove(journalName)
        try files.remove(pending)
    }

    private func move(_ move: Journal.Move) throws {
        // Done already, before the crash that this run recovers from.
        guard try files.size(of: move.from) != nil else { return }
        try files.move(move.from, to: move.to)
    }
}
