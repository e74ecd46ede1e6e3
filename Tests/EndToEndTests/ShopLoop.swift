import Foundation
import TestSupport

/// The shop of `Examples/Storefront` as its developer has it: a store build that runs and takes
/// orders and updates, a real server, and the sources.
final class ShopLoop {
    /// A change that was not released, and what `patchcli` said.
    struct Refused: Error {
        var status: Int32
        var message: String
    }

    /// The running program did not do in time what was waited for.
    struct NoAnswer: Error {
        var output: String
    }

    /// The program does not end well even when it is built natively.
    struct NativeFailure: Error {
        var message: String
    }

    let loop: Loop
    let orders: [String]
    private let running: ChildProcess
    private let pristine: URL
    /// Answers that the program has given and a test has read.
    private var read = 0

    var app: URL { loop.app }
    var sources: URL { app.appendingPathComponent("Sources/Storefront") }

    init(_ name: String, orders: [String]) throws {
        self.orders = orders
        loop = try Loop(name, example: "Storefront")
        pristine = loop.folder.file("pristine")
        let sources = loop.app.appendingPathComponent("Sources/Storefront")
        try FileManager.default.copyItem(at: sources, to: pristine)
        try loop.makeReady()
        let program = loop.folder.file("Store")
        try NativeProgram.compile(sources, module: "Storefront", to: program)
        // What ships stays as it is; the developer goes on with the sources as they were.
        let resources = loop.folder.file("shipped")
        try FileManager.default.copyItem(
            at: sources.appendingPathComponent("Resources"), to: resources)
        _ = try loop.json("unprepare")
        running = try ChildProcess(
            program.path,
            [
                "--resources", resources.path, "--state", loop.folder.file("state").path,
                "--poll", "0.2",
            ], environment: ["OPENPATCH_DEV": "1"], input: true)
    }

    deinit { running.kill() }

    /// The sources as the store build was made of them.
    func reset() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: sources.path)
        where name.hasSuffix(".swift") {
            try FileManager.default.removeItem(at: sources.appendingPathComponent(name))
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: pristine.path)
        where name.hasSuffix(".swift") {
            try FileManager.default.copyItem(
                at: pristine.appendingPathComponent(name),
                to: sources.appendingPathComponent(name))
        }
    }

    /// What the sources answer when they are built natively.
    func native() throws -> [String] {
        let program = loop.folder.file("native-\(UUID().uuidString.prefix(8))")
        // Without the optimiser: the store build has it, and modules do too.
        try NativeProgram.compile(
            sources, module: "Storefront", to: program, flags: ["-Onone"])
        let result = try ChildProcess.run(
            "sh", ["-c", "'\(program.path)' --native <'\(try ordersFile().path)'"], seconds: 900)
        guard result.status == 0 else {
            throw NativeFailure(message: "it ended with \(result.status)")
        }
        return Self.answers(in: result.standardOutput)
    }

    private func ordersFile() throws -> URL {
        try loop.folder.write(orders.map { $0 + "\n" }.joined(), to: "orders.jsonl")
    }

    /// Releases the sources.
    /// - Returns: the release's version.
    /// - Throws: ``Refused``.
    func release() throws -> String {
        let result = try loop.cli("release", "--json")
        guard result.status == 0,
            let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
                as? [String: Any],
            let release = document["release"] as? [String: Any],
            let version = release["version"] as? String
        else {
            throw Refused(
                status: result.status, message: result.standardOutput + result.standardError)
        }
        return version
    }

    /// Waits until the running program has taken a release over.
    func waitFor(_ version: String) throws {
        let wanted = "storefront: running \(version)"
        let deadline = Date().addingTimeInterval(900)
        while lastSaid != wanted {
            guard Date() < deadline, running.isRunning else {
                throw NoAnswer(output: running.complained)
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    private var lastSaid: String {
        running.complained.split(separator: "\n").last { $0.contains("running ") }.map(String.init)
            ?? ""
    }

    /// What the running program answers.
    func answers() throws -> [String] {
        try running.send(orders.map { $0 + "\n" }.joined())
        let wanted = read + orders.count
        let deadline = Date().addingTimeInterval(900)
        while true {
            let all = Self.answers(in: running.printed)
            if all.count >= wanted {
                defer { read = wanted }
                return Array(all[read..<wanted])
            }
            guard Date() < deadline, running.isRunning else {
                throw NoAnswer(output: running.complained)
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// Calls that a module was to serve and did not.
    var problems: [String] {
        running.complained.split(separator: "\n").filter { !$0.contains("running ") }
            .map(String.init)
    }

    private static func answers(in output: String) -> [String] {
        Array(output.components(separatedBy: "\n\n").dropLast())
    }
}
