import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Functions that a module cannot contain and calls in the app instead.
@Suite("Native code called from a module")
struct NativeCallTests {
    static let code = """
        import Foundation

        nonisolated(unsafe) var journal: [String] = []
        nonisolated(unsafe) private var counter = 0

        enum ShopError: Error, Equatable { case empty, limit(Int) }

        /// Has an effect and no result.
        func note(_ text: String) { journal.append(text) }

        /// Changes storage that a module has no share in.
        private func next() -> Int {
            counter += 1
            return counter
        }

        /// Uses a library that a module does not have.
        func stamp(_ day: Int) -> String {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            return [parts.year, parts.month, parts.day].map { "\\($0 ?? 0)" }
                .joined(separator: "-")
        }

        struct Money: Equatable {
            var cents: Int
            private var history: [String] = []
            init(_ cents: Int) { self.cents = cents }

            var text: String {
                "\\(cents) \\(ProcessInfo.processInfo.processIdentifier > 0)"
            }

            mutating func add(_ more: Int) -> Bool {
                let lock = NSLock()
                lock.lock()
                defer { lock.unlock() }
                cents += more
                history.append("+\\(more)")
                return history.count > 1
            }

            func described() -> String { "\\(cents) \\(history.joined(separator: ","))" }
        }

        func checked(_ value: Int) throws -> Int {
            if value == 0 { throw ShopError.empty }
            if value > 100 { throw ShopError.limit(value) }
            if value < 0 { _ = try Data(contentsOf: URL(fileURLWithPath: "/no/such/file")) }
            return value * 2
        }

        func strict(_ value: Int) throws(ShopError) -> [Int] {
            guard Thread.isMainThread || value >= 0 else { return [] }
            if value == 7 { throw .limit(7) }
            return [value, value]
        }

        // Edited below.

        func label(_ day: Int) -> String {
            note("label \\(day)")
            return "on \\(stamp(day)), \\(next())"
        }

        func bill(_ parts: [Int]) -> String {
            var money = Money(10)
            var more = false
            for part in parts { more = money.add(part) }
            return "\\(money.text) \\(more) \\(money.described())"
        }

        func careful(_ value: Int) -> String {
            do {
                return "fine \\(try checked(value))"
            } catch ShopError.empty {
                return "empty"
            } catch let error as ShopError {
                return error == .limit(value) ? "limit" : "?"
            } catch {
                return "something"
            }
        }

        func passing(_ value: Int) throws -> Int { try checked(value) + 1 }

        func typed(_ value: Int) throws(ShopError) -> Int { try strict(value).count }
        """

    static let driver = """
        for day in [0, 365, -1] { print(label(day)) }
        for parts in [[], [5], [1, 2, 300]] { print(bill(parts)) }
        for value in [0, 1, 50, 101, -1] {
            print(careful(value))
            do { print(try passing(value)) } catch let error as ShopError { print(error) } catch {
                print((error as NSError).domain, (error as NSError).code)
            }
        }
        for value in [1, 7] { do { print(try typed(value)) } catch { print(error) } }
        print(journal)
        """

    static func edited() throws -> (ProjectFixture, RegisteredBuild) {
        let fixture = try ProjectFixture(files: ["Shop.swift": code])
        let build = try fixture.registered()
        let file = "Sources/Shop.swift"
        try fixture.edit(file, "\"on \\(stamp", "\"at \\(stamp")
        try fixture.edit(file, "Money(10)", "Money(11)")
        try fixture.edit(file, "\"fine \\(try", "\"good \\(try")
        try fixture.edit(file, "try checked(value) + 1", "try checked(value) + 2")
        try fixture.edit(file, "strict(value).count", "strict(value).count + 40")
        return (fixture, build)
    }

    @Test("a patched function calls what cannot be in a module, as the natively built one does")
    func same() throws {
        let (fixture, build) = try Self.edited()
        let module = try expectSameInSDK(fixture, build.manifest, driver: Self.driver)
        #expect(module.coverage.covered.count == 5)
        #expect(
            Set(module.coverage.calls) == [
                "note(_:)", "next()", "stamp(_:)", "Money.text", "Money.add(_:)", "checked(_:)",
                "strict(_:)",
            ])
        // What it calls is among its needs, so another build refuses it.
        #expect(module.section.needs.count == 12)
        #expect(module.section.capabilities == [.native])
    }

    @Test("what a changed function itself cannot be is still refused, with the place")
    func refused() throws {
        let (fixture, build) = try Self.edited()
        try fixture.edit("Sources/Shop.swift", "note(\"label \\(day)\")", "counter += 1")
        let error = #expect(throws: PatchProjectError.self) {
            try fixture.project().buildModule(
                for: build.manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        }
        #expect(error?.kind == .cannotShip)
        #expect(error?.message.contains("'counter' can change") == true)
    }

    @Test("a native function that changed is not called, because the app has the old one")
    func changed() throws {
        let (fixture, build) = try Self.edited()
        try fixture.edit("Sources/Shop.swift", "separator: \"-\"", "separator: \".\"")
        let error = #expect(throws: PatchProjectError.self) {
            try fixture.project().buildModule(
                for: build.manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        }
        #expect(error?.kind == .cannotCompile)
        #expect(error?.places.first?.file == "Sources/Shop.swift")
    }

    @Test("a build that does not offer the function gets no module that calls it")
    func notOffered() throws {
        let (fixture, build) = try Self.edited()
        var manifest = build.manifest
        manifest.calls = nil
        #expect(throws: PatchProjectError.self) {
            try fixture.project().buildModule(
                for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        }
    }
}
