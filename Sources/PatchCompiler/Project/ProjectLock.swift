import Foundation
import ModuleABI

/// `openpatch.lock.json`: which gate each routed function has. Committed, so that every machine
/// builds the same app.
struct ProjectLock: Equatable {
    static let fileName = "openpatch.lock.json"
    /// Gates in `CPatchGate` (`PATCH_GATE_COUNT`).
    static let gateCount = 65_536

    struct Entry: Codable, Equatable {
        var id: String
        var gate: Int
        /// For people who read a diff.
        var name: String
    }

    private struct Document: Codable {
        var v: Int
        var functions: [Entry]
    }

    /// Sorted by gate.
    private(set) var entries: [Entry] = []

    init() {}

    /// Reads the file of a project's folder; an absent one is empty.
    /// - Throws: ``PatchProjectError`` `lock_invalid`.
    init(folder: URL) throws {
        let file = folder.appendingPathComponent(Self.fileName)
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        do {
            let document = try JSONDecoder().decode(
                Document.self, from: try Data(contentsOf: file))
            guard document.v == 1 else { throw Self.invalid("its version is \(document.v)") }
            for entry in document.functions {
                guard DeclarationID.parse(entry.id) != nil,
                    (0..<Self.gateCount).contains(entry.gate)
                else { throw Self.invalid("the entry '\(entry.id)' is malformed") }
            }
            entries = document.functions
        } catch let error as PatchProjectError {
            throw error
        } catch is DecodingError {
            throw Self.invalid("it is not what patchcli writes")
        } catch {
            throw Self.invalid(error.localizedDescription)
        }
    }

    private static func invalid(_ why: String) -> PatchProjectError {
        PatchProjectError(
            .lockInvalid,
            "the file cannot be read: \(why). Restore it from version control, or delete it and "
                + "run `patchcli prepare` again; that is safe until a build is registered",
            at: [SourcePlace(file: fileName, line: 0)])
    }

    /// Gives every routed function and view a gate.
    /// - Throws: ``PatchProjectError`` `too_many_functions`.
    mutating func allot(_ scan: FunctionScanner.Scan) throws {
        try allot(
            scan.functions.map { ($0.id, "\($0.module).\($0.displayName)") }
                + scan.views.map { ($0.id, "\($0.module).\($0.displayName)") })
    }

    /// Gives every function a gate. One that has a gate keeps it, and so do functions that are
    /// gone: they may come back with a merge.
    /// - Throws: ``PatchProjectError`` `too_many_functions`.
    mutating func allot(_ functions: [(id: UInt64, name: String)]) throws {
        var kept: [Entry] = []
        var usedGates = Set<Int>()
        var usedIDs = Set<String>()
        // A merge of two branches may leave one gate to two functions: the smaller id keeps it.
        for entry in entries.sorted(by: { $0.id < $1.id })
        where !usedGates.contains(entry.gate) && usedIDs.insert(entry.id).inserted {
            usedGates.insert(entry.gate)
            kept.append(entry)
        }
        let wanted = functions.map { (id: DeclarationID.hex16($0.id), name: $0.name) }
            .sorted { $0.id < $1.id }
        let missing = wanted.filter { !usedIDs.contains($0.id) }
        if kept.count + missing.count > Self.gateCount {
            let present = Set(wanted.map(\.id))
            kept.removeAll { !present.contains($0.id) }
            usedGates = Set(kept.map(\.gate))
        }
        guard kept.count + missing.count <= Self.gateCount else {
            throw PatchProjectError(
                .tooManyFunctions,
                "the app has \(wanted.count) routed functions and there are \(Self.gateCount) "
                    + "gates; take modules out of 'sources'")
        }
        let names = Dictionary(wanted.map { ($0.id, $0.name) }) { first, _ in first }
        var next = 0
        for function in missing {
            while usedGates.contains(next) { next += 1 }
            usedGates.insert(next)
            kept.append(Entry(id: function.id, gate: next, name: function.name))
        }
        entries = kept.map {
            Entry(id: $0.id, gate: $0.gate, name: names[$0.id] ?? $0.name)
        }.sorted { $0.gate < $1.gate }
    }

    var gates: [UInt64: Int] {
        Dictionary(
            entries.compactMap { entry in
                DeclarationID.parse(entry.id).map { ($0, entry.gate) }
            }
        ) { first, _ in first }
    }

    /// The file's bytes: one function a line, so that merges seldom conflict.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try entries.map {
            "    " + String(decoding: try encoder.encode($0), as: UTF8.self)
        }
        let list = lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n  ]"
        return Array("{\n  \"v\": 1,\n  \"functions\": \(list)\n}\n".utf8)
    }
}
