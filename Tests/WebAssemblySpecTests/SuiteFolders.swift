import Foundation
import TestSupport

/// The given suites, each unpacked once for all tests into a folder of its own.
enum SuiteFolders {
    static let wasm2 = "spec-suite/wasm-2.0.tar.gz"
    static let memory64 = "spec-suite/memory64.tar.gz"

    static func unpacked(_ archive: String) throws -> URL {
        try (archive == wasm2 ? wasm2Folder : memory64Folder).get().url
    }

    private static let wasm2Folder = Result { try unpack(wasm2) }
    private static let memory64Folder = Result { try unpack(memory64) }

    private static func unpack(_ archive: String) throws -> TemporaryDirectory {
        let file = try SharedData.require(archive)
        let folder = try TemporaryDirectory("spec")
        let result = try ChildProcess.run("tar", ["-xzf", file.path, "-C", folder.path])
        guard result.status == 0 else { throw Unpacking(message: result.standardError) }
        return folder
    }

    struct Unpacking: Error {
        let message: String
    }

    /// The count of binary assertions of a script, taken from its JSON without the runner's help.
    static func assertions(in file: URL) throws -> Int {
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let commands = (object as? [String: Any])?["commands"] as? [[String: Any]] ?? []
        return commands.filter { command in
            guard let type = command["type"] as? String, type.hasPrefix("assert_") else {
                return false
            }
            return command["module_type"] as? String != "text"
        }.count
    }
}
