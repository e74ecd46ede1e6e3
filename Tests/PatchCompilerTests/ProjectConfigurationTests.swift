import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("The project's files")
struct ProjectConfigurationTests {
    static let good = """
        {
          "v": 1,
          "app_id": "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11",
          "app_key": "pak_1",
          "name": "Gr\\u00fc\\u00dfe \\ud83e\\uddf5",
          "server": "http://127.0.0.1:8080/api/v1",
          "channel": "beta",
          "platform": "linux",
          "sources": [
            {"module": "App", "path": "Sources/App"},
            {"module": "Core", "path": "Sources/Core"}
          ],
          "guest": ["Guest"],
          "resources": "Resources"
        }
        """

    @Test("every field is read, and the optional ones have their defaults")
    func read() throws {
        let all = try ProjectConfiguration(json: Self.good)
        #expect(all.name == "Grüße 🧵")
        #expect(all.appKey == "pak_1")
        #expect(all.server == "http://127.0.0.1:8080/api/v1")
        #expect(all.channel == "beta")
        #expect(all.sources.map(\.module) == ["App", "Core"])
        #expect(all.guest == ["Guest"])
        #expect(all.resources == "Resources")
        let few = try ProjectConfiguration(
            json: """
                \u{feff}{"v": 1, "app_id": "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11", "name": "A",
                "platform": "ios", "sources": [{"module": "A", "path": "A"}]}
                """)
        #expect(few.channel == "production" && few.appKey == "" && few.guest == [])
        #expect(few.server == nil && few.resources == nil)
    }

    @Test(
        "a mistake is named with its line and field",
        arguments: [
            ("\"v\": 1,", "\"v\": 2,", 2, "'v'"),
            ("\"v\": 1,", "\"v\": \"1\",", 2, "'v'"),
            ("\"v\": 1,\n", "", 1, "'v'"),
            ("6f0e2a1c", "6F0E2A1C", 3, "'app_id'"),
            ("pak_1", "pak 1", 4, "'app_key'"),
            ("\"platform\": \"linux\"", "\"platform\": \"amiga\"", 8, "'platform'"),
            ("\"channel\"", "\"chanel\"", 7, "'chanel'"),
            ("\"Sources/Core\"", "\"../Core\"", 11, "'sources[1].path'"),
            ("\"Sources/Core\"", "\"/Core\"", 11, "'sources[1].path'"),
            ("\"Sources/Core\"", "7", 11, "'sources[1].path'"),
            ("\"module\": \"Core\"", "\"module\": \"2Core\"", 11, "'sources[1].module'"),
            ("\"module\": \"Core\"", "\"modul\": \"Core\"", 11, "'sources[1].module'"),
            ("\"module\": \"Core\"", "\"module\": \"App\"", 9, "twice"),
            ("[\"Guest\"]", "\"Guest\"", 13, "'guest'"),
            ("[\"Guest\"]", "[1]", 13, "'guest'"),
            ("\"resources\": \"Resources\"", "\"resources\": \"\"", 14, "'resources'"),
            ("\"channel\": \"beta\",", "\"channel\": \"beta\"", 8, "missing"),
            ("\"beta\"", "\"be\nta\"", 7, "not closed"),
            ("\"beta\"", "beta", 7, "'beta' is not a value"),
            ("\"beta\"", "\"beta\", \"v\": 1", 7, "twice"),
            ("\"beta\"", "\"\\ud800\"", 7, "surrogate"),
            ("\"beta\"", "\"\\q\"", 7, "JSON does not know"),
            ("\"Resources\"\n}", "\"Resources\"\n}}", 15, "after the end"),
            ("\"Resources\"\n}", "\"Resources\"\n", 15, "missing"),
        ])
    func mistakes(old: String, new: String, line: Int, text: String) throws {
        let json = Self.good.replacingOccurrences(of: old, with: new)
        #expect(json != Self.good)
        let error = #expect(throws: PatchProjectError.self) { try ProjectConfiguration(json: json) }
        #expect(error?.kind == .configurationInvalid)
        #expect(error?.places == [SourcePlace(file: "openpatch.json", line: line)])
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test("no text crashes the reader: truncated, deeply nested, random")
    func hostile() {
        let bytes = Array(Self.good.utf8)
        for length in bytes.indices {
            #expect(throws: PatchProjectError.self) {
                try ProjectConfiguration(json: String(decoding: bytes[..<length], as: UTF8.self))
            }
        }
        #expect(throws: PatchProjectError.self) {
            try ProjectConfiguration(json: String(repeating: "[", count: 100_000))
        }
        var generator = SeededGenerator(seed: SeededGenerator.seed)
        for _ in 0..<300 {
            var broken = bytes
            let place = Int.random(in: 0..<broken.count, using: &generator)
            broken[place] = UInt8.random(in: 0...255, using: &generator)
            _ = try? ProjectConfiguration(json: String(decoding: broken, as: UTF8.self))
        }
    }

    @Test("an absent file and an absent folder say what to do")
    func absent() throws {
        let folder = try TemporaryDirectory("empty")
        let missing = #expect(throws: PatchProjectError.self) {
            try PatchProject(folder: folder.url)
        }
        #expect(missing?.kind == .configurationMissing)
        #expect(missing?.message.contains("patchcli init") == true)
        let fixture = try ProjectFixture(files: [:])
        try FileManager.default.removeItem(at: fixture.directory.file("Sources"))
        let noSources = #expect(throws: PatchProjectError.self) { try fixture.project().prepare() }
        #expect(noSources?.kind == .fileAccess)
        #expect(noSources?.message.contains("'Sources'") == true)
    }

    @Test("the published schema knows exactly the fields that are read")
    func schema() throws {
        let file = SharedData.checkout.appendingPathComponent("Docs/openpatch.schema.json")
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: Any])
        #expect(
            Set(properties.keys) == [
                "$schema", "v", "app_id", "app_key", "name", "server", "channel", "platform",
                "sources", "guest", "info_plists", "entitlements", "resources", "expiry_days",
            ])
        let platform = try #require(properties["platform"] as? [String: Any])
        #expect(platform["enum"] as? [String] == ProjectConfiguration.platforms)
        let required = try #require(schema["required"] as? [String])
        for field in required {
            // Whatever the schema calls required, the reader misses.
            let object = try JSONSerialization.jsonObject(with: Data(Self.good.utf8))
            var fields = try #require(object as? [String: Any])
            fields[field] = nil
            let json = try JSONSerialization.data(withJSONObject: fields)
            #expect(throws: PatchProjectError.self) {
                try ProjectConfiguration(json: String(decoding: json, as: UTF8.self))
            }
        }
    }
}

