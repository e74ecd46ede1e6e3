import CPatchGate
import WebAssembly

/// What calls must know of the functions that a module serves, without a lock.
final class FunctionTable: @unchecked Sendable {
    /// The functions' exports; an instance has its functions in the same order.
    let exports: [String]
    // Unchecked: entries are written before anybody else sees the table; what changes later,
    // demotions and the time limit, is read and written with atomic operations.
    private let entries: UnsafeMutablePointer<patch_function>
    private let demotions: UnsafeMutablePointer<patch_demotion>
    private let mask: UInt64
    private let limit: UnsafeMutablePointer<patch_number>

    /// - Parameters:
    ///   - functions: ids and exports, which `module` has.
    ///   - callNanoseconds: the longest that a call may take now.
    init(
        _ functions: [(id: UInt64, export: String)], of module: Module, callNanoseconds: UInt64
    ) {
        exports = functions.map(\.export)
        var types: [String: FunctionType] = [:]
        for export in module.exports {
            if case .function(let type) = export.kind { types[export.name] = type }
        }
        var capacity = 2
        while capacity < functions.count * 2 { capacity *= 2 }
        mask = UInt64(capacity - 1)
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: patch_function(), count: capacity)
        demotions = .allocate(capacity: capacity)
        demotions.initialize(repeating: patch_demotion(), count: capacity)
        limit = .allocate(capacity: 1)
        limit.initialize(to: patch_number(value: callNanoseconds))
        for (index, function) in functions.enumerated() {
            guard let type = types[function.export] else { continue }
            var entry = patch_function(type, at: index)
            entry.id = function.id
            // Of two with the same id the later one counts.
            patch_function_place(entries, mask, function.id).pointee = entry
        }
    }

    deinit {
        entries.deallocate()
        demotions.deallocate()
        limit.deallocate()
    }

    /// The longest that a call may take now, in nanoseconds.
    var callNanoseconds: UInt64 {
        get { patch_number_load(limit) }
        set { patch_number_store(limit, newValue) }
    }

    /// What is known of a function; nil when the module does not serve it.
    func find(_ id: UInt64) -> UnsafeMutablePointer<patch_function>? {
        guard let entry = patch_function_place(entries, mask, id), entry.pointee.is_there != 0
        else { return nil }
        return entry
    }

    /// Whether native code serves what ``find(_:)`` answered.
    func isDemoted(_ entry: UnsafeMutablePointer<patch_function>) -> Bool {
        patch_demotion_load(demotions + (entry - entries))
    }

    /// Leaves a function to native code.
    func demote(_ id: UInt64) {
        if let entry = find(id) { patch_demotion_store(demotions + (entry - entries), true) }
    }

    /// Takes all demotions back.
    func clearDemotions() {
        for index in 0...Int(mask) { patch_demotion_store(demotions + index, false) }
    }
}

extension patch_function {
    /// A function that no call fits, when calls cannot carry its values.
    init(_ type: FunctionType, at index: Int) {
        self.init()
        self.index = UInt32(index)
        is_there = 1
        if let types = PatchArguments.packed(type.parameters), type.results.count <= 1 {
            self.types = types
            count = UInt8(type.parameters.count)
        } else {
            types = .max
            count = .max
        }
        result = type.results.first.map(PatchArguments.code) ?? UInt8(PATCH_NO_RESULT)
    }

    /// Whether it takes one encoded value: where it lies, and its length.
    var takesPlace: Bool { count == 2 && types == 0 }
}
