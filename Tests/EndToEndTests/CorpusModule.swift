import Foundation
import ModuleABI
import WebAssembly

@testable import PatchCompiler

/// A module's functions in the engine, called with values as they cross.
final class CorpusModule {
    private let wasm: [UInt8]
    private var instance: Instance?

    init(_ wasm: [UInt8]) { self.wasm = wasm }

    struct Unusable: Error {
        var message: String
    }

    /// Calls a function.
    /// - Parameter input: its arguments, in an array unless there is one.
    /// - Returns: what it brings back, encoded; nil when it trapped.
    func call(_ function: RoutableFunction, _ input: [UInt8]) throws -> [UInt8]? {
        let instance = try loaded()
        do {
            return try call(function, input, on: instance)
        } catch let trap as Trap {
            self.instance = nil
            _ = trap
            return nil
        }
    }

    private func loaded() throws -> Instance {
        if let instance { return instance }
        let store = Store(engine: Engine())
        let module = try parseWasm(bytes: wasm)
        var imports = Imports()
        for item in module.imports {
            guard case .function(let type) = item.kind else { continue }
            imports.define(
                module: item.module, name: item.name,
                Function(store: store, parameters: type.parameters, results: type.results) {
                    caller, arguments in
                    if item.name == "random.fill", case .i32(let pointer)? = arguments.first,
                        case .i32(let count)? = arguments.last
                    {
                        try caller.memory?.write(
                            [UInt8](repeating: 7, count: Int(count)), at: UInt64(pointer))
                    }
                    return type.results.map { _ in .i32(0) }
                })
        }
        let made = try module.instantiate(store: store, imports: imports)
        _ = try made.exports[function: GuestExport.initialize]?.invoke()
        instance = made
        return made
    }

    private func call(
        _ function: RoutableFunction, _ input: [UInt8], on instance: Instance
    ) throws -> [UInt8] {
        guard let export = instance.exports[function: GuestExport.function(function.id)],
            let memory = instance.exports[memory: GuestExport.memory]
        else { throw Unusable(message: "no export for \(function.displayName)") }
        let limits = CallLimits(timeoutNanoseconds: 20_000_000_000)
        let results: [Value]
        if function.takesScalars {
            var reader = MessagePackReader(input)
            if function.arguments.count != 1 { _ = try reader.arrayHeader() }
            let values = try function.arguments.map { try Self.scalar($0.type, &reader) }
            results = try export.invoke(values, limits: limits)
        } else {
            let size = UInt32(input.count)
            guard
                case .i32(let pointer)? = try instance.exports[function: GuestExport.allocate]?
                    .invoke([.i32(size)]).first
            else { throw Unusable(message: "no room") }
            try memory.write(input, at: UInt64(pointer))
            results = try export.invoke([.i32(pointer), .i32(size)], limits: limits)
        }
        var writer = MessagePackWriter()
        if let type = function.scalarOutput {
            try Self.write(type, results[0], &writer)
            return writer.bytes
        }
        guard case .i64(let raw)? = results.first else { throw Unusable(message: "no i64") }
        let packed = PackedResult(rawValue: raw)
        guard !packed.isNone else { return [0xc0] }
        return try memory.read(at: UInt64(packed.pointer), count: Int(packed.length))
    }

    private static func scalar(
        _ type: ABIType, _ reader: inout MessagePackReader
    ) throws -> Value {
        switch type {
        case .bool: .i32(try reader.bool() ? 1 : 0)
        case .float: .f32(try reader.float().bitPattern)
        case .double: .f64(try reader.double().bitPattern)
        case .integer(let kind):
            if kind.isWide {
                kind.isSigned
                    ? .i64(UInt64(bitPattern: try reader.integer(Int64.self)))
                    : .i64(try reader.integer(UInt64.self))
            } else {
                kind.isSigned
                    ? .i32(UInt32(bitPattern: try reader.integer(Int32.self)))
                    : .i32(try reader.integer(UInt32.self))
            }
        default: throw Unusable(message: "no scalar")
        }
    }

    private static func write(
        _ type: ABIType, _ value: Value, _ writer: inout MessagePackWriter
    ) throws {
        switch (type, value) {
        case (.bool, .i32(let bits)): writer.bool(bits != 0)
        case (.float, .f32(let number)): writer.float(Float(bitPattern: number))
        case (.double, .f64(let number)): writer.double(Double(bitPattern: number))
        case (.integer(let kind), .i64(let bits)):
            kind.isSigned ? writer.int(Int64(bitPattern: bits)) : writer.uint(bits)
        case (.integer(let kind), .i32(let bits)):
            kind.isSigned
                ? writer.int(Int64(Int32(bitPattern: bits))) : writer.uint(UInt64(bits))
        default: throw Unusable(message: "another scalar")
        }
    }
}