@Suite("Gates")
struct ProjectLockTests {
    @Test("the file keeps one function a line and reads back equal")
    func file() throws {
        var lock = ProjectLock()
        try lock.allot([(id: 3, name: "A.c()"), (id: 1, name: "A.a()"), (id: 2, name: "A.b()")])
        #expect(lock.entries.map(\.gate) == [0, 1, 2])
        let folder = try TemporaryDirectory("lock")
        let text = String(decoding: try lock.encoded(), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 8)
        try folder.write(text, to: ProjectLock.fileName)
        #expect(try ProjectLock(folder: folder.url) == lock)
        try folder.write("{}", to: ProjectLock.fileName)
        let error = #expect(throws: PatchProjectError.self) { try ProjectLock(folder: folder.url) }
        #expect(error?.kind == .lockInvalid)
        for bad in [
            text.replacingOccurrences(of: "\"gate\":1", with: "\"gate\":65536"), "[", text + "x",
        ] {
            try folder.write(bad, to: ProjectLock.fileName)
            #expect(throws: PatchProjectError.self) { try ProjectLock(folder: folder.url) }
        }
    }

    @Test("gates stay unique and stable under random additions, removals and merges")
    func stability() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seed)
        var lock = ProjectLock()
        var known: [UInt64: Int] = [:]
        for _ in 0..<50 {
            let ids = (1...UInt64(60)).filter { _ in Bool.random(using: &generator) }
            try lock.allot(ids.map { (id: $0, name: "f\($0)") })
            let gates = lock.gates
            #expect(Set(gates.values).count == gates.count)
            for (id, gate) in known { #expect(gates[id] == gate) }
            known = gates
        }
    }

    @Test("two branches that took the same gate are told apart, the same way on every machine")
    func merged() throws {
        let folder = try TemporaryDirectory("lock")
        try folder.write(
            """
            {"v": 1, "functions": [
              {"gate": 0, "id": "000000000000000b", "name": "A.b()"},
              {"gate": 0, "id": "000000000000000a", "name": "A.a()"},
              {"gate": 1, "id": "000000000000000a", "name": "A.a()"}
            ]}
            """, to: ProjectLock.fileName)
        var lock = try ProjectLock(folder: folder.url)
        try lock.allot([(id: 10, name: "A.a()"), (id: 11, name: "A.b()")])
        #expect(lock.gates == [10: 0, 11: 1])
    }

    @Test("when gates run out, those of functions that are gone are used, and then it is an error")
    func full() throws {
        var lock = ProjectLock()
        let all = (0..<UInt64(ProjectLock.gateCount)).map { (id: $0, name: "f") }
        try lock.allot(all)
        try lock.allot([(id: 1_000_000, name: "new")])
        #expect(lock.gates == [1_000_000: 0])
        try lock.allot(all.dropLast() as [(id: UInt64, name: String)])
        var tooMany = ProjectLock()
        let error = #expect(throws: PatchProjectError.self) {
            try tooMany.allot(all + [(id: 1_000_000, name: "new")])
        }
        #expect(error?.kind == .tooManyFunctions)
    }
}
