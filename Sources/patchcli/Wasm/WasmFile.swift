import CommandLineKit
import Foundation
import WebAssembly

/// A module read from a file that somebody named.
struct WasmFile {
    /// The most that is read. Larger than any module that could be shipped to a device.
    static let maximumBytes = 256 << 20

    let path: String
    let bytes: [UInt8]
    let module: Module

    /// Reads and decodes a module.
    /// - Throws: ``CommandFailure``: `no_input` (66) or the reason that it is no module (65).
    init(path: String) throws {
        self.path = path
        let bytes = try Self.read(path)
        self.bytes = bytes
        module = try WasmFailure.explaining(path, bytes) { try parseWasm(bytes: bytes) }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        func refuse(_ what: String, why: String? = nil) -> CommandFailure {
            CommandFailure("no_input", what, why: why, exit: .noInput)
        }
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        } catch {
            throw refuse("There is no file '\(path)'")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw refuse("'\(path)' is not a file", why: "A module is one .wasm file.")
        }
        let size = attributes[.size] as? Int ?? 0
        guard size <= maximumBytes else {
            throw refuse(
                "'\(path)' is too large",
                why: "It has \(size) bytes; at most \(maximumBytes) are read.")
        }
        do {
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw refuse("'\(path)' cannot be read", why: error.localizedDescription)
        }
    }
}
