import Foundation
import TestSupport
import ViewTree

/// The example views as a native program (`HostUI`), asked line by line.
final class HostViews {
    private let process: ChildProcess
    /// Where the program keeps its settings.
    private let home: TemporaryDirectory

    struct Failed: Error, CustomStringConvertible {
        var description: String
    }

    /// The program, built once for all tests.
    static let program = Result { () throws -> URL in
        let scratch = Tools.builtProducts.appendingPathComponent("hostui")
        guard let swift = Tools.find("swift") else {
            throw Failed(description: "no swift on PATH")
        }
        let result = try ChildProcess.run(
            swift,
            [
                "build", "--package-path",
                SharedData.checkout.appendingPathComponent("HostUI").path, "--scratch-path",
                scratch.path, "-debug-info-format", "none", "--product", "hostviews",
            ], seconds: 900)
        guard result.status == 0 else {
            throw Failed(description: result.standardOutput + result.standardError)
        }
        return scratch.appendingPathComponent("debug/hostviews")
    }

    init() throws {
        // Identifiers of rows are hash values; a guest's seeds are fixed.
        home = try TemporaryDirectory("hostviews")
        process = try ChildProcess(
            try Self.program.get().path,
            environment: [
                "SWIFT_DETERMINISTIC_HASHING": "1", "HOME": home.url.path,
                "XDG_CONFIG_HOME": home.url.path,
            ], input: true)
    }

    func mount(_ name: String, in surroundings: Surroundings) throws -> [UInt8]? {
        try ask("mount \(name) \(hex(surroundings.message(properties: [0x90])))")
    }

    func send(_ token: EventToken, _ payload: EventPayload) throws -> [UInt8]? {
        try ask("event \(token.rawValue) \(hex(payload.bytes))")
    }

    func row(_ token: EventToken, _ index: Int) throws -> [UInt8]? {
        try ask("row \(token.rawValue) \(index)")
    }

    func update(_ surroundings: Surroundings) throws -> [UInt8]? {
        try ask("update \(hex(surroundings.message(properties: [0x90])))")
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func ask(_ line: String) throws -> [UInt8]? {
        try process.send(line + "\n")
        guard let answer = process.nextLine() else {
            throw Failed(
                description: "the native views ended at '\(line)': \(process.complained)")
        }
        return answer == Array("gone".utf8) ? nil : Self.bytes(answer)
    }

    private static func bytes(_ hex: [UInt8]) -> [UInt8] {
        func digit(_ character: UInt8) -> UInt8 {
            character >= UInt8(ascii: "a")
                ? character - UInt8(ascii: "a") + 10 : character - UInt8(ascii: "0")
        }
        return stride(from: 0, to: hex.count - 1, by: 2).map {
            digit(hex[$0]) << 4 | digit(hex[$0 + 1])
        }
    }
}
