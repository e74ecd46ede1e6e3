import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

/// The standard library in guests against the host's, for each way in which guests are compiled:
/// a toolchain that miscompiles hashing, comparing or breaking texts is caught here.
@Suite("The standard library in guests")
struct StandardLibraryTests {
    /// A way to compile.
    struct Way: Sendable, CustomTestStringConvertible {
        var target: GuestTarget
        var optimization: String
        var testDescription: String { "\(target) \(optimization)" }
    }

    private static let ways = [
        Way(target: .wasm64, optimization: "-O"), Way(target: .wasm64, optimization: "-Onone"),
        Way(target: .wasm32, optimization: "-O"),
    ]

    /// Debian's package `unicode-data`.
    private static let folder = "/usr/share/unicode"
    private static var isThere: Bool {
        FileManager.default.fileExists(atPath: folder + "/auxiliary/GraphemeBreakTest.txt")
    }

    private func module(_ name: String, _ way: Way) throws -> GuestModule {
        try guestProgram(name, way.target) { $0.optimization = way.optimization }
    }

    @Test(
        "Unicode's own tests of characters and of equal texts, with sets, dictionaries and sorting",
        .enabled(if: isThere, "needs the package unicode-data"), arguments: ways)
    func hardTexts(way: Way) throws {
        let module = try module("GuestUnicode", way)
        let texts = try Self.breaks() + Self.equals()
        #expect(texts.count > 4000)
        let input = texts.joined(separator: "\u{10FFFE}")
        let answers = try GuestRun.answers(
            module.wasm, [call("program_hard_texts", text(input))])
        let found = (answers.first as? NSNumber).map { UInt64(bitPattern: $0.int64Value) }
        #expect(found == programHardTexts(input), "\(answers)")
        // That the host breaks texts as Unicode says is the toolchain's affair; that most of them
        // are broken as said shows that the file was understood.
        let said = try Self.lines("auxiliary/GraphemeBreakTest.txt").map { line in
            line.filter { $0 == "÷" }.count - 1
        }
        let right = zip(try Self.breaks(), said).filter { $0.count == $1 }.count
        #expect(right * 100 >= said.count * 95, "\(right) of \(said.count)")
    }

    @Test("every scalar of the planes in use, alone and with others", arguments: ways)
    func scalars(way: Way) throws {
        let module = try module("GuestUnicode", way)
        let planes: [(UInt64, Int32)] = [(0, 1), (1, 3), (2, 101), (3, 101), (14, 11)]
        let answers = try GuestRun.answers(
            module.wasm, planes.map { call("program_scalars", Int($0.0), Int($0.1)) })
        let found = answers.map { ($0 as? NSNumber).map { UInt64(bitPattern: $0.int64Value) } }
        #expect(found == planes.map { programScalars($0.0, $0.1) })
    }

    @Test("texts, sets, dictionaries, sorting and numbers without optimisation")
    func unoptimized() throws {
        let way = Way(target: .wasm64, optimization: "-Onone")
        let strings = try module("GuestStrings", way)
        let answers = try GuestRun.answers(
            strings.wasm,
            [call("program_text", 7, 300), call("program_collections", 7, 1500)])
        let found = answers.map { ($0 as? NSNumber).map { UInt64(bitPattern: $0.int64Value) } }
        #expect(found == [programText(7, 300), programCollections(7, 1500)])
    }

    // MARK: - Unicode's files

    private static func lines(_ path: String) throws -> [Substring] {
        try contents(path).split(whereSeparator: \.isNewline)
            .map { $0.prefix { $0 != "#" } }
            .filter { $0.first != "@" && $0.contains { !$0.isWhitespace } }
    }

    private static func contents(_ path: String) throws -> String {
        let whole = folder + "/" + path
        guard path.hasSuffix(".bz2") else {
            return try String(contentsOfFile: whole, encoding: .utf8)
        }
        let script = "import bz2,sys; sys.stdout.write(bz2.open(sys.argv[1],'rt').read())"
        return try ChildProcess.run(Tools.python, ["-c", script, whole]).standardOutput
    }

    private static func scalars(_ codes: some Sequence<Substring>) -> String {
        var text = String.UnicodeScalarView()
        for code in codes {
            if let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init) {
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// `÷ 0020 × 0308 ÷`: the texts that are to be broken.
    private static func breaks() throws -> [String] {
        try lines("auxiliary/GraphemeBreakTest.txt").map { line in
            scalars(line.split { "÷× \t".contains($0) })
        }
    }

    /// `00C5;00C5;0041 030A;…`: forms of one text, which are equal or nearly so; every fourth line.
    private static func equals() throws -> [String] {
        try lines("NormalizationTest.txt.bz2").enumerated().filter { $0.offset.isMultiple(of: 4) }
            .flatMap { line in
                line.element.split(separator: ";").prefix(5)
                    .map { scalars($0.split(separator: " ")) }
            }
    }
}
