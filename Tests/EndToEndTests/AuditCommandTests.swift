import Foundation
import TestSupport
import Testing
import WebAssembly

/// What can be patched, and where a trap was.
@Suite("Audit and symbolicate")
struct AuditCommandTests {
    private static func project(_ name: String) throws -> Loop {
        let loop = try Loop(name)
        try loop.folder.write(
            """
            /// Compiles natively alone.
            func listed(_ values: [Int]) -> String {
                var kept: [Any] = []
                for value in values { kept.append(value) }
                return "\\(kept.count)"
            }

            final class Till {
                var sum = 0
                init() {}
                func add(_ cents: Int) { sum += cents }
            }
            """, to: "app/Sources/Tiny/Till.swift")
        _ = try loop.json("init", "--base-url", "http://127.0.0.1:1/patches")
        return loop
    }

    @Test("patchable is what was compiled in this run; the others have their reason and line")
    func audit() throws {
        let loop = try Self.project("audit")
        let report = try loop.json("audit")
        let functions = try #require(report["functions"] as? [[String: Any]])
        func standing(_ name: String) -> String? {
            functions.first { $0["name"] as? String == name }?["standing"] as? String
        }
        #expect(standing("priceLabel(_:)") == "patchable")
        #expect(standing("listed(_:)") == "candidate")
        #expect(standing("Till.add(_:)") == "patchable" && standing("Till.init()") == "native")
        let total = try #require(report["total"] as? [String: Any])
        #expect(total["patchable"] as? Int == 2 && total["candidates"] as? Int == 1)
        let text = try loop.cli("audit", "--all").standardOutput
        #expect(
            text.contains("Sources/Tiny/Till.swift:2: listed(_:): it does not compile"), "\(text)")
        #expect(text.contains("[initializer]"))

        let sarif = try JSONSerialization.jsonObject(
            with: Data(try loop.cli("audit", "--sarif").standardOutput.utf8))
        let log = try #require(sarif as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
        let rules = Set(
            (driver?["rules"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String })
        #expect(results.allSatisfy { rules.contains($0["ruleId"] as? String ?? "") })
        #expect(results.contains { $0["level"] as? String == "warning" })
        #expect(results.count == functions.count - 2)
    }

    @Test("a change that cannot ship is listed place by place, and no release is made")
    func refused() throws {
        let loop = try Self.project("refused")
        _ = try loop.json("prepare")
        _ = try loop.json("fingerprint", "register", "--no-publish")
        try loop.edit("sum += cents", to: "sum -= cents", in: "Sources/Tiny/Till.swift")
        try loop.edit("A tiny shop", to: "A small shop")
        let result = try loop.cli("build", "--json")
        #expect(result.status == 6)
        let document =
            try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
            as? [String: Any]
        let error = try #require(document?["error"] as? [String: Any])
        #expect(error["code"] as? String == "native_change")
        let list = try #require(error["list"] as? [String])
        #expect(
            list.contains { $0.hasPrefix("Sources/Tiny/Price.swift:7: 'Tiny.main()'") }, "\(list)")
    }

    @Test("a trap's byte is the user's file and line, by the debug file of its release")
    func symbolicate() throws {
        let loop = try Self.project("symbolicate")
        _ = try loop.json("prepare")
        let build = try loop.json("fingerprint", "register")
        try loop.edit(
            "return \"EUR \" + String(cents / 100)",
            to: "let share = 100 / (cents - 5)\n    return \"EUR \" + String(share)")
        let released = try loop.json("release")
        let release = try #require(released["release"] as? [String: Any])
        let raw = try #require(release["raw"] as? [String: Any])
        let digest = try #require(raw["sha256"] as? String)
        _ = try loop.json("build", "--version", release["version"] as? String ?? "")
        let fp16 = String((build["fingerprint"] as? String ?? "").prefix(16))
        let wasm = [UInt8](
            try Data(
                contentsOf: loop.app.appendingPathComponent(".openpatch/out/\(fp16)/module.wasm")))
        let trap = try #require(try Self.trap(wasm))

        let text = "problem: trapped: \(trap)\nand nothing else at byte no number"
        let log = try loop.folder.write(text, to: "app.log")
        let result = try ChildProcess.run(
            "sh", ["-c", "'\(Loop.patchcli)' symbolicate --release \(digest) <'\(log.path)'"],
            in: loop.app)
        #expect(
            result.standardOutput.contains("at Sources/Tiny/Price.swift:3, byte "),
            "\(text)\n\(result)")
        #expect(result.standardOutput.contains("and nothing else at byte no number"))
        let named = try loop.json("symbolicate", "\(trap.backtrace[0].offset)")
        let places = try #require(named["places"] as? [[String: Any]])
        #expect(places.count == 1 && places[0]["file"] as? String == "Sources/Tiny/Price.swift")
        try outOfBounds(loop)
        #expect(try loop.cli("symbolicate", "--release", "9.9", "1").status == 66)
        #expect(try loop.cli("symbolicate", "x").status == 64)
    }

    /// A trap in the standard library points to the line of the app that led to it.
    private func outOfBounds(_ loop: Loop) throws {
        try loop.edit(
            "    return \"EUR \" + String(share)",
            to: "    return [share].suffix(2)\n    .map(String.init)[cents]")
        try loop.edit("cents - 5", to: "cents + 1")
        let output = loop.folder.file("bounds.wasm").path
        _ = try loop.json("build", "--output", output)
        let trap = try #require(
            try Self.trap([UInt8](Data(contentsOf: URL(fileURLWithPath: output)))))
        let result = try loop.cli(
            "symbolicate", "--debug", output + ".debug", "\(trap.backtrace[0].offset)")
        let place = result.standardOutput
        #expect(
            place.contains("at Sources/Tiny/Price.swift:4,")
                || place.contains("at Sources/Tiny/Price.swift:5,"), "\(result)")
    }

    /// The trap that the label of a price ends with.
    private static func trap(_ wasm: [UInt8]) throws -> Trap? {
        let store = Store(engine: Engine())
        let module = try parseWasm(bytes: wasm)
        var imports = Imports()
        for item in module.imports {
            guard case .function(let type) = item.kind else { continue }
            imports.define(
                module: item.module, name: item.name,
                Function(store: store, parameters: type.parameters, results: type.results) {
                    _, _ in type.results.map { _ in .i32(0) }
                })
        }
        let instance = try module.instantiate(store: store, imports: imports)
        _ = try instance.exports[function: "_initialize"]?.invoke()
        let name = module.exports.map(\.name).first { $0.hasPrefix("op_f_") } ?? ""
        do {
            _ = try instance.exports[function: name]?.invoke([.i64(5)])
            return nil
        } catch let trap as Trap {
            return trap
        }
    }
}
