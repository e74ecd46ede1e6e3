import Foundation
import TestSupport
import Testing

/// The acceptance cases that the project was given, by the tests that are named after them.
@Suite("Acceptance cases")
struct CaseNameTests {
    @Test(
        "every case stands in a test's name",
        .enabled(if: SharedData.isAvailable("cases/ota.md"), "the table of cases is absent"))
    func everyCaseHasATest() throws {
        let text = try String(
            contentsOf: try SharedData.require("cases/ota.md"), encoding: .utf8)
        let wanted = Self.identifiers(in: text)
        #expect(wanted.count >= 70, "the table is read: \(wanted.sorted())")
        var named: Set<String> = []
        let tests = SharedData.checkout.appendingPathComponent("Tests")
            .resolvingSymlinksInPath()
        for file in SourceFiles.swift(below: tests) {
            let source = try String(contentsOf: file, encoding: .utf8)
            for part in source.components(separatedBy: "@Test(").dropFirst() {
                // The name is the first text; arguments and the body come after it.
                let parts = part.components(separatedBy: "\"")
                if parts.count > 1 { named.formUnion(Self.identifiers(in: parts[1])) }
            }
        }
        #expect(wanted.subtracting(named).isEmpty)
    }

    /// `P01`, `S07`, `I4`: a letter and its digits, by themselves.
    private static func identifiers(in text: String) -> Set<String> {
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let digits = ["P": 2, "S": 2, "I": 1]
        return Set(
            words.map(String.init).filter { word in
                let rest = word.dropFirst()
                return digits[String(word.prefix(1))] == rest.count
                    && rest.allSatisfy { $0.isNumber }
            })
    }
}
