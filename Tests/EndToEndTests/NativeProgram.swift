import Foundation
import TestSupport

/// A program compiled from Swift files with the PatchSDK that these tests were built with.
enum NativeProgram {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// What PatchSDK is made of.
    private static let targets = [
        "CPatchGate", "CWasmCore", "ModuleABI", "PatchCompression", "PatchCrypto", "PatchPlatform",
        "PatchSDK", "Rollout", "TUF", "UpdateEngine", "WebAssembly",
    ]

    /// Compiles every Swift file below `sources` to one program.
    /// - Throws: ``Failed`` with what the compiler said.
    static func compile(
        _ sources: URL, module: String, to program: URL, flags: [String] = ["-O"],
        language: String = "6", with more: [String] = []
    ) throws {
        let files =
            FileManager.default.enumerator(atPath: sources.path)?
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
            .map { sources.appendingPathComponent($0).path } ?? []
        let products = Tools.builtProducts
        let objects = (targets + more).flatMap { target -> [String] in
            let folder = products.appendingPathComponent("\(target).build")
            return
                (FileManager.default.enumerator(atPath: folder.path)?
                .compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".o") && !$0.hasSuffix(".swiftmodule.o") }.sorted()
                .map { folder.appendingPathComponent($0).path }
        }
        let result = try ChildProcess.run(
            "swiftc",
            [
                "-swift-version", language, "-parse-as-library", "-module-name", module,
                "-module-cache-path", products.appendingPathComponent("program-cache").path,
                "-I", products.appendingPathComponent("Modules").path,
            ] + moduleMaps + flags + files + objects
                + ["-lcrypto", "-lbrotlidec", "-lbrotlienc", "-o", program.path],
            in: program.deletingLastPathComponent(), seconds: 1_800)
        guard result.status == 0 else {
            throw Failed(description: result.standardOutput + result.standardError)
        }
    }

    /// Where the module maps of the C code below PatchSDK lie.
    static var moduleMaps: [String] {
        let own = ["CPatchGate", "CWasmCore"].map {
            Tools.builtProducts.appendingPathComponent("\($0).build/module.modulemap")
        }
        let system = ["CBrotli", "COpenSSL"].map {
            SharedData.checkout.appendingPathComponent("Sources/System/\($0)/module.modulemap")
        }
        return (own + system).flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }
}
