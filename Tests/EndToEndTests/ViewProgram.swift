import Foundation
import TestSupport

/// Programs with views, compiled natively on Linux against the host build of the vocabulary.
enum ViewProgram {
    struct Failed: Error, CustomStringConvertible {
        var description: String
    }

    /// The host's modules: `PatchGuest`, `SwiftUI` and `PatchSwiftUI`, built once for all tests.
    private static let modules = Result { () throws -> URL in
        let folder = Tools.builtProducts.appendingPathComponent("view-programs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sources = SharedData.checkout.appendingPathComponent("HostUI/Sources")
        for module in ["PatchGuest", "SwiftUI", "PatchSwiftUI"] {
            let own = sources.appendingPathComponent(module).resolvingSymlinksInPath()
            let files = try FileManager.default.contentsOfDirectory(atPath: own.path)
                .filter { $0.hasSuffix(".swift") }.sorted()
                .map { own.appendingPathComponent($0).path }
            try compile(
                [
                    "-wmo", "-Onone", "-module-name", module, "-emit-module",
                    "-emit-module-path",
                    folder.appendingPathComponent("\(module).swiftmodule").path,
                    "-c", "-o", folder.appendingPathComponent("\(module).o").path,
                    "-I", folder.path,
                ] + files, in: folder)
        }
        return folder
    }

    /// Compiles every Swift file below `sources` to one program.
    /// - Throws: ``NativeProgram/Failed`` for sources that do not compile.
    static func build(
        _ sources: URL, module: String, to program: URL, flags: [String]
    ) throws {
        let host = try modules.get()
        try NativeProgram.compile(
            sources, module: module, to: program,
            flags: flags + [
                "-I", host.path,
            ]
                + ["PatchGuest", "SwiftUI", "PatchSwiftUI"].map {
                    host.appendingPathComponent("\($0).o").path
                }, language: "5", with: ["ViewTree", "PatchHTML"])
    }

    private static func compile(_ arguments: [String], in folder: URL) throws {
        let result = try ChildProcess.run(
            "swiftc",
            [
                "-swift-version", "5", "-parse-as-library", "-I",
                Tools.builtProducts.appendingPathComponent("Modules").path,
            ] + NativeProgram.moduleMaps + arguments, in: folder, seconds: 900)
        guard result.status == 0 else {
            throw Failed(description: result.standardOutput + result.standardError)
        }
    }
}
