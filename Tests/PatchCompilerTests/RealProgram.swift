import Foundation
import ModuleABI
import TestSupport

@testable import PatchCompiler

/// Prepared sources compiled into a program with the real PatchSDK, as the tests' own build made
/// it: calls of modules, and calls that modules make, are what they are in an app.
struct RealProgram {
    let executable: URL

    /// Compiles `files` with a main program that starts the SDK and then runs `driver`, whose
    /// top-level code may be async.
    init(
        _ files: [String], driver: String, in folder: TemporaryDirectory, flags: [String] = [],
        module: String = "App", links: [String] = []
    ) throws {
        let name = "real-\(UUID().uuidString.prefix(8))"
        executable = folder.file(name)
        let main = try folder.write(Self.start + driver, to: "\(name).d/main.swift")
        let result = try Self.swiftc(
            ["-module-name", module, "-o", executable.path] + flags + files + [main.path] + links
                + (try Self.objects()) + Self.libraries, in: folder.url)
        guard result.isEmpty else { throw StandIn.Failed(message: result) }
    }

    /// Compiles `files` into a module of its own beside the program.
    /// - Returns: what the program links with.
    static func library(
        _ files: [String], named name: String, in folder: TemporaryDirectory, flags: [String] = []
    ) throws -> [String] {
        let result = try swiftc(
            [
                "-module-name", name, "-parse-as-library", "-emit-module", "-emit-module-path",
                "\(name).swiftmodule", "-wmo", "-c", "-o", "\(name).o",
            ] + flags + files, in: folder.url)
        guard result.isEmpty else { throw StandIn.Failed(message: result) }
        return ["-I", folder.url.path, folder.file("\(name).o").path]
    }

    /// Runs without any module.
    func native() throws -> String { try run([:]).standardOutput }

    /// Runs with a module as what the app ships with.
    func patched(_ wasm: [UInt8]) throws -> String { try patchedResult(wasm).standardOutput }

    /// The same with what the SDK reports, on standard error.
    func patchedResult(_ wasm: [UInt8]) throws -> ChildProcess.Result {
        let folder = try TemporaryDirectory("real-resources")
        try Data(wasm).write(to: folder.file("base.wasm"))
        let section = try ModuleSection.read(fromBytes: wasm)
        return try run(["MODULE": folder.url.path, "FINGERPRINT": section?.fp ?? ""])
    }

    private func run(_ environment: [String: String]) throws -> ChildProcess.Result {
        let state = try TemporaryDirectory("real-state")
        let result = try ChildProcess.run(
            executable.path,
            environment: environment.merging([
                "OPENPATCH_DEV": "1", "STATE": state.url.path,
            ]) { $1 }, seconds: 1_800)
        guard result.status == 0 else {
            throw StandIn.Failed(message: "\(result.status) \(result.standardError)")
        }
        return result
    }

    private static let start = """
        import Foundation
        import PatchSDK

        if let folder = ProcessInfo.processInfo.environment["MODULE"] {
            var configuration = PatchConfiguration(appKey: "test", apiBaseURL: nil)
            configuration.fingerprint = ProcessInfo.processInfo.environment["FINGERPRINT"]
            configuration.resources = URL(fileURLWithPath: folder)
            configuration.stateFolder = URL(
                fileURLWithPath: ProcessInfo.processInfo.environment["STATE"] ?? "")
            Patch.configure(configuration)
            Patch.shared.onEvent { event in
                guard event.kind == .call || event.kind == .refused else { return }
                FileHandle.standardError.write(Data("\\(event.kind) \\(event.text)\\n".utf8))
            }
            let outcome = await Patch.shared.start()
            guard Patch.shared.hasActiveModule else { fatalError("\\(outcome)") }
        }

        """

    private static let targets = [
        "PatchSDK", "ModuleABI", "PatchCrypto", "PatchPlatform", "Rollout", "UpdateEngine",
        "WebAssembly", "CWasmCore", "CPatchGate", "TUF", "PatchCompression",
    ]

    private static let libraries = [
        "-lcrypto", "-lbrotlienc", "-lbrotlidec", "-lbrotlicommon", "-lm",
    ]

    private static func objects() throws -> [String] {
        try targets.flatMap { target -> [String] in
            let folder = Tools.builtProducts.appendingPathComponent("\(target).build")
            let walker = FileManager.default.enumerator(atPath: folder.path)
            var found: [String] = []
            while let path = walker?.nextObject() as? String {
                if path.hasSuffix(".o") { found.append(folder.appendingPathComponent(path).path) }
            }
            guard !found.isEmpty else { throw StandIn.Failed(message: "no objects of \(target)") }
            return found.sorted()
        }
    }

    private static func swiftc(_ arguments: [String], in folder: URL) throws -> String {
        let system = SharedData.checkout.appendingPathComponent("Sources/System")
        let maps = ["CPatchGate", "CWasmCore"].flatMap {
            [
                "-Xcc",
                "-fmodule-map-file="
                    + Tools.builtProducts.appendingPathComponent("\($0).build/module.modulemap")
                    .path,
            ]
        }
        let cache = Tools.builtProducts.appendingPathComponent("standin-module-cache")
        let result = try ChildProcess.run(
            "swiftc",
            [
                "-swift-version", "6", "-module-cache-path", cache.path, "-I",
                Tools.builtProducts.appendingPathComponent("Modules").path, "-I",
                system.appendingPathComponent("COpenSSL").path, "-I",
                system.appendingPathComponent("CBrotli").path,
            ] + maps + arguments, in: folder, seconds: 1_800)
        let printed = result.standardOutput + result.standardError
        return result.status == 0 ? printed : "failed: " + printed
    }
}

/// Compares what the working tree prints when it is compiled natively with what the store build
/// prints with a module of the difference, in the real SDK and under each set of flags.
@discardableResult
func expectSameInSDK(
    _ fixture: ProjectFixture, _ manifest: BuildManifest, driver: String,
    flags: [[String]] = [["-Onone"], ["-O"]]
) throws -> BuiltModule {
    let module = try fixture.project().buildModule(
        for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
    for flags in flags {
        let edited = try RealProgram(
            fixture.swiftFiles(), driver: driver, in: fixture.directory, flags: flags)
        let store = try RealProgram(
            fixture.swiftFiles("Store"), driver: driver, in: fixture.directory, flags: flags)
        let expected = try edited.native()
        guard try store.native() != expected else {
            throw StandIn.Failed(message: "the edit changes nothing: \(expected)")
        }
        let result = try store.patchedResult(module.wasm)
        guard result.standardOutput == expected, result.standardError.isEmpty else {
            throw StandIn.Failed(
                message: "\(flags): expected\n\(expected)\nfound\n\(result.standardOutput)\n"
                    + result.standardError)
        }
    }
    return module
}

extension ProjectFixture {
    /// Prepares the sources, registers them as a build and keeps them as `Store`.
    func registered() throws -> RegisteredBuild {
        let project = try project()
        try project.prepare()
        let build = try project.registerBuild()
        try FileManager.default.copyItem(
            at: directory.file("Sources"), to: directory.file("Store"))
        return build
    }
}
