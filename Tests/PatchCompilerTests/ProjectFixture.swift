import Foundation
import TestSupport

@testable import PatchCompiler

/// A disposable copy of a project under `Fixtures`, or one made of texts.
struct ProjectFixture {
    let directory: TemporaryDirectory

    var folder: URL { directory.url }

    static let root = SharedData.checkout
        .appendingPathComponent("Tests/PatchCompilerTests/Fixtures")

    /// A copy of the fixture `name`.
    init(_ name: String) throws {
        directory = try TemporaryDirectory("fixture-\(name)")
        let source = Self.root.appendingPathComponent(name)
        for item in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent(item), to: directory.file(item))
        }
    }

    /// A project of one module `App` with the given files.
    init(files: [String: String], guest: [String: String] = [:]) throws {
        directory = try TemporaryDirectory("fixture")
        try directory.write(
            """
            {"v": 1, "app_id": "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11", "name": "App",
             "platform": "linux", "sources": [{"module": "App", "path": "Sources"}]
             \(guest.isEmpty ? "" : ", \"guest\": [\"Guest\"]")}
            """, to: "openpatch.json")
        try FileManager.default.createDirectory(
            at: directory.file("Sources"), withIntermediateDirectories: true)
        for (name, text) in files { try directory.write(text, to: "Sources/" + name) }
        for (name, text) in guest { try directory.write(text, to: "Guest/" + name) }
    }

    func project() throws -> PatchProject {
        var options = GuestBuildOptions()
        options.cacheFolder = GuestTestCache.folder
        // A busy machine is not what these tests are about.
        options.timeout = 600
        return try PatchProject(folder: folder, guestOptions: options)
    }

    /// Keeps the sources as they are now as those of the store build.
    func keepStore() throws {
        try FileManager.default.copyItem(
            at: directory.file("Sources"), to: directory.file("Store"))
    }

    func read(_ path: String) throws -> String {
        try String(contentsOf: directory.file(path), encoding: .utf8)
    }

    /// Replaces the one occurrence of `old` in a file.
    func edit(_ path: String, _ old: String, _ new: String) throws {
        let text = try read(path)
        let parts = text.components(separatedBy: old)
        guard parts.count == 2 else { throw NotOnce(text: old, times: parts.count - 1) }
        try directory.write(parts.joined(separator: new), to: path)
    }

    struct NotOnce: Error {
        var text: String
        var times: Int
    }

    /// Every file below the folder with its bytes.
    func snapshot() throws -> [String: Data] {
        var files: [String: Data] = [:]
        let walker = FileManager.default.enumerator(atPath: folder.path)
        while let path = walker?.nextObject() as? String {
            var isFolder: ObjCBool = false
            let full = directory.file(path)
            _ = FileManager.default.fileExists(atPath: full.path, isDirectory: &isFolder)
            if !isFolder.boolValue { files[path] = try Data(contentsOf: full) }
        }
        return files
    }

    /// The Swift files below `path`, generated ones included.
    func swiftFiles(_ path: String = "Sources") throws -> [String] {
        try SourceTree.swiftFiles(in: folder, at: path).map { directory.file($0).path }
    }
}
