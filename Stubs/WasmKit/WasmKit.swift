// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of what WasmKitRuntime calls, so that `make check-apple` type-checks the adapter where
// no checkout of WasmKit is at hand. Written by hand from its public interface; never run.

public enum ValueType: Sendable { case i32, i64, f32, f64, v128, ref }

public enum Value: Hashable, Sendable {
    case i32(UInt32)
    case i64(UInt64)
    case f32(UInt32)
    case f64(UInt64)
    case other
}

public struct FunctionType: Hashable, Sendable {
    public let parameters: [ValueType]
    public let results: [ValueType]
    public init(parameters: [ValueType], results: [ValueType] = []) {
        self.parameters = parameters
        self.results = results
    }
}

public struct WasmFeatureSet: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var memory64: WasmFeatureSet { WasmFeatureSet(rawValue: 1) }
    public static var referenceTypes: WasmFeatureSet { WasmFeatureSet(rawValue: 2) }
    public static let `default`: WasmFeatureSet = []
}

public struct EngineConfiguration: Sendable {
    public enum ThreadingModel: Sendable { case direct, token }
    public enum CompilationMode: Sendable { case eager, lazy }
    public enum MemoryBoundsChecking: Sendable { case mprotect, software }
    public var features: WasmFeatureSet
    public init(
        threadingModel: ThreadingModel? = nil, compilationMode: CompilationMode? = nil,
        stackSize: Int? = nil, features: WasmFeatureSet = .default,
        memoryBoundsChecking: MemoryBoundsChecking? = nil
    ) { self.features = features }
}

public final class Engine {
    public let configuration: EngineConfiguration
    public init(configuration: EngineConfiguration = EngineConfiguration()) {
        self.configuration = configuration
    }
}

public protocol ResourceLimiter: AnyObject, Sendable {
    func limitMemoryGrowth(to desired: Int) throws -> Bool
    func limitTableGrowth(to desired: Int) throws -> Bool
}

private final class NoLimiter: ResourceLimiter {
    func limitMemoryGrowth(to desired: Int) throws -> Bool { true }
    func limitTableGrowth(to desired: Int) throws -> Bool { true }
}

public final class Store {
    public let engine: Engine
    @_spi(Fuzzing) public var resourceLimiter: any ResourceLimiter = NoLimiter()
    public init(engine: Engine) { self.engine = engine }
}

public struct Caller: ~Copyable {
    public var instance: Instance? { nil }
    public let store: Store
}

public struct Function: Equatable {
    public typealias Implementation = (borrowing Caller, [Value]) throws -> [Value]
    public let type: FunctionType
    public init(store: Store, type: FunctionType, body: @escaping Implementation) {
        self.type = type
    }
    public static func == (a: Function, b: Function) -> Bool { a.type == b.type }
    @discardableResult public func invoke(_ arguments: [Value] = []) throws -> [Value] { [] }
}

public struct Memory: Equatable {
    public var byteCount: Int { 0 }
    public func withUnsafeBufferPointer<T>(
        offset: UInt, count: Int, _ body: (UnsafeRawBufferPointer) throws -> T
    ) rethrows -> T { try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    public func withUnsafeMutableBufferPointer<T>(
        offset: UInt, count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> T
    ) rethrows -> T { try body(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
}

public enum ExternalValue: Equatable {
    case function(Function)
    case memory(Memory)
}

public protocol ExternalValueConvertible {
    var externalValue: ExternalValue { get }
}

extension Function: ExternalValueConvertible {
    public var externalValue: ExternalValue { .function(self) }
}

public struct Imports {
    public init() {}
    public mutating func define<Extern: ExternalValueConvertible>(
        module: String, name: String, _ value: Extern
    ) {}
}

public struct Exports: Sequence {
    public subscript(function name: String) -> Function? { nil }
    public subscript(memory name: String) -> Memory? { nil }
    public func makeIterator() -> AnyIterator<(name: String, value: ExternalValue)> {
        AnyIterator { nil }
    }
}

public struct Instance {
    public var exports: Exports { Exports() }
}

public struct Module: Sendable {
    public func instantiate(store: Store, imports: Imports = Imports()) throws -> Instance {
        Instance()
    }
}

public struct WasmKitError: Error, CustomStringConvertible {
    public var description: String { "" }
}

public struct Trap: Error, CustomStringConvertible, Sendable {
    public var description: String { "" }
}

public func parseWasm(
    bytes: [UInt8], features: WasmFeatureSet = .default
) throws(WasmKitError) -> Module { Module() }
