import Foundation
import PatchCompiler
import ViewTree

/// The previewed views as the full compiler makes them, in a program of their own: what stands
/// beside the module's. Used by one thread at a time.
final class NativeScreens {
    /// The program does not answer, or has ended.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let folder: URL
    private var buffer: [UInt8] = []
    private var mounted: [UInt64: Surroundings] = [:]

    /// Seconds that one answer may take; a view that hangs is not waited for.
    private static let patience: Int32 = 10
    /// Bytes of one answer.
    private static let maximumLine = 64 << 20
    private static let mark = Array("openpatch:tree ".utf8)

    /// Compiles the files and starts the program.
    /// - Throws: what the build throws; ``Failed``.
    init(_ files: [GuestSource], _ builder: NativeViewBuilder) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("openpatch-preview-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appendingPathComponent("views")
        do {
            try builder.build(files, module: "Preview", to: program)
            process.executableURL = program
            process.standardInput = input
            process.standardOutput = output
            // Rows are told apart by hashes, whose seeds are fixed in a module; settings are those
            // of this preview.
            process.environment = ProcessInfo.processInfo.environment.merging([
                "SWIFT_DETERMINISTIC_HASHING": "1", "HOME": folder.path,
                "XDG_CONFIG_HOME": folder.path,
            ]) { $1 }
            try process.run()
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether a view is shown.
    func shows(_ view: UInt64) -> Bool { mounted[view] != nil }

    /// The view is begun anew when it is shown next.
    func forget(_ view: UInt64) { mounted[view] = nil }

    /// Begins a view anew.
    func mount(_ view: UInt64, in surroundings: Surroundings) throws -> [UInt8] {
        mounted[view] = surroundings
        return try ask("mount \(view) \(hex(surroundings.message(properties: [0x90])))")
    }

    /// Draws a view again, in other surroundings when they are.
    func show(_ view: UInt64, in surroundings: Surroundings) throws -> [UInt8] {
        mounted[view] = surroundings
        return try ask("update \(view) \(hex(surroundings.message(properties: [0x90])))")
    }

    /// Tells a view of an event.
    func send(_ view: UInt64, _ event: PreviewEvent) throws -> [UInt8] {
        try ask("event \(view) \(event.token.rawValue) \(hex(event.payload.bytes))")
    }

    /// A row of a long list; empty when it is gone.
    func row(_ view: UInt64, _ token: EventToken, _ index: Int) throws -> [UInt8] {
        try ask("row \(view) \(token.rawValue) \(index)")
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func ask(_ line: String) throws -> [UInt8] {
        guard process.isRunning else { throw Failed(description: "the native views have ended") }
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        while true {
            let answer = try readLine()
            // What the app prints stands between the answers.
            guard answer.starts(with: Self.mark) else { continue }
            let digits = answer.dropFirst(Self.mark.count)
            func digit(_ byte: UInt8) -> UInt8 { byte < 58 ? byte &- 48 : byte &- 87 }
            return stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map {
                digit(digits[$0]) << 4 | digit(digits[$0 + 1]) & 15
            }
        }
    }

    private func readLine() throws -> [UInt8] {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return Array(buffer[..<end])
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Self.patience * 1000) > 0, buffer.count < Self.maximumLine else {
                process.terminate()
                throw Failed(description: "the native views do not answer")
            }
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else {
                throw Failed(description: "the native views have ended")
            }
            buffer += piece
        }
    }
}
