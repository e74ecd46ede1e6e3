import Foundation
import ModuleABI
import PatchCrypto
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("A guest build")
struct GuestBuilderReproducibilityTests {
    /// Uses what tempts a compiler to write paths into a module.
    private static func sources(in folder: String) -> [GuestSource] {
        [
            GuestSource(
                name: "\(folder)/Guest/Entry.swift",
                text: """
                    import Foundation
                    private func place(_ file: String = #file, _ id: String = #fileID) -> String {
                        file + id + #function
                    }
                    @_cdecl("entry") public func entry() -> Int32 {
                        precondition(helper() > 0, "helper failed")
                        return Int32(place().utf8.count)
                    }
                    """),
            GuestSource(
                name: "\(folder)/Sources/App/Helper.swift",
                text:
                    "private let table = [\"a\": 1, \"b\": 2]\nfunc helper() -> Int { table.count }"
            ),
        ]
    }

    @Test("the same sources give the same bytes in any folder, from any cache")
    func sameBytes() throws {
        let here = try TemporaryDirectory("first")
        let first = try guestBuilder().build(sources: Self.sources(in: "/home/one"))
        let second = try guestBuilder(cache: here.file("a cache/elsewhere")).build(
            sources: Self.sources(in: "C:\\Users\\two").reversed())
        #expect(first.wasm == second.wasm)
        #expect(first.debug == second.debug)
        for bytes in [first.wasm, first.debug ?? []] {
            let text = String(decoding: bytes, as: UTF8.self)
            for trace in [here.path, GuestTestCache.folder.path, "/home/one", "work-"] {
                #expect(!text.contains(trace), "\(trace) is in the output")
            }
        }
    }

    @Test("the module has no names; the debug file has, and says which module it is for")
    func debugFile() throws {
        let module = try guestBuilder().build(sources: Self.sources(in: "x"))
        #expect(try WasmBinary.customSections(of: module.wasm).isEmpty)
        let debug = try WasmBinary.customSections(of: try #require(module.debug))
        let names = debug.map(\.name)
        #expect(names.contains("name"))
        #expect(names.contains(".debug_line"))
        #expect(
            debug.first { $0.name == GuestModule.debugSectionName }?.bytes == module.digest)
        let line = debug.first { $0.name == ".debug_line" || $0.name == ".debug_line_str" }
        #expect(line != nil)
        let text = debug.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        #expect(text.contains("Entry.swift") && text.contains("Helper.swift"))
    }

    @Test("the section says which capabilities the module needs")
    func section() throws {
        let source = GuestSource(
            name: "dice.swift",
            text:
                "@_cdecl(\"roll\") public func roll() -> Int32 { print(\"roll\"); return .random(in: 1...6) }"
        )
        let section = ModuleSection(
            app_id: "6f1f9b0c-3f0e-4d4e-9d55-3d1d3f0a9a10", release: "1.0.1", sequence: 2,
            fp: String(repeating: "ab", count: 32), capabilities: [.clock])
        let module = try guestBuilder().build(sources: [source], section: section)
        #expect(module.imports == ["log.write", "random.fill"])
        #expect(module.capabilities == [.log, .random])
        let read = try #require(try ModuleSection.read(fromBytes: module.wasm))
        #expect(read.capabilities == [.clock, .log, .random])
        #expect(read.release == "1.0.1")
        // The section is the last one, so that a tool can replace it without touching the rest.
        let encoded = read.encoded()
        #expect(Array(module.wasm.suffix(encoded.count)) == encoded)
    }

    @Test("two files of one name build, and the order of files does not matter")
    func sameNames() throws {
        let sources = [
            GuestSource(name: "A/Model.swift", text: "func a() -> Int32 { 1 }"),
            GuestSource(name: "B/Model.swift", text: "func b() -> Int32 { 2 }"),
            GuestSource(
                name: "main.swift", text: "@_cdecl(\"f\") public func f() -> Int32 { a() + b() }"),
            GuestSource(name: "--odd name", text: "let odd = 1"),
        ]
        let module = try guestBuilder().build(sources: sources)
        #expect(try guestBuilder().build(sources: sources.reversed()).wasm == module.wasm)
        #expect(try GuestRun.answers(module.wasm, [call("f")]).first as? Int == 3)
    }

