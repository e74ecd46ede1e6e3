import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("The fingerprint")
struct FingerprintTests {
    static let files = [
        "Prices.swift": """
        import Foundation

        func label(_ cents: Int) -> String { "\\(cents) EUR" }
        func helper<T>(_ x: T) -> T { x }
        struct Line { var name: String }

        """,
        "Deep/More.swift": "func more() -> Int { 1 }\n",
    ]

    private func value(_ change: (ProjectFixture) throws -> Void = { _ in }) throws -> Fingerprint {
        let fixture = try ProjectFixture(files: Self.files)
        try change(fixture)
        return try fixture.project().fingerprint()
    }

    @Test(
        "it is the same in every folder, prepared or not, whatever the bodies, layout and comments")
    func stable() throws {
        let plain = try value()
        #expect(plain.value.utf8.count == 64 && plain.short == plain.value.prefix(16))
        #expect(try value() == plain)
        #expect(try value { try $0.project().prepare() } == plain)
        #expect(
            try value {
                try $0.edit("Sources/Prices.swift", "EUR", "USD, \\(cents * 2) more")
            } == plain)
        #expect(
            try value {
                try $0.edit(
                    "Sources/Prices.swift", "struct Line { var name: String }",
                    "/// A line.\nstruct Line {\n    var name: String // its name\n}\n")
            } == plain)
        #expect(
            try value {
                try $0.directory.write("not Swift", to: "Sources/notes.txt")
                try $0.directory.write("func x() {}", to: "Sources/.hidden.swift")
                try $0.directory.write("let y = 1", to: "Elsewhere/Other.swift")
            } == plain)
    }

    @Test("P28: locale, time zone and environment are no inputs")
    func environment() throws {
        let fixture = try ProjectFixture(files: Self.files)
        let before = try fixture.project().fingerprint()
        let old = (
            getenv("TZ").map { String(cString: $0) }, getenv("LANG").map { String(cString: $0) }
        )
        setenv("TZ", "Pacific/Kiritimati", 1)
        setenv("LANG", "tr_TR.UTF-8", 1)
        defer {
            if let zone = old.0 { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
            if let language = old.1 { setenv("LANG", language, 1) } else { unsetenv("LANG") }
        }
        #expect(try fixture.project().fingerprint() == before)
    }

    @Test(
        "whatever native code depends on changes it, and the difference is named",
        arguments: [
            (
                "func helper<T>(_ x: T) -> T { x }", "func helper<T>(_ x: T) -> T { return x }",
                ["source Sources/Prices.swift"]
            ),
            ("var name: String", "var name: String = \"\"", ["source Sources/Prices.swift"]),
            ("import Foundation", "import Glibc", ["source Sources/Prices.swift"]),
            (
                "_ cents: Int) -> String", "_ cents: Int = 1) -> String",
                ["source Sources/Prices.swift"]
            ),
            (
                "_ cents: Int) -> String", "_ cents: Int64) -> String",
                ["source Sources/Prices.swift", "surface"]
            ),
            ("func label", "func title", ["source Sources/Prices.swift", "surface"]),
        ])
    func sensitive(old: String, new: String, inputs: [String]) throws {
        let changed = try value { try $0.edit("Sources/Prices.swift", old, new) }
        #expect(changed.differences(from: try value()) == inputs)
        #expect(changed.value != (try value()).value)
    }

    @Test("resolved dependencies count by version, not by where they were fetched from")
    func dependencies() throws {
        func pins(_ version: String, _ location: String) -> String {
            """
            {"version": 3, "originHash": "\(location)", "pins": [{"identity": "kit",
             "kind": "remoteSourceControl", "location": "\(location)",
             "state": {"revision": "abc", "version": "\(version)"}}]}
            """
        }
        let one = try value { try $0.directory.write(pins("1.0.0", "a"), to: "Package.resolved") }
        let same = try value { try $0.directory.write(pins("1.0.0", "b"), to: "Package.resolved") }
        let other = try value { try $0.directory.write(pins("1.0.1", "a"), to: "Package.resolved") }
        #expect(one == same)
        #expect(other.differences(from: one) == ["dependencies"])
        #expect(one.differences(from: try value()) == ["dependencies"])
    }
}
