import Foundation
import TestSupport
import Testing

@Suite("The threat model")
struct ThreatModelTests {
    @Test("every test that the threat model names exists")
    func namedTestsExist() throws {
        let document = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Docs/threat-model.md"),
            encoding: .utf8)
        let names = document.split(separator: "`").filter {
            $0.range(of: "^[A-Za-z]+Tests\\.[A-Za-z0-9_]+$", options: .regularExpression) != nil
        }
        #expect(names.count > 40)
        let sources = try testSources()
        for name in Set(names) {
            let parts = name.split(separator: ".")
            let exists = sources.contains {
                $0.contains("struct \(parts[0]) ") && $0.contains("func \(parts[1])(")
            }
            #expect(exists, "Docs/threat-model.md names \(name), which no test file has")
        }
    }

    @Test("every table row of attacks names at least one test")
    func rowsHaveTests() throws {
        let document = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Docs/threat-model.md"),
            encoding: .utf8)
        let sections = document.components(separatedBy: "\n## ").filter {
            $0.hasPrefix("Attacks") || $0.hasPrefix("Stolen") || $0.hasPrefix("Accidents")
        }
        #expect(sections.count == 5)
        for row in sections.flatMap({ $0.split(separator: "\n") })
        where row.hasPrefix("| ") && !row.contains("shown by") {
            #expect(row.contains("Tests."), "no test in: \(row)")
        }
    }

    private func testSources() throws -> [String] {
        let folder = SharedData.checkout.appendingPathComponent("Tests")
            .resolvingSymlinksInPath()
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }
}
