import CommandLineKit
import Foundation
import PatchCompiler
import WebAssembly

/// The names and lines of a module that was released, kept when it was: what a device reports of a
/// trap are bytes of the module alone.
struct DebugFile {
    /// What a byte of a module came from.
    struct Place: Encodable, Equatable {
        let offset: Int
        let function: String?
        let file: String?
        let line: Int?

        /// `priceLabel(_:) at Sources/Shop/Prices.swift:12, byte 3456`.
        var description: String {
            let where_ = file.map { " at \($0):\(line ?? 0)," } ?? " at"
            return "\(function ?? "unnamed function")\(where_) byte \(offset)"
        }
    }

    /// Where they are kept in a project.
    static let folder = ".openpatch/debug"

    let path: String
    let sources: DebugSources
    let digest: String
    private let lines: LineTable?
    private let names: [Int: String]

    /// - Throws: ``CommandFailure`` when it cannot be read, or is none.
    init(path: String) throws {
        let file = try WasmFile(path: path)
        func section(_ name: String) -> [UInt8]? {
            file.module.customSections.first { $0.name == name }?.bytes
        }
        guard let text = section(DebugSources.sectionName),
            let sources = try? JSONDecoder().decode(DebugSources.self, from: Data(text)),
            let digest = section(GuestModule.debugSectionName)
        else {
            throw CommandFailure(
                "debug_malformed", "'\(path)' is no debug file of 'patchcli build' or 'release'",
                why: "It has no section '\(DebugSources.sectionName)'.", exit: .dataError)
        }
        self.path = path
        self.sources = sources
        self.digest = digest.map { String(format: "%02x", $0) }.joined()
        lines = LineTable(file.module.customSections)
        names = file.module.functionNames
    }

    /// Keeps a debug file under the digest of its module.
    static func keep(_ bytes: [UInt8], digest: String, in project: URL) throws {
        try ConfigurationFile.writeIfChanged(
            bytes, to: project.appendingPathComponent("\(folder)/\(digest).debug"))
    }

    /// The debug file of a release of a project; of the latest one when none is named.
    /// - Throws: ``CommandFailure`` `debug_missing`.
    static func find(release: String?, in project: URL) throws -> DebugFile {
        let place = project.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        let all = try names.filter { $0.hasSuffix(".debug") }.sorted()
            .map { try DebugFile(path: place.appendingPathComponent($0).path) }
            .filter { release == nil || $0.sources.release == release || $0.digest == release }
            .sorted { ($0.sources.sequence ?? 0) < ($1.sources.sequence ?? 0) }
        guard let found = all.last else {
            throw CommandFailure(
                "debug_missing",
                release.map { "There is no debug file of release \($0) here" }
                    ?? "There is no debug file here",
                why: "'patchcli release' keeps one for each release in \(folder), on the machine "
                    + "that it runs on.",
                fix: "patchcli symbolicate --debug FILE …", exit: .noInput)
        }
        return found
    }

    /// The places of bytes of the module.
    /// - Parameter frames: the offset of each, and the index of its function where that is known.
    func places(of frames: [(offset: Int, function: Int?)]) -> [Place] {
        let found = lines?.places(of: frames.map { $0.offset - sources.code_start }) ?? [:]
        return frames.map { frame in
            let place = found[frame.offset - sources.code_start]
            return Place(
                offset: frame.offset,
                function: frame.function.flatMap { names[$0] }.map(SwiftNames.readable),
                file: place.map { sources.files[$0.file] ?? $0.file }, line: place?.line)
        }
    }
}
