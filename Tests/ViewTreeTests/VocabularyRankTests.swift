import Foundation
import TestSupport
import Testing
import ViewSamples

/// The names that apps use most: a name counts only when it is in the table (whose rows all have
/// a round trip and a drawing) and the native and the patched view of some example agree on it.
@Suite("The vocabulary covers what apps use")
struct VocabularyRankTests {
    private static func names(first count: Int) throws -> [(name: String, isView: Bool)]? {
        guard let file = SharedData.find("corpus/vocabulary_rank.csv") else { return nil }
        let text = try String(
            contentsOf: file,
            encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).dropFirst().prefix(count).map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return (String(fields[1]), fields[2] == "view")
        }
    }

    private static let table = Result { () throws -> Set<String> in
        let text = try String(
            contentsOf: SharedData.checkout.appendingPathComponent(
                "Sources/ViewTree/vocabulary.txt"), encoding: .utf8)
        var found: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ")
            switch words.first {
            case "view", "modifier": found.insert(String(words[2].split(separator: ".")[0]))
            case "name": found.insert(String(words[1]))
            // An overload of another name than its row's.
            case "swift":
                let name = words[1] == "disfavored" ? words[2] : words[1]
                found.insert(String(name.prefix { $0.isLetter || $0.isNumber }))
            default: break
            }
        }
        return found
    }

    private static let examples = Result { () throws -> String in
        let folder = SharedData.checkout.appendingPathComponent("Examples/Views")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".swift") }
            .map {
                try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
            }.joined(separator: "\n")
    }

    /// Whether a text uses a name, as a modifier with a point before it.
    private static func uses(_ name: String, isView: Bool, in text: String) -> Bool {
        let pattern = (isView ? "(?<![A-Za-z0-9_.])" : "\\.") + name + "(?![A-Za-z0-9_])"
        return text.range(of: pattern, options: .regularExpression) != nil
    }

    @Test(
        "the first hundred names, each by each",
        .enabled(if: SharedData.isAvailable("corpus/vocabulary_rank.csv")))
    func firstHundred() throws {
        let names = try #require(try Self.names(first: 100))
        #expect(names.count == 100)
        let table = try Self.table.get()
        let examples = try Self.examples.get()
        for (name, isView) in names {
            #expect(table.contains(name), "\(name) is not in the table")
            #expect(
                Self.uses(name, isView: isView, in: examples),
                "no example view uses \(name)")
        }
    }

    @Test("a name that nobody has is noticed")
    func notices() throws {
        #expect(try !Self.table.get().contains("matchedEverything"))
        let text = "Text(\"a\").padding(3)"
        #expect(Self.uses("Text", isView: true, in: text))
        #expect(Self.uses("padding", isView: false, in: text))
        #expect(!Self.uses("pad", isView: false, in: text))
        #expect(!Self.uses("padding", isView: true, in: text))
    }
}
