import Foundation
import TestSupport
import Testing

/// The first seed's loop through the low-level API: load, fetch over HTTP, swap, roll back.
@Suite("The first seed's host on our engine")
@MainActor
struct SeedTests {
    @Test("a module greets byte by byte")
    func byteAtATime() throws {
        let module = try GreetingModule(wasmBytes: SeedGuests.versionOne.get())
        #expect(try module.greeting() == "Hello from version one")
    }

    @Test("a module greets by pointer and length", arguments: ["Ada", "", "Grüße 👋🏽"])
    func pointerAndLength(name: String) throws {
        let module = try GreetingModule(wasmBytes: SeedGuests.makeGreeting.get())
        #expect(try module.makeGreeting(name: name) == "Hello, \(name)")
    }

    @Test("a thousand greetings do not use the guest's memory up")
    func manyGreetings() throws {
        let module = try GreetingModule(wasmBytes: SeedGuests.makeGreeting.get())
        let name = String(repeating: "x", count: 1000)
        for _ in 0..<1000 {
            #expect(try module.makeGreeting(name: name).utf8.count == 1007)
        }
    }

    @Test("version two arrives over HTTP and is rolled back")
    func updateAndRollBack() async throws {
        let server = try WebServer()
        try server.serve(SeedGuests.versionTwo.get(), as: "latest.wasm")
        let store = GreetingStore()
        store.load(from: try SeedGuests.versionOne.get())
        #expect(store.text == "Hello from version one")

        let client = UpdateClient(latestURL: server.url("latest.wasm"))
        #expect(await client.fetchLatest(into: store))
        #expect(store.failure == nil)
        #expect(store.text == "Hello from version two, shipped without review")

        try server.serve(SeedGuests.versionOne.get(), as: "latest.wasm")
        #expect(await client.fetchLatest(into: store))
        #expect(store.text == "Hello from version one")
    }

    @Test("a corrupt version two leaves version one running", arguments: Corruption.allCases)
    func corruptUpdate(_ corruption: Corruption) async throws {
        let server = try WebServer()
        try server.serve(corruption.apply(to: SeedGuests.versionTwo.get()), as: "latest.wasm")
        let store = GreetingStore()
        store.load(from: try SeedGuests.versionOne.get())
        let client = UpdateClient(latestURL: server.url("latest.wasm"))
        #expect(await client.fetchLatest(into: store))
        #expect(store.failure?.hasPrefix("failed: ") == true)
        #expect(store.text == "Hello from version one")
        #expect(try store.currentGreeting() == "Hello from version one")
    }

    @Test("an absent file and a server that is down leave version one running")
    func noUpdate() async throws {
        let store = GreetingStore()
        store.load(from: try SeedGuests.versionOne.get())
        let server = try WebServer()
        let absent = UpdateClient(latestURL: server.url("absent.wasm"))
        #expect(await !absent.fetchLatest(into: store))
        let url = server.url("latest.wasm")
        server.stop()
        #expect(await !UpdateClient(latestURL: url).fetchLatest(into: store))
        #expect(try store.currentGreeting() == "Hello from version one")
    }

    @Test("a module cut off at any byte is refused, and version one keeps running")
    func truncatedAnywhere() throws {
        let store = GreetingStore()
        store.load(from: try SeedGuests.versionOne.get())
        let whole = try SeedGuests.versionTwo.get()
        // Every byte of the first thousand, where the structure is, then every 97th.
        for count in Array(0..<min(1000, whole.count))
            + Array(stride(from: 1000, to: whole.count, by: 97))
        {
            store.load(from: Array(whole[..<count]))
            guard store.failure == nil else { continue }
            // A cut between custom sections at the end leaves a module that is whole.
            #expect(store.text == "Hello from version two, shipped without review", "\(count)")
            store.load(from: try SeedGuests.versionOne.get())
        }
        #expect(try store.currentGreeting() == "Hello from version one")
    }
}

/// Ways in which a download goes wrong.
enum Corruption: String, CaseIterable, Sendable {
    case half
    case notWasm
    case empty
    case brokenSection

    func apply(to bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .half: return Array(bytes[..<(bytes.count / 2)])
        case .notWasm: return Array("<html>404</html>".utf8)
        case .empty: return []
        case .brokenSection:
            var broken = bytes
            // The first section's size.
            broken[9] ^= 0x3f
            return broken
        }
    }
}

/// `python3 -m http.server` over a folder of its own, on the loopback interface.
final class WebServer {
    private let folder: TemporaryDirectory
    private let process: ChildProcess
    private let port: UInt16

    init() throws {
        folder = try TemporaryDirectory("web")
        port = Tools.freePort()
        process = try ChildProcess(
            "python3",
            [
                "-u", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory",
                folder.path,
            ])
        try process.waitForOutput("Serving HTTP")
    }

    deinit { process.kill() }

    func stop() { process.kill() }

    func serve(_ bytes: [UInt8], as name: String) throws {
        try Data(bytes).write(to: folder.file(name))
    }

    func url(_ name: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)/\(name)") ?? URL(fileURLWithPath: "/")
    }
}
