import ModuleABI

@testable import PatchSDK

/// Modules with views, byte by byte.
enum ViewGuests {
    static let view: UInt64 = 0xB1
    static let other: UInt64 = 0xB2
    static let signature: UInt64 = 0x52

    static let unreachable: [UInt8] = [0x00]
    static let endless: [UInt8] = [0x03, 0x40, 0x0C, 0, 0x0B, 0x00]
    /// Takes memory until there is none.
    static let greedy: [UInt8] =
        [0x03, 0x40] + WasmBuilder.i32(16) + [0x40, 0] + WasmBuilder.i32(-1)
        + [0x46, 0x04, 0x40, 0x00, 0x0B, 0x0C, 0, 0x0B, 0x00]
    /// Answers what the last mount was told.
    static let echo: [UInt8] =
        [0x41, 0, 0x28, 2] + WasmBuilder.leb(1024) + [0xAD] + WasmBuilder.i64(32)
        + [0x86, 0x41, 0, 0x28, 2] + WasmBuilder.leb(1028) + [0xAD, 0x84]

    static func packed(_ pointer: UInt64, _ length: UInt64) -> [UInt8] {
        WasmBuilder.i64(Int64(bitPattern: pointer << 32 | length))
    }

    /// What one module does; every part may be another one.
    struct Parts {
        var mount: [UInt8] =
            [0x41, 0, 0x20, 1, 0x36, 2] + WasmBuilder.leb(1024) + [0x41, 0, 0x20, 2, 0x36, 2]
            + WasmBuilder.leb(1028) + [0x41, 1]
        var update: [UInt8] = []
        var render = ViewGuests.echo
        var event: [UInt8] = WasmBuilder.i32(1)
        var row = ViewGuests.packed(0, 0)
        /// What `op_state` gives, whatever part is asked for; nil for nothing.
        var state: [UInt8]?
        var vocabulary = viewVocabularyMaximum
        var leavesOut: String?
    }

    static func module(
        _ parts: Parts = Parts(), release: String = "1.0",
        _ change: (inout ModuleSection) -> Void = { _ in }
    ) throws -> [UInt8] {
        var wasm = WasmBuilder()
        wasm.allocator()
        if let state = parts.state { wasm.place(state, at: 2048) }
        func add(
            _ name: String, _ parameters: [WasmBuilder.Kind], _ results: [WasmBuilder.Kind],
            _ body: [UInt8]
        ) {
            if name != parts.leavesOut { wasm.function(name, parameters, results, body) }
        }
        add("op_mount", [.i64, .i32, .i32], [.i32], parts.mount)
        add("op_update", [.i32, .i32, .i32], [], parts.update)
        add("op_render", [.i32, .i64], [.i64], parts.render)
        add("op_event", [.i32, .i64, .i32, .i32], [.i32], parts.event)
        add("op_row", [.i32, .i64, .i64], [.i64], parts.row)
        add(
            "op_state", [.i32, .i32], [.i64],
            parts.state.map { packed(2048, UInt64($0.count)) } ?? packed(0, 0))
        return try Guests.module(wasm, release: release) {
            $0.views = [view, other].map { .init(id: $0, sig: signature) }
            $0.needs = [view, other].map { .init(id: $0, sig: signature) }
            $0.vocabulary_max = parts.vocabulary
            change(&$0)
        }
    }

    static var surface: Surface {
        var surface = Surface(functions: [:])
        surface.views = [
            view: .init(gate: 900, sig: signature), other: .init(gate: 901, sig: signature),
        ]
        return surface
    }

    static func load(
        _ parts: Parts = Parts(), limits: (inout PatchLimits) -> Void = { _ in },
        section: (inout ModuleSection) -> Void = { _ in }
    ) throws -> LoadedModule {
        try Guests.load(try module(parts, section)) {
            $0.surface = surface
            limits(&$0.limits)
        }
    }

    /// One entry of what modules write of their state.
    static func state(_ name: UInt64, _ type: UInt64, _ value: [UInt8]) -> [UInt8] {
        ViewState(entries: [.init(place: 0, name: name, type: type, bytes: value)]).encoded
    }
}
