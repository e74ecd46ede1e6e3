import Foundation
import TestSupport
import Testing

/// One module for several store builds.
@Suite("A release for several builds")
struct SeveralBuildsTests {
    @Test("the same bytes go to every build that they serve; another build is refused by name")
    func several() throws {
        let loop = try Loop("several")
        try loop.makeReady()
        func fingerprint(_ document: [String: Any]) throws -> String {
            String(try #require(document["fingerprint"] as? String).prefix(16))
        }
        let first = try fingerprint(try loop.json("fingerprint", "show"))
        try loop.folder.write(
            "func more(_ cents: Int) -> Int { cents }\n", to: "app/Sources/Tiny/More.swift")
        let second = try fingerprint(try loop.json("fingerprint", "register"))
        #expect(first != second)

        try loop.edit("\"EUR \"", to: "\"€ \"")
        _ = try loop.json("release", "--fingerprint", second, "--fingerprint", first)
        let live = try #require(try loop.json("status")["live"] as? [[String: Any]])
        #expect(live.count == 2)
        #expect(Set(live.compactMap { $0["stable"] as? String }) == ["1.0.1"])
        let served = Set(live.compactMap { ($0["fingerprint"] as? String)?.prefix(16) })
        #expect(served == [first[...], second[...]])

        try loop.edit("{ cents }", to: "{ cents + 1 }", in: "Sources/Tiny/More.swift")
        let refused = try loop.cli("release", "--fingerprint", second, "--fingerprint", first)
        #expect(refused.status == 6)
        #expect(
            refused.standardError.contains("'more(_:)' is not in that build"),
            "\(refused.standardError)")
        let other = try loop.cli("release", "--fingerprint", first, "--fingerprint", second)
        #expect(other.status == 6)
        #expect(
            other.standardError.contains("'more(_:)' differs from that build"),
            "\(other.standardError)")
        let after = try #require(try loop.json("status")["live"] as? [[String: Any]])
        #expect(Set(after.compactMap { $0["stable"] as? String }) == ["1.0.1"])
    }
}
