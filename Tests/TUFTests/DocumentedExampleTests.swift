import Foundation
import PatchCrypto
import TUF
import TUFRepository
import TestSupport
import Testing

/// The examples of Docs/tuf.md. The text between the marks stands there word for word.
@Suite("The documented examples")
struct DocumentedExampleTests {
    // begin example: folder
    /// Metadata and targets of a published tree, read from a folder.
    struct Tree: MetadataFetcher, TargetFetcher {
        let folder: URL

        func fetch(
            _ name: String, maximumLength: Int, ifNoneMatch validator: String?
        ) async throws -> FetchResult {
            guard let bytes = read("metadata/\(name)") else { return .missing }
            return .found(bytes, validator: nil)
        }

        func fetchTarget(_ path: String, maximumLength: Int) async throws -> [UInt8]? {
            read("targets/\(path)")
        }

        func read(_ path: String) -> [UInt8]? {
            (try? Data(contentsOf: folder.appendingPathComponent(path))).map { Array($0) }
        }

        func write(_ path: String, _ bytes: [UInt8]) throws {
            let url = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url, options: .atomic)
        }
    }
    // end example

    @Test("publishing and checking as documented")
    func publishAndCheck() async throws {
        let directory = try TemporaryDirectory("documented")
        let folder = directory.url

        // begin example: publish
        let root = TUFSigner(try SigningKey.generate())
        let backup = TUFSigner(try SigningKey.generate())
        let release = TUFSigner(try SigningKey.generate())
        let freshness = TUFSigner(try SigningKey.generate())

        var repository = try RepositoryEditor(
            .init(
                rootKeys: [root.key, backup.key], targetsKeys: [release.key],
                freshnessKeys: [freshness.key]),
            signers: [root], at: .now)
        let role = try repository.registerBuild(
            fingerprint: "3f8a0c5d9be1724466", signers: [release], at: .now)
        let module: [UInt8] = Array("a module".utf8)
        let target = TargetFile(
            path: "modules/3f8a0c5d9be17244/1.0.0.wasm", contents: module,
            custom: ["version": "1.0.0", "sequence": 1])
        try repository.setTargets([target], in: role, signers: [release], at: .now)
        try repository.signFreshness(signers: [freshness], at: .now)

        let tree = Tree(folder: folder)
        try tree.write("targets/" + target.filePath(consistentSnapshot: true), module)
        for file in repository.changes { try tree.write("metadata/" + file.name, file.bytes) }
        repository.clearChanges()
        // end example

        // begin example: check
        let client = TUFUpdater(
            bootstrap: tree.read("metadata/1.root.json"), fetcher: tree,
            cache: MemoryMetadataCache())
        try await client.refresh()
        if let found = try await client.target("modules/3f8a0c5d9be17244/1.0.0.wasm") {
            let bytes = try await client.download(found, from: tree)
            print("version \(found.custom?["version"]?.string ?? "?"), \(bytes.count) bytes")
        }
        // end example
        let found = try await client.target("modules/3f8a0c5d9be17244/1.0.0.wasm")
        #expect(found == target)

        // begin example: rotate
        let newRelease = TUFSigner(try SigningKey.generate())
        try repository.replaceReleaseKeys(
            [newRelease.key], signers: [newRelease], rootSigners: [root], at: .now)
        try repository.signFreshness(signers: [freshness], at: .now)
        // end example

        // begin example: brakes
        let ops = TUFSigner(try SigningKey.generate())
        try repository.delegateBrakes(to: [ops.key], signers: [newRelease], at: .now)
        let brake = TargetFile(
            path: BrakesRole.modulePath(channel: "production"), contents: Array("{}".utf8))
        try repository.setBrakes([brake], signers: [ops], at: .now)
        try repository.signFreshness(signers: [freshness], at: .now)
        // end example
        for file in repository.changes { try tree.write("metadata/" + file.name, file.bytes) }
        try await client.refresh()
        #expect(await client.trusted?.root.signed.version == 2)
        #expect(try await client.target("modules/3f8a0c5d9be17244/1.0.0.wasm") == target)
        #expect(try await client.target(brake.path) == brake)
    }

    @Test("Docs/tuf.md holds these examples word for word")
    func documentHasExamples() throws {
        let document = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Docs/tuf.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        var example: [Substring]?
        var count = 0
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.drop { $0 == " " }
            if trimmed.hasPrefix("// begin example:") {
                example = []
            } else if trimmed == "// end example", let lines = example {
                let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
                    .min()
                let text = lines.map { $0.dropFirst(indent ?? 0) }.joined(separator: "\n")
                #expect(document.contains("```swift\n\(text)\n```"), "not in Docs/tuf.md:\n\(text)")
                count += 1
                example = nil
            } else if example != nil {
                example?.append(line)
            }
        }
        #expect(count == 5)
    }
}
