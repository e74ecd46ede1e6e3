import Foundation
import ModuleABI
import SwiftParser
import TestSupport
import Testing
import WebAssembly

@testable import PatchCompiler

@Suite("Whole projects")
struct WholeProjectTests {
    @Test("every file of this project is routed and restored byte for byte, and still parses")
    func ownSources() throws {
        let folder = SharedData.checkout.resolvingSymlinksInPath()
        var files: [SourceFile] = []
        for root in ["Sources", "Tests"] {
            let resolved = folder.appendingPathComponent(root).resolvingSymlinksInPath()
            let base = resolved.deletingLastPathComponent()
            for path in try SourceTree.swiftFiles(in: base, at: root) {
                let url = base.appendingPathComponent(path)
                // A text about marks holds what looks like them.
                let bytes = [UInt8](try Data(contentsOf: url))
                files.append(
                    try SourceFile(module: "Project", path: path, url: url, stored: bytes))
            }
        }
        #expect(files.count > 50)
        let tree = SourceTree(files: files)
        let functions = Dictionary(grouping: FunctionScanner.scan(tree).functions) {
            $0.place.file
        }
        #expect(functions.values.map(\.count).reduce(0, +) > 50)
        for file in files {
            let marked = Preparer.marked(file, functions[file.path] ?? [])
            #expect(try Marks.strip(marked, file: file.path) == file.stored, "\(file.path)")
            let text = String(decoding: marked, as: UTF8.self)
            #expect(
                !Parser.parse(source: text).hasError || file.tree.hasError, "\(file.path)")
        }
    }

    @Test("the example app's price label is patched and answers in the engine")
    func example() throws {
        let folder = try TemporaryDirectory("greeter")
        let source = SharedData.checkout.appendingPathComponent("Examples/Greeter")
        for item in ["openpatch.json", "Sources", "Guest"] {
            try FileManager.default.copyItem(
                at: source.appendingPathComponent(item).resolvingSymlinksInPath(),
                to: folder.file(item))
        }
        var options = GuestBuildOptions()
        options.cacheFolder = GuestTestCache.folder
        let project = try PatchProject(folder: folder.url, guestOptions: options)
        let report = try project.prepare()
        #expect(report.routed.contains { $0.name == "priceLabel(_:)" })
        let build = try project.registerBuild()
        #expect(!build.notInBase.contains { $0.function == "priceLabel(_:)" })
        #expect(try project.fingerprint().value == build.manifest.fingerprint)

        let file = folder.file("Sources/Greeter/PriceLabel.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let edited = text.replacingOccurrences(of: "\\(sign)$", with: "\\(sign)€")
        #expect(edited != text)
        try Data(edited.utf8).write(to: file)
        #expect(try project.fingerprint().value == build.manifest.fingerprint)
        let module = try project.buildModule(
            for: build.manifest, release: ReleaseIdentity(version: "2", sequence: 2))
        #expect(module.coverage.covered.map(\.name) == ["priceLabel(_:)"])
        #expect(module.section.functions.count == 1)
        let patch = try LoadedPatch(module.wasm)
        let label = try patch.function(module.section.functions[0].export)
        for (value, expected) in [
            (5_000_000_000, "€50000000.00"), (-5, "-€0.05"), (1234, "€12.34"),
            (.min, "-€92233720368547758.08"), (.max, "€92233720368547758.07"),
        ] as [(Int, String)] {
            let results = try label.invoke([.i64(UInt64(bitPattern: Int64(value)))])
            #expect(try patch.read(results) { try $0.string() } == expected)
        }
        // Guest code of the app goes into every module, and into the one that ships.
        for wasm in [module.wasm, build.base] {
            #expect(try parseWasm(bytes: wasm).exports.contains { $0.name.hasPrefix("greeting") })
        }
    }
}
