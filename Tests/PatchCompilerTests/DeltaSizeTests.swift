import PatchCompression
import PatchCrypto
import PatchDelta
import TestSupport
import Testing

@testable import PatchCompiler

/// How small updates are as deltas of real modules; `Docs/performance.md` cites what this prints.
@Suite("Sizes of deltas between guest modules")
struct DeltaSizeTests {
    private static let shop = """
        struct Line {
            var name: String
            var cents: Int
            var count: Int
        }
        func discount(_ cents: Int, _ code: String) -> Int {
            switch code {
            case "SPRING": return cents / 10
            case "STAFF": return cents / 2
            default: return 0
            }
        }
        func summary(_ lines: [Line]) -> String {
            var text = ""
            for line in lines { text += "\\(line.count) × \\(line.name) at \\(line.cents)\\n" }
            return text + "Thank you for your order"
        }
        func slug(_ title: String) -> String {
            var text = ""
            for character in title.lowercased() {
                if character.isLetter { text.append(character) }
                else if !text.hasSuffix("-") { text.append("-") }
            }
            return text
        }
        func wordCounts(_ text: String) -> [String: Int] {
            var counts: [String: Int] = [:]
            for word in text.split(separator: " ") { counts[String(word), default: 0] += 1 }
            return counts
        }
        func median(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        }
        func duration(_ seconds: Int) -> String {
            if seconds < 60 { return "\\(seconds) s" }
            return "\\(seconds / 3600) h \\(seconds / 60 % 60) min"
        }
        func greeting(_ name: String, _ hour: Int) -> String {
            if hour < 12 { return "Good morning, \\(name)!" }
            return "Good evening, \\(name)!"
        }

        """

    @Test("a changed literal and a changed function ship as little as promised")
    func promised() throws {
        let fixture = try ProjectFixture(files: ["shop.swift": Self.shop])
        let project = try fixture.project()
        try project.prepare()
        let build = try project.registerBuild()
        let shipped = try project.baseModule(of: build.manifest)
        var sequence = 0
        func module() throws -> [UInt8] {
            sequence += 1
            return try fixture.project().buildModule(
                for: build.manifest,
                release: ReleaseIdentity(version: "1.0.\(sequence)", sequence: sequence)
            ).wasm
        }
        try fixture.edit("Sources/shop.swift", "Good morning", "Good forenoon")
        let first = try module()
        try fixture.edit("Sources/shop.swift", "Good forenoon", "A very good morning to you")
        let literal = try module()
        try fixture.edit(
            "Sources/shop.swift", "if seconds < 60 { return \"\\(seconds) s\" }",
            "if seconds < 90 { return seconds == 1 ? \"a second\" : \"\\(seconds) seconds\" }")
        let function = try module()
        try fixture.edit("Sources/shop.swift", "? \"a second\"", "? \"just a second\"")
        try fixture.edit("Sources/shop.swift", "seconds / 60 % 60", "(seconds + 30) / 60 % 60")
        let again = try module()

        let figures = [
            ("literal, first patch", shipped, first, 1 << 10),
            ("literal, release to release", first, literal, 1 << 10),
            ("one more function", literal, function, 5 << 10),
            ("one changed function", function, again, 5 << 10),
            ("two functions, first patch", shipped, again, 5 << 10),
        ]
        for (name, base, payload, limit) in figures {
            let whole = try Brotli.compress(payload).count
            let delta = try #require(try Delta.make(from: base, to: payload, smallerThan: whole))
            print("\(name): \(payload.count) bytes, brotli \(whole), delta \(delta.count)")
            #expect(delta.count <= limit, "\(name)")
            #expect(
                try Delta.apply(
                    delta, to: base, digest: SHA256.hash(base), maximumSize: payload.count)
                    == payload)
        }
    }
}
