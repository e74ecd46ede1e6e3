import Foundation
import TestSupport

@testable import PatchCompiler

/// Prepared sources compiled into a native program, with a stand-in for PatchSDK.
struct PreparedProgram {
    let executable: URL

    /// Compiles `files` with a main program that opens the gates and then runs `driver`.
    /// - Parameter flags: further flags of the compiler, such as `-O`.
    init(_ files: [String], driver: String, in folder: TemporaryDirectory, flags: [String] = [])
        throws
    {
        let name = "program-\(UUID().uuidString.prefix(8))"
        executable = folder.file(name)
        let main = try folder.write(
            "import PatchSDK\nPatchCall.open()\n" + driver, to: "\(name).d/main.swift")
        let output = try StandIn.compile(
            ["-module-name", "App", "-o", executable.path] + flags + files
                + [main.path] + StandIn.objects, in: folder.url)
        guard output.isEmpty else { throw StandIn.Failed(message: output) }
    }

    /// Runs with every gate closed.
    func native() throws -> String { try run([:]) }

    /// Runs with the calls of some functions served from a module.
    /// - Parameters:
    ///   - gates: the gates of the functions that the module serves.
    ///   - packed: ids of functions that answer with a packed result.
    func patched(_ wasm: [UInt8], gates: [Int], packed: [String]) throws -> String {
        let folder = try TemporaryDirectory("patched")
        let module = folder.file("module.wasm")
        try Data(wasm).write(to: module)
        let server = ProjectFixture.root.appendingPathComponent("standin/serve_calls.py")
        return try run([
            "GATES": gates.map(String.init).joined(separator: ","),
            "SERVE": [
                Tools.python, server.path, module.path,
                packed.map { "op_f_" + $0 }.joined(separator: ","),
            ].joined(separator: "\n"),
        ])
    }

    private func run(_ environment: [String: String]) throws -> String {
        let result = try ChildProcess.run(executable.path, environment: environment)
        guard result.status == 0 else { throw StandIn.Failed(message: result.standardError) }
        return result.standardOutput
    }
}

/// The stand-in for PatchSDK, compiled once.
enum StandIn {
    struct Failed: Error, CustomStringConvertible {
        var message: String
        var description: String { message }
    }

    static let folder: Result<TemporaryDirectory, any Error> = Result { try build() }

    /// What a program links with.
    static var objects: [String] {
        get throws {
            let folder = try folder.get()
            return [folder.file("PatchSDK.o").path, folder.file("gate.o").path]
        }
    }

    /// Runs the compiler.
    /// - Returns: what it printed; nothing when all is well, warnings included.
    static func compile(_ arguments: [String], in folder: URL) throws -> String {
        let standIn = try Self.folder.get()
        return try run(
            ["-I", standIn.path, "-swift-version", "6"] + arguments, in: folder)
    }

    private static func run(_ arguments: [String], in folder: URL) throws -> String {
        let cache = Tools.builtProducts.appendingPathComponent("standin-module-cache")
        let result = try ChildProcess.run(
            "swiftc", ["-module-cache-path", cache.path] + arguments, in: folder, seconds: 1_800)
        let printed = result.standardOutput + result.standardError
        return result.status == 0 ? printed : "failed: " + printed
    }

    private static func build() throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory("standin")
        let gate = SharedData.checkout.appendingPathComponent("Sources/CPatchGate")
        try folder.write(
            """
            module CPatchGate {
                header "\(gate.path)/include/CPatchGate.h"
                export *
            }
            """, to: "module.modulemap")
        let abi = SharedData.checkout.appendingPathComponent("Sources/ModuleABI")
        let sources = try FileManager.default.contentsOfDirectory(atPath: abi.path)
            .filter { $0.hasPrefix("MessagePack") }.sorted()
            .map { abi.appendingPathComponent($0).path }
        let printed = try run(
            [
                "-module-name", "PatchSDK", "-swift-version", "5", "-I", folder.path,
                "-emit-module", "-emit-module-path", "PatchSDK.swiftmodule", "-wmo", "-c", "-o",
                "PatchSDK.o", "-parse-as-library",
                ProjectFixture.root.appendingPathComponent("standin/PatchSDK.swift").path,
                SharedData.checkout
                    .appendingPathComponent("Sources/PatchSDK/Calls/FoundationValues.swift").path,
            ] + sources, in: folder.url)
        guard printed.isEmpty else { throw Failed(message: printed) }
        let compiled = try ChildProcess.run(
            "clang",
            ["-c", gate.path + "/gate.c", "-I", gate.path + "/include", "-o", "gate.o"],
            in: folder.url)
        guard compiled.status == 0 else { throw Failed(message: compiled.standardError) }
        return folder
    }
}
