import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("Brackets that nest too deeply to be parsed")
struct NestingLimitTests {
    private func line(_ text: String) -> Int? { NestingLimit.firstLineBeyond(Array(text.utf8)) }

    @Test("a type of a few levels passes, one beyond the limit is found with its line")
    func depth() {
        func type(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + "Int" + String(repeating: "]", count: levels)
        }
        #expect(line("func f(_ a: \(type(NestingLimit.brackets))) -> Int { 1 }") == nil)
        #expect(line("// first\nfunc f(_ a: \(type(NestingLimit.brackets + 1))) {}\n") == 2)
        #expect(line("func f(_ a: \(type(5000))) -> Int { 1 }") == 1)
    }

    @Test("brackets side by side, in texts, in comments and on other lines do not add up")
    func harmless() {
        let many = String(repeating: "[", count: 40)
        #expect(line(String(repeating: "[1], ", count: 40)) == nil)
        #expect(line("let bar = \"\(many)\"; let quote = \"\\\"\(many)\"") == nil)
        #expect(line("let a = 1 // \(many)") == nil)
        #expect(line(String(repeating: "[\n", count: 40)) == nil)
    }

    @Test("a project with such a line is refused with the file and the line, and does not hang")
    func project() throws {
        let folder = try TemporaryDirectory("nesting")
        let deep = String(repeating: "[", count: 200) + "Int" + String(repeating: "]", count: 200)
        try folder.write("func f(_ a: \(deep)) -> Int { 1 }\n", to: "Sources/App/Deep.swift")
        let stored = folder.file("Sources/App/Deep.swift")
        #expect {
            _ = try SourceTree.read(stored, "Sources/App/Deep.swift")
        } throws: { error in
            "\(error)".contains("Sources/App/Deep.swift:1")
        }
    }
}
