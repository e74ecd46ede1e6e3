// swift-format-ignore-file
// Stands in for PatchSDK where a test runs prepared code: calls go to another program, line by
// line.
@_exported import CPatchGate
import Foundation

public struct PatchArguments {
    var scalars: [String] = []
    var value: [UInt8]?

    public mutating func i32(_ value: UInt32) { scalars.append("i32:\(value)") }
    public mutating func i64(_ value: UInt64) { scalars.append("i64:\(value)") }
    public mutating func f32(_ value: Float) { scalars.append("f32:\(value.bitPattern)") }
    public mutating func f64(_ value: Double) { scalars.append("f64:\(value.bitPattern)") }
    public mutating func encoded(_ body: (inout MessagePackWriter) -> Void) {
        var writer = MessagePackWriter()
        body(&writer)
        value = writer.bytes
    }
}

public struct PatchResult {
    let text: String

    public func i32() throws -> UInt32 { UInt32(truncatingIfNeeded: Int64(text)!) }
    public func i64() throws -> UInt64 { UInt64(bitPattern: Int64(text)!) }
    public func f32() throws -> Float { Float(bitPattern: UInt32(text)!) }
    public func f64() throws -> Double { Double(bitPattern: UInt64(text)!) }
    public mutating func decoded<T>(
        _ body: (inout MessagePackReader) throws -> T
    ) throws -> T {
        var reader = MessagePackReader(text == "nil" ? [0xc0] : unhex(text))
        let value = try body(&reader)
        try reader.finish()
        return value
    }
}

public final class PatchFunction {
    public typealias Body = (inout MessagePackReader, inout MessagePackWriter) throws -> Void
    public init(_ body: @escaping Body) {}
    public func end() {}
}

extension MessagePackReader {
    public mutating func function<F>(_ type: F.Type) throws -> F { try refuse() }
}

public enum PatchCall {
    /// Opens the gates named by GATES; calls then go to the program that SERVE names.
    public static func open() {
        for gate in (environment["GATES"] ?? "").split(separator: ",") {
            patch_gate_set(UInt16(gate)!, true)
        }
    }

    public static func function<F>(
        _ function: F, _ body: (F) -> PatchFunction.Body
    ) -> PatchFunction { PatchFunction(body(function)) }
    public static func withObjects<R>(_ body: () throws -> R) rethrows -> R { try body() }
    public static func number(of object: AnyObject) -> UInt64 { .max }
    public static func object<T: AnyObject>(_ number: UInt64, as type: T.Type) throws -> T {
        throw MessagePackError(.invalidValue, at: 0)
    }

    public static func invoke<R>(
        _ function: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> R
    ) -> R? {
        var written = PatchArguments()
        arguments(&written)
        let text = written.value.map { "hex:" + hex($0) } ?? written.scalars.joined(separator: ",")
        var answer = PatchResult(text: server.ask("op_f_\(hex16(function)) \(text)"))
        return try! result(&answer)
    }

    public static func attempt<R>(
        _ function: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> R
    ) throws -> R? { invoke(function, arguments, result) }

    public static func task<R>(
        _ function: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> R,
        isolation: isolated (any Actor)? = #isolation
    ) async -> R? { invoke(function, arguments, result) }

    public static func attemptTask<R>(
        _ function: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> R,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> R? { invoke(function, arguments, result) }

    public static func nativeError(_ number: UInt64) -> any Error { NoError() }
    struct NoError: Error {}

    private static let environment = ProcessInfo.processInfo.environment
    nonisolated(unsafe) private static let server = Server(
        environment["SERVE"]!.split(separator: "\n").map(String.init))
}

public enum PatchNative: Sendable {
    case read(@Sendable (inout MessagePackReader, inout MessagePackWriter) throws -> Void)
    case call(@Sendable (inout MessagePackReader, inout MessagePackWriter) throws -> Void)
    case main(@MainActor @Sendable (inout MessagePackReader, inout MessagePackWriter) throws -> Void)
    case task(@Sendable ([UInt8]) async throws -> [UInt8])
}

public final class PatchNatives: Sendable {
    public init(
        find: @escaping @Sendable (UInt64) -> PatchNative?,
        error: @escaping @Sendable (any Error, inout MessagePackWriter) -> Bool
    ) {}
    public var pointer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}

private final class Server {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ command: [String]) {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = input
        process.standardOutput = output
        try! process.run()
    }

    func ask(_ line: String) -> String {
        input.fileHandleForWriting.write((line + "\n").data(using: .utf8)!)
        var answer = Data()
        while let byte = try! output.fileHandleForReading.read(upToCount: 1), byte.first != 0x0a {
            precondition(!byte.isEmpty, "the module's server ended")
            answer += byte
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private func unhex(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)!
    }
}

private func hex16(_ id: UInt64) -> String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
