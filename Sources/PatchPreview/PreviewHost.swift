import Foundation
import ViewTree
import WebAssembly

/// What previewed modules may import.
enum PreviewHost {
    static func define(
        in imports: inout Imports, store: Store, settings: GuestSettings,
        log: @escaping @Sendable (String) -> Void
    ) {
        func add(
            _ name: String, _ parameters: [ValueType], _ result: ValueType?,
            _ body:
                @escaping (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void
        ) {
            let type = FunctionType(parameters: parameters, results: result.map { [$0] } ?? [])
            imports.define(
                module: "openpatch", name: name, Function(store: store, type: type, rawBody: body))
        }
        add("log.write", [.i32, .i32, .i32], nil) { caller, slots in
            let count = Int(UInt32(truncatingIfNeeded: slots[2]))
            guard count <= 64 << 10, let memory = caller.memory else { return }
            let pointer = UInt64(UInt32(truncatingIfNeeded: slots[1]))
            let bytes = try memory.read(at: pointer, count: count)
            log("view: " + String(decoding: bytes, as: UTF8.self))
        }
        add("random.fill", [.i32, .i32], nil) { caller, slots in
            let count = Int(UInt32(truncatingIfNeeded: slots[1]))
            guard count <= 64 << 10, let memory = caller.memory else { return }
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
            try memory.write(bytes, at: UInt64(UInt32(truncatingIfNeeded: slots[0])))
        }
        settings.define(in: &imports, store: store)
        add("clock.now", [], .f64) { _, slots in
            slots[0] = Date().timeIntervalSince1970.bitPattern
        }
    }
}
