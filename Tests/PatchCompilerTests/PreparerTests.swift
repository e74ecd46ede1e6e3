import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("Routing functions")
struct PreparerTests {
    private static func routed(_ text: String) throws -> (SourceFile, [RoutableFunction], [UInt8]) {
        let file = try SourceFile(
            module: "App", path: "Sources/A.swift", url: URL(fileURLWithPath: "/A.swift"),
            stored: Array(text.utf8))
        let functions = FunctionScanner.scan(SourceTree(files: [file])).functions
        return (file, functions, Preparer.marked(file, functions))
    }

    @Test(
        "every way to write a function is routed and restored byte for byte",
        arguments: PrepareShapes.all)
    func restored(shape: PrepareShapes.Shape) throws {
        let (file, functions, marked) = try Self.routed(shape.text)
        #expect(functions.count == shape.routed)
        #expect(file.bytes == Array(shape.text.utf8))
        #expect(try Marks.strip(marked, file: "A.swift") == Array(shape.text.utf8))
        #expect((marked == file.bytes) == functions.isEmpty)
        // Lines of the developer's code never move.
        let breaks: Set<UInt8> = [0x0a, 0x0d]
        #expect(marked.filter(breaks.contains) == file.bytes.filter(breaks.contains))
        // Routing what is routed changes nothing.
        let (_, again, markedAgain) = try Self.routed(String(decoding: marked, as: UTF8.self))
        #expect(markedAgain == marked)
        #expect(again.map(\.id) == functions.map(\.id))
        #expect(again.map(\.bodyHash) == functions.map(\.bodyHash))
    }

