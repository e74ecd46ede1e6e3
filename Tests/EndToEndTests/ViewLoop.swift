import Foundation
import TestSupport
import ViewTree

/// A program with screens that is asked line by line.
final class ScreenProgram {
    private let process: ChildProcess
    /// Where the program keeps its settings.
    private let home: TemporaryDirectory
    private var read = 0

    struct NoAnswer: Error {
        var output: String
    }

    /// What a program says of its screen.
    struct Answer {
        var running: String
        var html: String
        var tree: [ViewNode]
        var page: String { ScreenScript.normalized(tree) }
    }

    init(_ program: URL, _ arguments: [String] = []) throws {
        // Identifiers of rows are hash values; a module's seeds are fixed.
        home = try TemporaryDirectory("screen-program")
        process = try ChildProcess(
            program.path, arguments,
            environment: [
                "OPENPATCH_DEV": "1", "SWIFT_DETERMINISTIC_HASHING": "1", "HOME": home.url.path,
                "XDG_CONFIG_HOME": home.url.path,
            ], input: true)
    }

    deinit { process.kill() }

    func ask(_ line: String) throws -> Answer {
        try process.send(line + "\n")
        // Bounds a hang; a busy machine takes nothing like it.
        let deadline = Date().addingTimeInterval(600)
        while true {
            let lines = process.printed.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.count > read + 1 {
                defer { read += 1 }
                return try Self.answer(String(lines[read]))
            }
            guard Date() < deadline, process.isRunning else {
                throw NoAnswer(output: process.complained)
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    func show(_ screen: String) throws -> Answer { try ask("show \(screen)") }

    func send(_ token: EventToken, _ payload: EventPayload) throws -> Answer {
        let hex = payload.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return try ask("send \(token.rawValue) \(hex)")
    }

    /// Does what a user does with what holds a text.
    func use(_ name: String, on answer: Answer) throws -> Answer {
        let script = ScreenScript(answer.tree)
        guard let (token, payload) = script.event(name) else {
            throw NoAnswer(output: "nothing called \(name) among \(script.events.map(\.name))")
        }
        return try send(token, payload)
    }

    /// Everything that it complained about.
    var problems: String { process.complained }

    private static func answer(_ line: String) throws -> Answer {
        struct Document: Decodable {
            var running: String
            var html: String
            var tree: String
        }
        let document = try JSONDecoder().decode(Document.self, from: Data(line.utf8))
        let digits = Array(document.tree.utf8)
        func digit(_ byte: UInt8) -> UInt8 { byte < 58 ? byte - 48 : byte - 87 }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
            digit(digits[$0]) << 4 | digit(digits[$0 + 1])
        }
        return Answer(
            running: document.running, html: document.html, tree: try Tree.decode(bytes))
    }
}

/// The screens of `Examples/Storefront/Screens` as their developer has them: a store build that
/// runs, a real server, and the sources.
final class ViewLoop {
    static let screens = ["catalog", "product", "cart", "order", "options"]

    let loop: Loop
    private let pristine: URL
    private let shipped: URL

    var sources: URL { loop.app.appendingPathComponent("Sources/StorefrontScreens") }

    init(_ name: String) throws {
        loop = try Loop(name, example: "Storefront/Screens")
        pristine = loop.folder.file("pristine")
        shipped = loop.folder.file("shipped")
        // Models of the shop are links in the example.
        for file in try Self.swiftFiles(sources) {
            let url = sources.appendingPathComponent(file)
            let origin = SharedData.checkout
                .appendingPathComponent("Examples/Storefront/Screens/Sources/StorefrontScreens")
                .appendingPathComponent(file)
            let text = try Data(contentsOf: origin)
            try FileManager.default.removeItem(at: url)
            try text.write(to: url)
        }
        try FileManager.default.copyItem(at: sources, to: pristine)
        try loop.makeReady()
    }

    /// The program that the store has, running; made of the prepared sources.
    func store(_ flags: [String]) throws -> ScreenProgram {
        _ = try loop.json("prepare")
        let name = "Store" + flags.joined()
        let program = loop.folder.file(name)
        try ViewProgram.build(sources, module: "StorefrontScreens", to: program, flags: flags)
        if !FileManager.default.fileExists(atPath: shipped.path) {
            try FileManager.default.copyItem(
                at: sources.appendingPathComponent("Resources"), to: shipped)
        }
        _ = try loop.json("unprepare")
        return try ScreenProgram(
            program,
            ["--resources", shipped.path, "--state", loop.folder.file("state-\(name)").path])
    }

    /// The sources as they are, compiled natively and running.
    func native() throws -> ScreenProgram {
        let program = loop.folder.file("native-\(UUID().uuidString.prefix(8))")
        try ViewProgram.build(
            sources, module: "StorefrontScreens", to: program, flags: ["-Onone"])
        return try ScreenProgram(program)
    }

    /// The sources as the store build was made of them.
    func reset() throws {
        for file in try Self.swiftFiles(sources) {
            try FileManager.default.removeItem(at: sources.appendingPathComponent(file))
        }
        for file in try Self.swiftFiles(pristine) {
            try FileManager.default.copyItem(
                at: pristine.appendingPathComponent(file),
                to: sources.appendingPathComponent(file))
        }
    }

    /// Releases the sources.
    /// - Returns: the release's version.
    /// - Throws: ``ShopLoop/Refused``.
    func release() throws -> String {
        let result = try loop.cli("release", "--json")
        guard result.status == 0,
            let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
                as? [String: Any],
            let release = document["release"] as? [String: Any],
            let version = release["version"] as? String
        else {
            throw ShopLoop.Refused(
                status: result.status, message: result.standardOutput + result.standardError)
        }
        return version
    }

    private static func swiftFiles(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("+OpenPatch.swift") }.sorted()
    }
}
