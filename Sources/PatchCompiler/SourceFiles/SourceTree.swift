import Foundation
import SwiftParserDiagnostics

/// All Swift files of the app's modules, in an order that no file system decides.
struct SourceTree {
    var files: [SourceFile]
    /// Whether the project puts what says nothing on the main actor (SE-0466).
    var isMainByDefault = false

    /// Reads the files of every target of `configuration`.
    /// - Throws: ``PatchProjectError``.
    init(folder: URL, configuration: ProjectConfiguration) throws {
        files = []
        for target in configuration.sources {
            for path in try Self.swiftFiles(in: folder, at: target.path) {
                let url = folder.appendingPathComponent(path)
                let stored = try Self.read(url, path)
                if Marks.isGenerated(stored) { continue }
                files.append(
                    try SourceFile(module: target.module, path: path, url: url, stored: stored))
            }
        }
        isMainByDefault = Self.isMainByDefault(folder)
    }

    /// Looks for the setting where packages and Xcode projects have it.
    private static func isMainByDefault(_ folder: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let projects = names.filter { $0.hasSuffix(".xcodeproj") }.map { $0 + "/project.pbxproj" }
        return (["Package.swift"] + projects).contains { name in
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else {
                return false
            }
            let text = String(decoding: data, as: UTF8.self)
            return text.contains("defaultIsolation(MainActor")
                || text.contains("SWIFT_DEFAULT_ACTOR_ISOLATION = MainActor")
        }
    }

    /// For tests and tools that have the text at hand.
    init(files: [SourceFile]) { self.files = files }

    /// Refuses files that do not parse: edits in them could land anywhere.
    func checkSyntax() throws {
        for file in files where file.tree.hasError {
            let diagnostics = ParseDiagnosticsGenerator.diagnostics(for: file.tree)
            let first = diagnostics.first
            throw PatchProjectError(
                .syntaxError,
                "\(first?.message ?? "the file does not parse"); it must compile first",
                at: [
                    SourcePlace(
                        file: file.path,
                        line: first.map { file.line(at: $0.position.utf8Offset) } ?? 0)
                ])
        }
    }

    /// Paths of all Swift files below `path`, sorted by their bytes.
    static func swiftFiles(in folder: URL, at path: String) throws -> [String] {
        let root = folder.appendingPathComponent(path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder),
            isFolder.boolValue
        else {
            throw PatchProjectError(
                .fileAccess,
                "the folder '\(path)' named in \(ProjectConfiguration.fileName) does not exist")
        }
        var found: [String] = []
        var pending = [path]
        while let current = pending.popLast() {
            let url = folder.appendingPathComponent(current)
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            for name in names where !name.hasPrefix(".") {
                let item = current + "/" + name
                var isFolder: ObjCBool = false
                let itemURL = folder.appendingPathComponent(item)
                guard FileManager.default.fileExists(atPath: itemURL.path, isDirectory: &isFolder)
                else { continue }
                if isFolder.boolValue {
                    // A linked folder could lead in circles or out of the project.
                    let attributes = try? FileManager.default.attributesOfItem(atPath: itemURL.path)
                    if attributes?[.type] as? FileAttributeType != .typeSymbolicLink {
                        pending.append(item)
                    }
                } else if name.hasSuffix(".swift") {
                    found.append(item)
                }
            }
        }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func read(_ url: URL, _ path: String) throws -> [UInt8] {
        guard let data = try? Data(contentsOf: url) else {
            throw PatchProjectError(
                .fileAccess, "the file cannot be read", at: [SourcePlace(file: path, line: 0)])
        }
        let bytes = [UInt8](data)
        if let line = NestingLimit.firstLineBeyond(bytes) {
            throw PatchProjectError(
                .syntaxError,
                "more than \(NestingLimit.brackets) '[' are open at once on this line, which no "
                    + "parser gets through; give the inner type a name with 'typealias'",
                at: [SourcePlace(file: path, line: line)])
        }
        return bytes
    }
}