    @Test("a second build takes runtime and sources from the cache")
    func cached() throws {
        let folder = try TemporaryDirectory("cache")
        let source = GuestSource(name: "a.swift", text: "@_cdecl(\"f\") public func f() {}")
        let first = try guestBuilder().build(sources: [source])
        // The runtime as the other tests use it, so that this one need not compile it again.
        for entry in try FileManager.default.contentsOfDirectory(atPath: GuestTestCache.folder.path)
        where entry.hasPrefix("runtime-") {
            try FileManager.default.copyItem(
                at: GuestTestCache.folder.appendingPathComponent(entry), to: folder.file(entry))
        }
        let builder = try guestBuilder(cache: folder.url)
        func entries() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { !$0.hasPrefix("lock-") }.sorted()
        }
        let runtimes = try entries()
        #expect(try builder.build(sources: [source]).wasm == first.wasm)
        let made = try entries()
        #expect(Set(made).subtracting(runtimes).map { $0.prefix(7) } == ["object-"])
        #expect(try builder.build(sources: [source]).wasm == first.wasm)
        #expect(try entries() == made)
        // An edit compiles the sources again, and nothing else.
        var edited = source
        edited.text += "\n"
        _ = try builder.build(sources: [edited])
        #expect(Set(try entries()).subtracting(made).count == 1)
    }

    @Test("builds that want the same thing at the same time make it once")
    func oneAtATime() async throws {
        let folder = try TemporaryDirectory("cache")
        let cache = GuestCache(folder: folder.file("cache"))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var key = GuestCache.Key()
                    key.add("the same")
                    let entry = try cache.entry("runtime", key) { workshop in
                        try GuestFiles.write([1], to: workshop.appendingPathComponent("object"))
                        let mark = folder.file("made-\(UUID().uuidString)")
                        try GuestFiles.write([], to: mark)
                    }
                    return entry.lastPathComponent
                }
            }
            var entries = Set<String>()
            for try await entry in group { entries.insert(entry) }
            #expect(entries.count == 1)
        }
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(made.filter { $0.hasPrefix("made-") }.count == 1)
    }

    @Test("entries used least recently leave the cache")
    func pruned() throws {
        let folder = try TemporaryDirectory("cache")
        let cache = GuestCache(folder: folder.url)
        let base = Date().addingTimeInterval(-50_000)
        for index in 0..<GuestCache.maximumObjects + 6 {
            let name = "object-\(1000 + index)"
            try folder.write("", to: "\(name)/guest.o")
            try FileManager.default.setAttributes(
                [.modificationDate: base.addingTimeInterval(Double(index))],
                ofItemAtPath: folder.file(name).path)
        }
        for index in 0..<GuestCache.maximumRuntimes + 1 {
            try folder.write("", to: "runtime-\(index)/a.o")
            try FileManager.default.setAttributes(
                [.modificationDate: base.addingTimeInterval(Double(-index))],
                ofItemAtPath: folder.file("runtime-\(index)").path)
        }
        try folder.write("", to: "work-old/a.o")
        try folder.write("", to: "work-new/a.o")
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(-100_000)],
            ofItemAtPath: folder.file("work-old").path)
        cache.prune()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.filter { $0.hasPrefix("object-") }.count == GuestCache.maximumObjects)
        #expect(!left.contains("object-1000") && !left.contains("object-1005"))
        #expect(left.contains("object-1006"))
        #expect(left.filter { $0.hasPrefix("runtime-") }.count == GuestCache.maximumRuntimes)
        #expect(left.contains("runtime-0") && !left.contains("runtime-8"))
        #expect(left.contains("work-new"))
        #expect(!left.contains("work-old"))
    }
}
