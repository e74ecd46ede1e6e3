// A store cannot be bounded in memory without this interface of WasmKit's.
@_spi(Fuzzing) import WasmKit
import WebAssembly

/// Owns what guests in WasmKit use together.
public final class WasmKitStore: RuntimeStore {
    let wasmKit: WasmKit.Store

    /// Makes an empty store that keeps to the engine's bounds of memories, tables and stack.
    public init(engine: WebAssembly.Engine) {
        let configuration = engine.configuration
        // With software checks WasmKit installs no signal handlers, which are the app's.
        wasmKit = WasmKit.Store(
            engine: WasmKit.Engine(
                configuration: WasmKit.EngineConfiguration(
                    stackSize: max(configuration.stackBytes, 64 << 10),
                    features: [.memory64, .referenceTypes], memoryBoundsChecking: .software)))
        wasmKit.resourceLimiter = Limiter(
            memoryBytes: Int(clamping: configuration.maximumMemoryBytes),
            tableElements: Int(clamping: configuration.maximumTableElements))
    }

    private final class Limiter: WasmKit.ResourceLimiter {
        private let memoryBytes: Int
        private let tableElements: Int

        init(memoryBytes: Int, tableElements: Int) {
            self.memoryBytes = memoryBytes
            self.tableElements = tableElements
        }

        func limitMemoryGrowth(to desired: Int) throws -> Bool { desired <= memoryBytes }
        func limitTableGrowth(to desired: Int) throws -> Bool { desired <= tableElements }
    }
}

/// What a module is given in WasmKit.
public struct WasmKitImports: RuntimeImports {
    var wasmKit = WasmKit.Imports()

    /// Makes an empty set.
    public init() {}

    /// Provides a function; a later definition of the same name replaces an earlier one.
    public mutating func define(module: String, name: String, _ function: WasmKitFunction) {
        wasmKit.define(module: module, name: name, function.wasmKit)
    }
}

/// An instance of a module in WasmKit.
public struct WasmKitInstance: RuntimeInstance {
    private let wasmKit: WasmKit.Instance
    private let store: WasmKitStore

    init(_ instance: WasmKit.Instance, store: WasmKitStore) {
        wasmKit = instance
        self.store = store
    }

    /// What the instance offers by name.
    public var exports: Exports { Exports(wasmKit: wasmKit.exports, store: store) }

    /// What an instance offers, by name.
    public struct Exports: RuntimeExports {
        fileprivate let wasmKit: WasmKit.Exports
        fileprivate let store: WasmKitStore

        /// The function called `name`, or nil when there is none, it is something else, or its type
        /// has what this package's engine does not know.
        public subscript(function name: String) -> WasmKitFunction? {
            wasmKit[function: name].flatMap { WasmKitFunction($0, store: store) }
        }

        /// The memory called `name`, or nil when there is none or it is something else.
        public subscript(memory name: String) -> WasmKitMemory? {
            wasmKit[memory: name].map { WasmKitMemory($0) }
        }
    }
}
