import Foundation
import TestSupport

@testable import PatchCompiler

/// One cache for all guest tests, beside what the build made, so that the runtime is compiled once.
enum GuestTestCache {
    static let folder = Tools.builtProducts.appendingPathComponent("guest-test-cache")
}

func guestBuilder(
    _ target: GuestTarget = .wasm64, cache: URL = GuestTestCache.folder,
    change: (inout GuestBuildOptions) -> Void = { _ in }
) throws -> GuestBuilder {
    var options = GuestBuildOptions()
    options.timeout = 600
    options.target = target
    options.cacheFolder = cache
    change(&options)
    return GuestBuilder(toolchain: try Toolchain.discover(target: target), options: options)
}

/// A program of the folder `GuestPrograms` as a module.
func guestProgram(
    _ name: String, _ target: GuestTarget, change: (inout GuestBuildOptions) -> Void = { _ in }
) throws -> GuestModule {
    let folder = SharedData.checkout
        .appendingPathComponent("Tests/PatchCompilerTests/GuestPrograms")
    let sources = try ["GuestProgramSupport", name].map { name in
        let url = folder.appendingPathComponent("\(name).swift")
        return GuestSource(
            name: url.lastPathComponent, text: try String(contentsOf: url, encoding: .utf8))
    }
    return try guestBuilder(target, change: change).build(sources: sources)
}

/// Text of the first seed, whose guest files must build as pasted.
enum Seed {
    static let path = "seeds/native-swift-ota-from-scratch.txt"

    /// The lines from the one starting with `first` to the one starting with `last`, inclusive.
    static func excerpt(from first: String, to last: String) throws -> String {
        let text = try String(contentsOf: SharedData.require(path), encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        guard let start = lines.firstIndex(where: { $0.hasPrefix(first) }),
            let end = lines[start...].firstIndex(where: { $0.hasPrefix(last) })
        else { throw NotFound(line: first) }
        return lines[start...end].joined(separator: "\n") + "\n"
    }

    struct NotFound: Error { var line: String }

    static func greeting() throws -> GuestSource {
        GuestSource(
            name: "greeting.swift",
            text: try excerpt(from: "// greeting.swift", to: "private let message"))
    }

    static func pointerGreeting() throws -> GuestSource {
        let marked = try excerpt(from: "// greeting_mem.swift", to: "    return (p << 32) | l")
        return GuestSource(name: "greeting_mem.swift", text: marked + "}\n")
    }
}

/// Runs a module on wasmtime.
struct GuestRun {
    /// - Returns: the answers, as JSON gives them.
    static func answers(_ wasm: [UInt8], _ steps: [[String: Any]]) throws -> [Any] {
        let folder = try TemporaryDirectory("guest-run")
        let module = folder.file("module.wasm")
        try Data(wasm).write(to: module)
        let script = folder.file("steps.json")
        try JSONSerialization.data(withJSONObject: steps).write(to: script)
        let program = SharedData.checkout
            .appendingPathComponent("Tests/PatchCompilerTests/Fixtures/guest/run_guest.py")
        let result = try ChildProcess.run(
            Tools.python, [program.path, module.path, script.path], seconds: 1_800)
        guard result.status == 0 else { throw Failed(message: result.standardError) }
        let json = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return json as? [Any] ?? []
    }

    struct Failed: Error { var message: String }
}

func call(_ name: String, _ args: Any..., packed: Bool = false, alloc: String? = nil)
    -> [String: Any]
{
    var step: [String: Any] = ["call": name, "args": args]
    if packed { step["packed"] = true }
    if let alloc { step["alloc"] = alloc }
    return step
}

func text(_ value: String) -> [String: String] { ["text": value] }
