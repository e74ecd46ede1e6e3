extension Patch {
    /// Calls an export of the active module.
    ///
    /// Scalars alone cross as wasm scalars; with anything else among the arguments, all of them
    /// cross as one encoded value.
    /// - Parameters:
    ///   - export: the export's name.
    ///   - arguments: numbers, truth values, text, bytes, arrays and optionals of them.
    ///   - type: what the export returns.
    /// - Throws: ``PatchError``: `no_active_module`, `export_missing`, `argument_mismatch`,
    ///   `result_mismatch`, `result_malformed`, `trapped`, `time_limit`, `guest_memory_fault`.
    public func call<each Argument: PatchValue, Result: PatchValue>(
        _ export: String, _ arguments: repeat each Argument,
        returning type: Result.Type = Result.self
    ) throws -> Result {
        try routing.call(
            export, { Self.write(repeat each arguments, to: &$0) }, { try Result(scalar: $0) })
    }

    /// Calls an export of the active module that returns nothing.
    /// - Throws: as ``call(_:_:returning:)``.
    public func call<each Argument: PatchValue>(
        _ export: String, _ arguments: repeat each Argument
    ) throws {
        try routing.call(export, { Self.write(repeat each arguments, to: &$0) }, { _ in })
    }

    private static func write<each Argument: PatchValue>(
        _ arguments: repeat each Argument, to written: inout PatchArguments
    ) {
        var count = 0
        var isScalar = true
        for argument in repeat each arguments {
            count += 1
            if !type(of: argument).isScalar { isScalar = false }
        }
        if isScalar {
            for argument in repeat each arguments { argument.add(to: &written) }
            return
        }
        written.encoded { writer in
            if count > 1 { writer.arrayHeader(count) }
            for argument in repeat each arguments { argument.write(to: &writer) }
        }
    }
}
