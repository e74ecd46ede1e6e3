import Foundation
import SwiftParser
import SwiftSyntax
import TestSupport
import Testing

@testable import PatchCompiler

/// The shop of `Examples/Storefront`: its store build with a module, against the edited shop
/// compiled natively.
@Suite("The shop with its edits")
struct StorefrontTests {
    struct Edit: Decodable {
        var title: String
        var edits: [ValueFormTests.Edit]
    }

    static let driver = "print(Scenario.screens())\n"
    static let all = ProcessInfo.processInfo.environment["OPENPATCH_EDITS"] == "all"

    /// Every edit in `Tests/Edits`.
    static func edits() throws -> [Edit] {
        let folder = SharedData.checkout.appendingPathComponent("Tests/Edits")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted().map {
                try JSONDecoder().decode(
                    Edit.self, from: Data(contentsOf: folder.appendingPathComponent($0)))
            }
    }

    /// A store build of the shop without the part that looks for updates, and its sources as the
    /// developer has them.
    static func shop() throws -> (ProjectFixture, BuildManifest) {
        let source = SharedData.checkout.appendingPathComponent("Examples/Storefront")
        let folder = source.appendingPathComponent("Sources/Storefront")
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".swift") && name != "Main.swift" {
            files["Storefront/" + name] = try String(
                contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        let fixture = try ProjectFixture(files: files)
        let project = try fixture.project()
        let report = try project.prepare()
        #expect(report.routed.count > 25)
        let manifest = try CoverageTests.manifest(
            AppCode(folder: fixture.folder, configuration: project.configuration))
        try FileManager.default.copyItem(
            at: fixture.directory.file("Sources"), to: fixture.directory.file("Store"))
        try project.unprepare()
        return (fixture, manifest)
    }

    static func expectSame(_ fixture: ProjectFixture, _ manifest: BuildManifest) throws {
        let covered = try fixture.project().coverage(of: manifest).covered.map(\.name)
        try PatchCompilerTests.expectSame(
            fixture, manifest, covers: covered, driver: driver)
    }

    @Test("ten realistic edits together change the running shop as a native build would")
    func together() throws {
        let (fixture, manifest) = try Self.shop()
        let edits = try Self.edits()
        #expect(edits.count >= 10)
        for edit in edits.flatMap(\.edits) { try fixture.edit(edit.file, edit.old, edit.new) }
        try Self.expectSame(fixture, manifest)
    }

    @Test("each edit alone", .enabled(if: all))
    func alone() throws {
        for edit in try Self.edits() {
            print("edit:", edit.title)
            let (fixture, manifest) = try Self.shop()
            for edit in edit.edits { try fixture.edit(edit.file, edit.old, edit.new) }
            try Self.expectSame(fixture, manifest)
        }
    }

    @Test("random mutations of the shop", .enabled(if: all))
    func mutations() throws {
        let seed = SeededGenerator.seed
        print("seed:", seed)
        var generator = SeededGenerator(seed: seed)
        for number in 0..<10 {
            let (fixture, manifest) = try Self.shop()
            let what = try Mutation.apply(to: fixture, &generator)
            print("mutation \(number): \(what)")
            let covered = try fixture.project().coverage(of: manifest).covered
            guard !covered.isEmpty else { continue }
            try Self.compare(fixture, manifest, "seed \(seed), mutation \(number): \(what)")
        }
    }

    /// As `expectSame`, for changes that may change nothing that is shown.
    private static func compare(
        _ fixture: ProjectFixture, _ manifest: BuildManifest, _ what: String
    ) throws {
        let run = try PatchedRun(fixture, manifest)
        let native = try PreparedProgram(
            fixture.swiftFiles(), driver: driver, in: fixture.directory, flags: ["-O"])
        guard let expected = try? native.native() else { return }
        let found = try run.output(driver: driver, flags: ["-O"])
        #expect(found == expected, "\(what)")
    }
}

/// One random change of a constant, an operator or a branch in the shop's rules.
enum Mutation {
    static func apply(
        to fixture: ProjectFixture, _ generator: inout SeededGenerator
    ) throws -> String {
        let files = ["Money", "Cart", "Pricing", "Checkout"]
        let name = files.randomElement(using: &generator) ?? files[0]
        let path = "Sources/Storefront/\(name).swift"
        let text = try fixture.read(path)
        let tree = Parser.parse(source: text)
        var candidates: [(range: Range<Int>, new: String)] = []
        for token in tree.tokens(viewMode: .sourceAccurate) {
            let start = token.positionAfterSkippingLeadingTrivia.utf8Offset
            let range = start..<start + token.trimmedLength.utf8Length
            switch token.tokenKind {
            case .integerLiteral(let digits):
                if let value = Int(digits.filter { $0 != "_" }), !isType(token) {
                    candidates.append((range, String(value + 1)))
                }
            case .binaryOperator(let name):
                if let other = operators[name] { candidates.append((range, other)) }
            default: break
            }
        }
        guard let chosen = candidates.randomElement(using: &generator) else { return "nothing" }
        var bytes = Array(text.utf8)
        let old = String(decoding: bytes[chosen.range], as: UTF8.self)
        let line = 1 + bytes[..<chosen.range.lowerBound].filter { $0 == 0x0a }.count
        bytes.replaceSubrange(chosen.range, with: Array(chosen.new.utf8))
        try fixture.directory.write(String(decoding: bytes, as: UTF8.self), to: path)
        return "\(path):\(line) \(old) becomes \(chosen.new)"
    }

    private static let operators = [
        "+": "-", "-": "+", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
        "&&": "||", "||": "&&",
    ]

    private static func isType(_ token: TokenSyntax) -> Bool {
        token.parent?.is(IntegerLiteralExprSyntax.self) != true
    }
}
