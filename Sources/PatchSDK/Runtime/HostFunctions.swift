import Foundation
import PatchPlatform
import WebAssembly

/// The functions of wasm module `openpatch` that this version provides. A capability of the core
/// set that has none yet is refused by name.
struct HostFunctions: Sendable {
    let clock: any SystemClock
    let random: any RandomSource
    /// Takes what modules log: level (0 debug, 1 info, 2 warning, 3 error) and text.
    let log: @Sendable (Int, String) -> Void
    /// The app's functions that modules may call.
    var natives = NativeTables()
    /// The app's settings.
    var defaults = ModuleDefaults()

    /// The longest line that a module may log, and the most random bytes at once.
    static let maximumBytes = 64 << 10

    private static let types: [String: FunctionType] = [
        "log.write": FunctionType(parameters: [.i32, .i32, .i32]),
        "clock.now": FunctionType(parameters: [], results: [.f64]),
        "clock.monotonic": FunctionType(parameters: [], results: [.i64]),
        "random.fill": FunctionType(parameters: [.i32, .i32]),
        "random.u64": FunctionType(parameters: [], results: [.i64]),
        "unicode.normalization": FunctionType(parameters: [.i32], results: [.i32]),
        "unicode.composition": FunctionType(parameters: [.i32, .i32], results: [.i32]),
        "unicode.decomposition": FunctionType(parameters: [.i32, .i32, .i32], results: [.i32]),
        "native.call": FunctionType(parameters: [.i64, .i32, .i32], results: [.i32]),
        "native.take": FunctionType(parameters: [.i32]),
        "format.json": question, "format.take": FunctionType(parameters: [.i32]),
    ]

    /// The type of functions that answer a question: where it lies, and the answer's length.
    private static let question = FunctionType(parameters: [.i32, .i32], results: [.i32])

    /// The type of a function, or nil when there is none of that name.
    static func type(of name: String) -> FunctionType? {
        types[name] ?? ModuleDefaults.types[name]
            ?? (FoundationAnswers.questions[name] == nil ? nil : question)
    }

    /// Provides to a store what `module` imports of these functions. Whether it may was checked
    /// before.
    func define(
        for module: Module, in imports: inout Imports, store: Store, natives: NativeCalls
    ) {
        let names = module.imports.filter { $0.module == CapabilityName.importModule }
            .map(\.name)
        if names.isEmpty { return }
        func add(
            _ name: String,
            _ body: @escaping (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void
        ) {
            guard names.contains(name), let type = Self.type(of: name) else { return }
            imports.define(
                module: CapabilityName.importModule, name: name,
                Function(store: store, type: type, rawBody: body))
        }
        add("log.write") { [log] caller, slots in
            let level = Int(Int32(truncatingIfNeeded: slots[0]))
            let bytes = try Self.read(caller, pointer: slots[1], count: slots[2])
            log(min(max(level, 0), 3), String(decoding: bytes, as: UTF8.self))
        }
        add("clock.now") { [clock] _, slots in slots[0] = clock.now().bitPattern }
        add("clock.monotonic") { [clock] _, slots in slots[0] = clock.monotonicNanoseconds() }
        add("random.u64") { [random] _, slots in
            slots[0] = random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        add("unicode.normalization") { _, slots in
            slots[0] = UInt64(UnicodeAnswers.normalization(UInt32(truncatingIfNeeded: slots[0])))
        }
        add("unicode.composition") { _, slots in
            slots[0] = UInt64(
                UnicodeAnswers.composition(
                    UInt32(truncatingIfNeeded: slots[0]), UInt32(truncatingIfNeeded: slots[1])))
        }
        add("unicode.decomposition") { caller, slots in
            let text = UnicodeAnswers.decomposition(UInt32(truncatingIfNeeded: slots[0]))
            let capacity = UInt32(truncatingIfNeeded: slots[2])
            guard !text.isEmpty, text.count <= Int(capacity), let memory = caller.memory else {
                slots[0] = 0
                return
            }
            try memory.write(text, at: UInt64(UInt32(truncatingIfNeeded: slots[1])))
            slots[0] = UInt64(text.count)
        }
        add("native.call") { caller, slots in
            let bytes = try Self.read(
                caller, pointer: slots[1], count: slots[2], most: Int(UInt32.max))
            slots[0] = UInt64(try natives.call(slots[0], bytes))
        }
        add("native.take") { caller, slots in
            guard let memory = caller.memory else { throw PatchError(.guestMemoryFault) }
            try natives.take(memory, at: UInt64(UInt32(truncatingIfNeeded: slots[0])))
        }
        add("defaults.get", defaults.get)
        add("defaults.set", defaults.set)
        let answers = FoundationAnswers()
        func addQuestion(_ name: String, _ question: @escaping FoundationAnswers.Question) {
            add(name) { caller, slots in
                let bytes = try Self.read(
                    caller, pointer: slots[0], count: slots[1],
                    most: FoundationAnswers.maximumBytes)
                slots[0] = UInt64(try answers.ask(question, bytes))
            }
        }
        for (name, question) in FoundationAnswers.questions { addQuestion(name, question) }
        addQuestion("format.json") { try JSONAnswers.answer(&$0, &$1, keep: natives.keep) }
        add("format.take") { caller, slots in
            guard let memory = caller.memory else { throw PatchError(.guestMemoryFault) }
            try answers.take(memory, at: UInt64(UInt32(truncatingIfNeeded: slots[0])))
        }
        add("random.fill") { [random] caller, slots in
            let count = UInt32(truncatingIfNeeded: slots[1])
            guard count <= Self.maximumBytes, let memory = caller.memory else {
                throw PatchError(.guestMemoryFault, "random.fill of \(count) bytes")
            }
            let pointer = UInt64(UInt32(truncatingIfNeeded: slots[0]))
            try memory.write(random.bytes(Int(count)), at: pointer)
        }
    }

    private static func read(
        _ caller: Caller, pointer: UInt64, count: UInt64, most: Int = maximumBytes
    ) throws -> [UInt8] {
        let count = UInt32(truncatingIfNeeded: count)
        guard count <= most, let memory = caller.memory else {
            throw PatchError(.guestMemoryFault, "\(count) bytes")
        }
        return try memory.read(
            at: UInt64(UInt32(truncatingIfNeeded: pointer)), count: Int(count))
    }
}