    @Test("random mixtures of all ways are restored byte for byte")
    func mixtures() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seed)
        for round in 0..<60 {
            let shapes = PrepareShapes.all.shuffled(using: &generator).prefix(6)
            let separator = ["\n", "\r\n", "\n\n// }\n"].randomElement(using: &generator) ?? "\n"
            // A byte order mark can only stand at the beginning.
            let text = shapes.map { $0.text.replacingOccurrences(of: "\u{feff}", with: "") }
                .joined(separator: separator)
            let (_, functions, marked) = try Self.routed(text)
            #expect(
                try Marks.strip(marked, file: "A.swift") == Array(text.utf8),
                "seed \(SeededGenerator.seed), round \(round)")
            #expect(
                functions.count == shapes.map(\.routed).reduce(0, +),
                "seed \(SeededGenerator.seed), round \(round)")
        }
    }

    @Test(
        "prepared code compiles without a warning",
        arguments: [["-swift-version", "6", "-Onone"], ["-swift-version", "5", "-O"]])
    func compiles(flags: [String]) throws {
        var files: [String: String] = [:]
        for (number, shape) in PrepareShapes.all.enumerated() {
            files["Shape\(number).swift"] = shape.text
        }
        let fixture = try ProjectFixture(files: files)
        let report = try fixture.project().prepare()
        #expect(report.routed.count == PrepareShapes.all.map(\.routed).reduce(0, +))
        let printed = try StandIn.compile(
            ["-module-name", "App", "-parse-as-library", "-c", "-wmo", "-o", "app.o"] + flags
                + fixture.swiftFiles(), in: fixture.folder)
        #expect(printed == "", "\(printed)")
    }

    @Test("a prepared project is restored file by file, permissions included, generated files gone")
    func unprepare() throws {
        let fixture = try ProjectFixture("shop")
        let script = fixture.directory.file("Sources/Shop/Prices.swift")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: script.path)
        let before = try fixture.snapshot()
        let project = try fixture.project()
        let report = try project.prepare()
        #expect(
            report.changedFiles.sorted() == [
                "Sources/Shop/Catalog+OpenPatch.swift", "Sources/Shop/Catalog.swift",
                "Sources/Shop/OpenPatchSurface.swift", "Sources/Shop/Prices+OpenPatch.swift",
                "Sources/Shop/Prices.swift", "Sources/Shop/Shop+OpenPatchNatives.swift",
                "openpatch.lock.json",
            ])
        let prepared = try fixture.snapshot()
        #expect(try project.prepare().changedFiles == [])
        #expect(try fixture.snapshot() == prepared)
        try project.unprepare()
        var after = try fixture.snapshot()
        #expect(after.removeValue(forKey: "openpatch.lock.json") != nil)
        #expect(after == before)
        let mode = try FileManager.default.attributesOfItem(atPath: script.path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o640)
        try project.prepare()
        #expect(try fixture.snapshot() == prepared)
    }

    @Test("a function that is gone loses its helpers, and its gate stays reserved")
    func removed() throws {
        let fixture = try ProjectFixture(files: [
            "A.swift": "func first() -> Int { 1 }\n", "B.swift": "func second() -> Int { 2 }\n",
        ])
        let project = try fixture.project()
        let gates = Dictionary(
            uniqueKeysWithValues: try project.prepare().routed.map { ($0.name, $0.gate) })
        #expect(Set(gates.values) == [0, 1])
        try fixture.directory.write("// nothing\n", to: "Sources/B.swift")
        let report = try project.prepare()
        #expect(report.routed.map(\.gate) == [gates["first()"]])
        #expect(
            !FileManager.default.fileExists(
                atPath: fixture.directory.file("Sources/B+OpenPatch.swift").path))
        try fixture.directory.write("func third() -> Int { 3 }\n", to: "Sources/B.swift")
        let third = try project.prepare().routed.first { $0.name == "third()" }
        #expect(third?.gate == 2)
        try fixture.directory.write("func second() -> Int { 2 }\n", to: "Sources/B.swift")
        let second = try project.prepare().routed.first { $0.name == "second()" }
        #expect(second?.gate == gates["second()"])
    }

    @Test("a mark without its partner is refused with its line, and no file is touched")
    func damaged() throws {
        let fixture = try ProjectFixture(files: [
            "A.swift": "func first() -> Int { 1 }\n\nfunc second() -> Int { 2 }\n"
        ])
        let project = try fixture.project()
        try project.prepare()
        let prepared = try fixture.read("Sources/A.swift")
        let last = try #require(prepared.range(of: "/*openpatch:end*/", options: .backwards))
        for damaged in [
            prepared.replacingCharacters(in: last, with: ""),
            prepared + "/*openpatch:end*/\n",
        ] {
            try fixture.directory.write(damaged, to: "Sources/A.swift")
            let before = try fixture.snapshot()
            for action in [project.prepare, project.unprepare] {
                let error = #expect(throws: PatchProjectError.self) { _ = try action() }
                #expect(error?.kind == .damagedMarks)
                #expect((error?.places.first?.line ?? 0) >= 3)
            }
            #expect(try fixture.snapshot() == before)
        }
    }

    @Test("a developer's own file is never overwritten or removed as a generated one")
    func ownFile() throws {
        let fixture = try ProjectFixture(files: [
            "A.swift": "func first() -> Int { 1 }\n", "A+OpenPatch.swift": "let mine = 1\n",
        ])
        let error = #expect(throws: PatchProjectError.self) { try fixture.project().prepare() }
        #expect(error?.kind == .generatedFileInTheWay)
        #expect(error?.places.first?.file == "Sources/A+OpenPatch.swift")
        try fixture.project().unprepare()
        #expect(try fixture.read("Sources/A+OpenPatch.swift") == "let mine = 1\n")
    }

    @Test("files that do not parse or are not UTF-8 are named")
    func unreadable() throws {
        let broken = try ProjectFixture(files: ["A.swift": "\nfunc first( -> Int { 1 }\n"])
        let syntax = #expect(throws: PatchProjectError.self) { try broken.project().prepare() }
        #expect(syntax?.kind == .syntaxError)
        #expect(syntax?.places == [SourcePlace(file: "Sources/A.swift", line: 2)])
        let latin = try ProjectFixture(files: [:])
        try Data([0x2f, 0x2f, 0xe9, 0x0a]).write(to: latin.directory.file("Sources/A.swift"))
        let encoding = #expect(throws: PatchProjectError.self) { try latin.project().prepare() }
        #expect(encoding?.kind == .notUTF8)
    }

    @Test("the prepared text of the shop is as it was agreed")
    func snapshots() throws {
        let fixture = try ProjectFixture("shop")
        try fixture.project().prepare()
        for file in [
            "Prices.swift", "Prices+OpenPatch.swift", "Catalog.swift", "Catalog+OpenPatch.swift",
            "OpenPatchSurface.swift",
        ] {
            try expectSnapshot(try fixture.read("Sources/Shop/\(file)"), "shop/\(file)")
        }
    }

    @Test(
        "the surface names every routed function with the gate and signature that are compiled in")
    func surface() throws {
        let fixture = try ProjectFixture("shop")
        let report = try fixture.project().prepare()
        let program = try PreparedProgram(
            fixture.swiftFiles(),
            driver: "print(String(cString: openpatch_surface_v1()!))\n", in: fixture.directory)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(try program.native().utf8))
                as? [String: Any])
        #expect(json["v"] as? Int == 1)
        #expect(json["fp_surface"] as? String == (try fixture.project().fingerprint().surface))
        let functions = try #require(json["functions"] as? [[String: Any]])
        let compiled = Dictionary(
            uniqueKeysWithValues: functions.map { ($0["id"] as? String ?? "", $0["gate"] as? Int) })
        #expect(
            compiled == Dictionary(uniqueKeysWithValues: report.routed.map { ($0.id, $0.gate) }))
    }
}
