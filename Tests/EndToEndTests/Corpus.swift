import Foundation
import SwiftParser
import SwiftSyntax
import TestSupport

@testable import PatchCompiler

/// A copy of a package's first library target as a project of ours.
final class Corpus {
    let folder: TemporaryDirectory
    let module: String
    let commit: String
    /// Texts in the package's sources and tests.
    let texts: [String]
    private var originals: [String: String] = [:]

    struct Unusable: Error {
        var message: String
    }

    init(_ checkout: URL) throws {
        let described = try ChildProcess.run(
            "swift", ["package", "dump-package", "--package-path", checkout.path], seconds: 1_800)
        guard described.status == 0,
            let package = try JSONSerialization.jsonObject(
                with: Data(described.standardOutput.utf8)) as? [String: Any],
            let targets = package["targets"] as? [[String: Any]],
            let target = targets.first(where: { $0["type"] as? String == "regular" }),
            let name = target["name"] as? String
        else { throw Unusable(message: "no library target: \(described.standardError)") }
        module = name
        commit = try ChildProcess.run("git", ["-C", checkout.path, "rev-parse", "HEAD"])
            .standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        let source = checkout.appendingPathComponent(
            target["path"] as? String ?? "Sources/\(name)")
        folder = try TemporaryDirectory("corpus")
        try folder.write(
            """
            {"v": 1, "app_id": "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11", "name": "\(name)",
             "platform": "linux", "sources": [{"module": "\(name)", "path": "Sources"}]}
            """, to: "openpatch.json")
        for file in Self.swiftFiles(source) {
            let text = try String(
                contentsOf: source.appendingPathComponent(file), encoding: .utf8)
            try folder.write(text, to: "Sources/\(file)")
        }
        var texts: Set<String> = []
        for file in Self.swiftFiles(checkout) where !file.contains("/.build/") {
            let text =
                (try? String(contentsOf: checkout.appendingPathComponent(file), encoding: .utf8))
                ?? ""
            for token in Parser.parse(source: text).tokens(viewMode: .sourceAccurate) {
                if case .stringSegment(let text) = token.tokenKind, text.utf8.count <= 200 {
                    texts.insert(text.replacingOccurrences(of: "\\n", with: "\n"))
                }
            }
        }
        self.texts = texts.sorted()
    }

    private static func swiftFiles(_ folder: URL) -> [String] {
        (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") }.sorted()
    }

    var project: PatchProject {
        get throws {
            var options = GuestBuildOptions()
            options.cacheFolder = Tools.builtProducts.appendingPathComponent("guest-test-cache")
            options.timeout = 900
            return try PatchProject(folder: folder.url, guestOptions: options)
        }
    }

    func code() throws -> AppCode {
        try AppCode(folder: folder.url, configuration: project.configuration)
    }

    /// Lets code at the end of each file reach what is private in it.
    func openAccess() throws {
        for file in Self.swiftFiles(folder.file("Sources")) {
            let path = "Sources/\(file)"
            let text = try String(contentsOf: folder.file(path), encoding: .utf8)
            var bytes = Array(text.utf8)
            for token in Parser.parse(source: text).tokens(viewMode: .sourceAccurate).reversed()
            where token.tokenKind == .keyword(.private) {
                let start = token.positionAfterSkippingLeadingTrivia.utf8Offset
                bytes.replaceSubrange(start..<start + 7, with: Array("fileprivate".utf8))
            }
            try folder.write(String(decoding: bytes, as: UTF8.self), to: path)
            originals[path] = String(decoding: bytes, as: UTF8.self)
        }
    }

    func restore() throws {
        for file in Self.swiftFiles(folder.file("Sources"))
        where originals["Sources/\(file)"] == nil {
            try FileManager.default.removeItem(at: folder.file("Sources/\(file)"))
        }
        for (path, text) in originals { try folder.write(text, to: path) }
    }

    // MARK: - Mutations

    /// Mutations inside the body of a function.
    func mutations(of function: RoutableFunction) throws -> [Mutation] {
        let start = function.body.positionAfterSkippingLeadingTrivia.utf8Offset
        let range = start..<start + function.body.trimmedLength.utf8Length
        return try [Mutation.Kind.constant, .operation, .branch].flatMap {
            try Mutation.candidates($0, in: [folder.file(function.place.file)])
        }.filter { $0.isInside(range) }
    }

    func apply(_ mutations: [Mutation]) throws {
        // From the back, so that what is left stays where it is.
        for mutation in mutations.sorted(by: { $0.start > $1.start }) { try mutation.apply() }
    }

    /// The mutations that compile natively and as a module, and how many did not.
    func compiling(
        _ all: [(name: String, mutation: Mutation)], _ manifest: BuildManifest
    ) throws -> ([(name: String, mutation: Mutation)], Int) {
        var kept = all
        for _ in 0..<6 {
            try restore()
            try apply(kept.map(\.mutation))
            let bad = try faults(manifest)
            guard !bad.isEmpty else { return (kept, all.count - kept.count) }
            let before = kept.count
            kept.removeAll { one in
                bad.contains {
                    $0.file == one.mutation.file.lastPathComponent
                        && one.mutation.lines.contains($0.line)
                }
            }
            // A message that is somewhere else: whatever is in its file.
            if kept.count == before {
                kept.removeAll { one in
                    bad.contains { $0.file == one.mutation.file.lastPathComponent }
                }
            }
            if kept.count == before { kept.removeLast() }
        }
        return ([], all.count)
    }

    private func faults(_ manifest: BuildManifest) throws -> [(file: String, line: Int)] {
        do {
            _ = try project.buildModule(
                for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        } catch let error as PatchProjectError where error.kind == .nothingChanged {
            return []
        } catch let error as PatchProjectError {
            let places = error.findings.compactMap(\.place) + error.places
            return places.isEmpty
                ? [("", 0)] : places.map { (($0.file as NSString).lastPathComponent, $0.line) }
        }
        let files = Self.swiftFiles(folder.file("Sources")).map {
            folder.file("Sources/\($0)").path
        }
        let result = try ChildProcess.run(
            "swiftc",
            ["-typecheck", "-swift-version", "5", "-parse-as-library", "-module-name", module]
                + files, seconds: 1_800)
        return result.standardError.split(separator: "\n").compactMap { line in
            guard line.contains(": error: ") else { return nil }
            let parts = line.split(separator: ":")
            guard parts.count > 2, let number = Int(parts[1]) else { return nil }
            return ((String(parts[0]) as NSString).lastPathComponent, number)
        }
    }
}
