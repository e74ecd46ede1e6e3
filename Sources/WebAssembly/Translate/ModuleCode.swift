import CWasmCore

/// The register code of a module's functions: made at the first call of each, then immutable and
/// shared by all instances on all threads.
final class ModuleCode: @unchecked Sendable {
    // Unchecked: `shape` and `spans` are never written after initialisation; `records` is written
    // under `lock` and read by handlers through an atomic pointer; the rest only under `lock`.
    let shape: ModuleShape
    /// Whether functions are translated with probes, for a store with an observer.
    let isObserved: Bool
    let records: UnsafeMutablePointer<wc_code>
    private let bytes: [UInt8]
    let spans: [ByteSpan]
    private let lock = Lock()
    private var lengths: UnsafeMutablePointer<UInt32>
    private var compiler: FunctionCompiler?

    init(_ module: ModuleContents, bytes: [UInt8], isObserved: Bool) {
        self.bytes = bytes
        self.isObserved = isObserved
        spans = module.bodies
        shape = ModuleShape(module)
        records = .allocate(capacity: spans.count + 1)
        records.initialize(repeating: wc_code(entry: wc_stub()), count: spans.count + 1)
        lengths = .allocate(capacity: spans.count + 1)
        lengths.initialize(repeating: 0, count: spans.count + 1)
    }

    deinit {
        for index in 0..<spans.count where lengths[index] > 0 {
            UnsafeMutablePointer(mutating: records[index].entry)?.deallocate()
        }
        records.deallocate()
        lengths.deallocate()
        compiler?.free()
        shape.free()
    }

    /// Whether a function has been translated.
    func isTranslated(_ index: Int) -> Bool { wc_entry(records + index) != wc_stub() }

    /// Validates and translates the function with `index` among those that the module defines.
    func translate(_ index: Int) throws {
        try lock.locked {
            if isTranslated(index) { return }
            if compiler == nil { compiler = newCompiler() }
            try compiler?.run(shape.importedFunctions + index, spans[index], bytes)
            guard let compiler else { return }
            #if DEBUG
                try AccumulatorVerifier.verify(compiler)
            #endif
            let code = UnsafeMutablePointer<wc_instr>.allocate(capacity: compiler.count)
            compiler.seal(into: code)
            lengths[index] = UInt32(compiler.count)
            wc_publish(records + index, code)
        }
    }

    private func newCompiler() -> FunctionCompiler {
        FunctionCompiler(shape, isObserved: isObserved)
    }

    /// Validates all functions and keeps nothing.
    func validateAll() throws {
        var compiler = newCompiler()
        defer { compiler.free() }
        for index in 0..<spans.count {
            try compiler.run(shape.importedFunctions + index, spans[index], bytes)
            #if DEBUG
                try AccumulatorVerifier.verify(compiler)
            #endif
        }
    }

    /// Where the code of a translated function lies.
    struct Range {
        var start: UnsafePointer<wc_instr>
        var length: Int
        /// Among the functions that the module defines.
        var function: Int
    }

    /// The code of all functions that are translated by now, by address.
    func ranges() -> [Range] {
        lock.locked {
            var list: [Range] = []
            for index in 0..<spans.count where lengths[index] > 0 {
                guard let start = records[index].entry else { continue }
                list.append(Range(start: start, length: Int(lengths[index]), function: index))
            }
            return list.sorted { $0.start < $1.start }
        }
    }

    /// The byte offset in the module of the operator that the instruction at `pc` came from.
    /// Nothing is kept for this: the function is translated again, which gives the same code.
    func offset(of pc: UnsafePointer<wc_instr>, in index: Int) -> Int {
        guard let start = records[index].entry else { return Int(spans[index].start) }
        var compiler = newCompiler()
        defer { compiler.free() }
        compiler.recordOffsets()
        guard (try? compiler.run(shape.importedFunctions + index, spans[index], bytes)) != nil,
            let offsets = compiler.offsets, pc - start < compiler.count
        else { return Int(spans[index].start) }
        return Int(offsets[pc - start])
    }

    /// The same module, translated with probes.
    func observed(_ contents: ModuleContents) -> ModuleCode {
        ModuleCode(contents, bytes: bytes, isObserved: true)
    }

    /// A part of the module.
    func slice(_ span: ByteSpan) -> ArraySlice<UInt8> { bytes[Int(span.start)..<Int(span.end)] }

    func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
        try bytes.withUnsafeBufferPointer(body)
    }
}

extension [ModuleCode.Range] {
    /// The range that contains `pc`.
    func containing(_ pc: UnsafePointer<wc_instr>) -> ModuleCode.Range? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].start <= pc { low = middle + 1 } else { high = middle }
        }
        guard low > 0, pc < self[low - 1].start + self[low - 1].length else { return nil }
        return self[low - 1]
    }
}

extension FunctionCompiler {
    mutating func run(_ index: Int, _ span: ByteSpan, _ bytes: [UInt8]) throws {
        try bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            try compile(index, span, of: base)
        }
    }

    /// Writes the code out with handlers in place of opcodes.
    func seal(into code: UnsafeMutablePointer<wc_instr>) {
        let words = UnsafeMutableRawPointer(code).assumingMemoryBound(to: UInt64.self)
        let handlers = FunctionCompiler.handlers
        var i = 0
        while i < count {
            words[2 &* i] = handlers[Int(self.code[2 &* i])]
            words[2 &* i &+ 1] = self.code[2 &* i &+ 1]
            i &+= 1
        }
    }

    nonisolated(unsafe) private static let handlers: UnsafeMutablePointer<UInt64> = {
        // Unsafe only in name: filled once, never written after.
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: Int(Opcode.count))
        for opcode in 0..<Opcode.count { table[Int(opcode)] = wc_encoded_opcode(opcode) }
        return table
    }()
}
