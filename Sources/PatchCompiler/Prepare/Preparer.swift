import Foundation

/// What `prepare` or `unprepare` did.
public struct PrepareReport: Sendable, Equatable {
    /// A routed function.
    public struct Routed: Sendable, Equatable {
        /// Its id, 16 hex digits.
        public var id: String
        /// As in `Cart.total(of:)`.
        public var name: String
        /// Its gate.
        public var gate: Int
        /// Where it is declared.
        public var place: SourcePlace
    }

    /// All routed functions, by place; empty after `unprepare`.
    public var routed: [Routed] = []
    /// What stays native, and why.
    public var native: [Refusal] = []
    /// Paths of files whose bytes changed, were added or removed.
    public var changedFiles: [String] = []
}

/// Routes functions through gates and takes that back (formats.md, "Routing").
///
/// Only text is inserted, on lines that exist: the lines of the developer's code never move.
public struct Preparer: Sendable {
    private let folder: URL
    private let configuration: ProjectConfiguration

    /// Works on the project in `folder`.
    public init(folder: URL, configuration: ProjectConfiguration) {
        self.folder = folder
        self.configuration = configuration
    }

    /// Routes every function that can be; what was routed before is done anew.
    /// - Throws: ``PatchProjectError``; no file has been touched then, unless writing failed.
    public func prepare() throws -> PrepareReport {
        let tree = try SourceTree(folder: folder, configuration: configuration)
        try tree.checkSyntax()
        let scan = FunctionScanner.scan(tree)
        var lock = try ProjectLock(folder: folder)
        try lock.allot(scan)
        let gates = lock.gates

        let generated = GeneratedFiles(tree, scan, gates: gates)
        var wanted: [String: [UInt8]] = [:]
        for (number, file) in tree.files.enumerated() {
            let functions = scan.functions.filter { $0.place.file == file.path }
            wanted[file.path] = Self.marked(
                file, functions, views: scan.views.filter { $0.place.file == file.path },
                block: generated.block(ofFile: number))
            if let text = generated.helpers(ofFile: number) {
                wanted[GeneratedFiles.helperPath(for: file.path)] = Array(text.utf8)
            }
        }
        wanted.merge(generated.tables(configuration).mapValues { Array($0.utf8) }) { $1 }
        let surface = Surface(
            configuration: configuration, functions: scan.functions, natives: scan.natives,
            views: scan.views)
        wanted[surfacePath] = Array(generated.surface(hash: surface.hash).utf8)
        wanted[ProjectLock.fileName] = try lock.encoded()

        var report = PrepareReport()
        report.changedFiles = try write(wanted)
        report.native = scan.refusals
        report.routed = scan.functions.map {
            PrepareReport.Routed(
                id: $0.hexID, name: $0.displayName, gate: gates[$0.id] ?? 0, place: $0.place)
        }
        report.routed += scan.views.map {
            PrepareReport.Routed(
                id: $0.hexID, name: $0.displayName, gate: gates[$0.id] ?? 0, place: $0.place)
        }
        return report
    }

    /// Restores every file byte for byte and removes the generated ones. The lock file stays: it
    /// is committed.
    /// - Throws: ``PatchProjectError``.
    public func unprepare() throws -> PrepareReport {
        let tree = try SourceTree(folder: folder, configuration: configuration)
        var wanted: [String: [UInt8]] = [:]
        for file in tree.files { wanted[file.path] = file.bytes }
        var report = PrepareReport()
        report.changedFiles = try write(wanted)
        return report
    }

    /// The text of a file with gates in it.
    static func marked(
        _ file: SourceFile, _ functions: [RoutableFunction], views: [RoutableView] = [],
        block: String? = nil
    ) -> [UInt8] {
        var insertions: [(offset: Int, order: Int, text: String)] = []
        for function in functions {
            insertions.append((function.gateOffset, 0, GateCode.gate(function)))
            if let offset = function.returnOffset {
                insertions.append((offset, 1, GateCode.explicitReturn(function)))
            }
        }
        for view in views {
            insertions.append((view.openOffset, 0, ViewGateCode.open(view)))
            insertions.append((view.closeOffset, 1, ViewGateCode.close(view)))
        }
        insertions.sort { ($0.offset, $0.order) < ($1.offset, $1.order) }
        var text: [UInt8] = []
        var position = 0
        for insertion in insertions {
            text += file.bytes[position..<insertion.offset]
            text += Array(insertion.text.utf8)
            position = insertion.offset
        }
        text += file.bytes[position...]
        if let block { text += Array(Marks.block(block, after: file.bytes).utf8) }
        return text
    }

    private var surfacePath: String {
        (configuration.sources.first?.path ?? ".") + "/" + GeneratedFiles.surfaceFileName
    }

    /// Brings the project to `wanted`: writes what differs and removes generated files that are
    /// not in it.
    private func write(_ wanted: [String: [UInt8]]) throws -> [String] {
        var obsolete: [String] = []
        for target in configuration.sources {
            for path in try SourceTree.swiftFiles(in: folder, at: target.path) {
                let stored = try SourceTree.read(folder.appendingPathComponent(path), path)
                let isGenerated = Marks.isGenerated(stored)
                if isGenerated, wanted[path] == nil { obsolete.append(path) }
                let isOurs =
                    path.hasSuffix("+OpenPatch.swift") || path == surfacePath
                    || path.hasSuffix(GeneratedFiles.nativesFileSuffix)
                if !isGenerated, isOurs, let new = wanted[path], Marks.isGenerated(new) {
                    throw PatchProjectError(
                        .generatedFileInTheWay,
                        "`prepare` would write this file, but it is not one of its own; rename it",
                        at: [SourcePlace(file: path, line: 0)])
                }
            }
        }
        var changed: [String] = []
        for (path, bytes) in wanted.sorted(by: { $0.key < $1.key }) {
            let url = folder.appendingPathComponent(path)
            if let old = try? Data(contentsOf: url), old.elementsEqual(bytes) { continue }
            do {
                try Self.replace(url, with: bytes)
            } catch {
                throw PatchProjectError(
                    .fileAccess, "the file cannot be written (\(error.localizedDescription))",
                    at: [SourcePlace(file: path, line: 0)])
            }
            changed.append(path)
        }
        for path in Set(obsolete).sorted() {
            do {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(path))
            } catch {
                throw PatchProjectError(
                    .fileAccess, "the generated file cannot be removed",
                    at: [SourcePlace(file: path, line: 0)])
            }
            changed.append(path)
        }
        return changed
    }

    /// Writes through a new file, keeping the old one's permissions: half a source file would be
    /// worse than none.
    private static func replace(_ url: URL, with bytes: [UInt8]) throws {
        // A link to a file elsewhere stays a link; its own permissions are not the file's.
        let target = url.resolvingSymlinksInPath()
        let permissions = try? FileManager.default
            .attributesOfItem(atPath: target.path)[.posixPermissions]
        try Data(bytes).write(to: target, options: .atomic)
        if let permissions {
            try? FileManager.default.setAttributes(
                [.posixPermissions: permissions], ofItemAtPath: target.path)
        }
    }
}
