import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Async functions in a module: the guest is left where it waits for native code.
@Suite("Async functions in a module")
struct AsyncTests {
    static let code = """
        import Foundation

        enum LoadError: Error, Equatable { case missing(Int) }

        actor Store {
            private var seen: [Int] = []
            func note(_ id: Int) -> Int {
                seen.append(id)
                return seen.count
            }
            var all: [Int] { seen }
        }

        let store = Store()

        struct Item: Sendable, Equatable {
            var id: Int
            var name: String
            func checked() async throws -> Item {
                if id == 13 { throw LoadError.missing(13) }
                return Item(id: id, name: name + "!")
            }
        }

        /// Native: a module has no clock to sleep by and no actors.
        func fetch(_ id: Int) async throws -> Item {
            try await Task.sleep(nanoseconds: 1_000_000)
            if id < 0 { throw CocoaError(.fileNoSuchFile) }
            let place = await store.note(id)
            return Item(id: id, name: "item \\(id) at \\(place)")
        }

        @MainActor var title = "shop"

        @MainActor func rename(_ text: String) -> String {
            dispatchPrecondition(condition: .onQueue(.main))
            defer { title = text }
            return title
        }

        // Edited below.

        func names(_ ids: [Int]) async throws -> [String] {
            var names: [String] = []
            for id in ids {
                let item = try await fetch(id)
                names.append(try await item.checked().name + ".")
            }
            return names
        }

        func patient(_ id: Int) async -> String {
            do {
                let item = try await fetch(id)
                return try await item.checked().name + " ok"
            } catch LoadError.missing(let number) {
                return "missing \\(number)"
            } catch {
                return "failed"
            }
        }

        func renamed(_ text: String) async -> String {
            let old = await rename(text)
            return "from \\(old) to \\(await rename(old))"
        }

        func demandMain() { dispatchPrecondition(condition: .onQueue(.main)) }

        @MainActor func heading(_ id: Int) async -> String {
            demandMain()
            let old = rename("heading")
            let name = (try? await fetch(id).name) ?? "nothing"
            demandMain()
            return rename(old) + ": " + name
        }

        struct Basket {
            var ids: [Int]
            var total: Int {
                get async throws { try await names(ids).count * 2 }
            }
            mutating func fill(_ id: Int) async throws -> Int {
                ids.append(try await fetch(id).id)
                return ids.count
            }
        }

        func twice(_ ids: [Int]) async {
            for id in ids { _ = try? await fetch(id) }
        }
        """

    static let driver = """
        print(try await names([1, 2, 3]), try await names([]))
        for ids in [[1, 13], [-1]] {
            do { print(try await names(ids)) } catch let error as LoadError { print(error) } catch {
                print((error as NSError).domain, (error as NSError).code)
            }
        }
        for id in [4, 13, -4] { print(await patient(id)) }
        print(await renamed("other"), title)
        print(await heading(5), await heading(-5))
        func fill() async throws {
            var basket = Basket(ids: [8])
            print(try await basket.fill(9), basket.ids, try await basket.total)
        }
        try await fill()
        await twice([20, 21])
        // Many at once, each on its own instance.
        let all = await withTaskGroup(of: String.self) { group in
            for id in 100..<140 { group.addTask { await patient(id).components(separatedBy: " at ")[0] } }
            var found: [String] = []
            for await text in group { found.append(text) }
            return found.sorted()
        }
        print(all.count, all.first ?? "", await store.all.count)
        """

    @Test("what waits for native code goes on where it was, on the right actor")
    func same() throws {
        let fixture = try ProjectFixture(files: ["Async.swift": Self.code])
        let build = try fixture.registered()
        let file = "Sources/Async.swift"
        try fixture.edit(file, "checked().name + \".\"", "checked().name + \";\"")
        try fixture.edit(file, "name + \" ok\"", "name + \" fine\"")
        try fixture.edit(file, "\"from \\(old)", "\"out of \\(old)")
        try fixture.edit(file, "rename(old) + \": \"", "rename(old) + \" - \"")
        try fixture.edit(file, "count * 2", "count * 3")
        try fixture.edit(file, "return ids.count", "return ids.count + 1")
        try fixture.edit(
            file, "for id in ids { _ = try? await fetch(id) }",
            "for id in ids { _ = try? await fetch(id + 1); _ = try? await fetch(id) }")
        let module = try expectSameInSDK(fixture, build.manifest, driver: Self.driver)
        #expect(module.coverage.covered.count == 7)
        #expect(
            Set(module.coverage.calls).isSuperset(of: ["fetch(_:)", "rename(_:)"]))
    }

    @Test(
        "what starts work beside itself is refused by name, never compiled into something else",
        arguments: [
            "async let a = fetch(1)\n    return try! await a.name",
            "return await withTaskGroup(of: Int.self) { _ in \"\" }",
            "Task { print(1) }\n    return \"\"",
            "for await x in AsyncStream<Int> { $0.finish() } { print(x) }\n    return \"\"",
        ])
    func refused(body: String) throws {
        let scan = FunctionScanner.scan(
            try SourceTree(files: [
                SourceFile(
                    module: "App", path: "A.swift", url: URL(fileURLWithPath: "/A.swift"),
                    stored: Array("func work(_ x: Int) async -> String {\n    \(body)\n}\n".utf8))
            ]))
        #expect(scan.functions.isEmpty)
        #expect(scan.refusals.map(\.reason) == [.isAsync])
        // The app's modules can still wait for it.
        #expect(scan.natives.map(\.path) == ["work(_:)"])
    }
}
