import CWasmCore

/// Validates one function body and translates it to register code, in one pass over its bytes.
///
/// A struct over raw buffers: no allocation per operator, no reference counting and no exclusivity
/// checks, so that translation is quick in debug builds too.
struct FunctionCompiler {
    let shape: ModuleShape
    /// Whether functions tell the store's observer when they begin and end.
    let isObserved: Bool
    var reader: ByteReader
    var function = 0

    // Register code: two words per instruction, the first still the opcode.
    var code: UnsafeMutablePointer<UInt64>
    var count = 0
    var capacity = 0
    /// The start of the operator that each instruction came from, when somebody wants to know.
    var offsets: UnsafeMutablePointer<UInt32>?
    var operatorStart: UnsafePointer<UInt8>
    /// Instructions before this one may be jumped over and must not be merged with later ones.
    var barrier = 0

    var stack: UnsafeMutablePointer<Operand>
    var stackCapacity: Int
    var depth = 0
    /// Operands below this height are in their slots or constant.
    var settled = 0

    var frames: UnsafeMutablePointer<ControlFrame>
    var frameCapacity: Int
    var frameCount = 0

    var localTypes: UnsafeMutablePointer<UInt8>
    var localCapacity: Int
    var localCount = 0
    var parameterCount = 0
    /// Locals that are certainly assigned here, and the order in which they were noted.
    var isAssigned: UnsafeMutablePointer<Bool>
    var assigned: UnsafeMutablePointer<UInt32>
    var assignedCount = 0
    /// Locals after the parameters that must be cleared, counted from the first.
    var clearCount = 0

    /// The slot of the operand at height 0.
    var firstSlot: UInt32 = 0
    var slotCount: UInt32 = 0
    /// Whether the code here cannot be reached: it is validated, nothing is emitted.
    var dead = false
    /// Heights of the operands that are in accumulators, or -1.
    var inR = -1
    var inF = -1
    var inG = -1

    let operators: UnsafePointer<wc_operator>

    init(_ shape: ModuleShape, isObserved: Bool = false) {
        self.shape = shape
        self.isObserved = isObserved
        reader = ByteReader(UnsafeBufferPointer(start: nil, count: 0))
        operatorStart = reader.start
        capacity = 256
        code = .allocate(capacity: 2 * capacity)
        stackCapacity = 128
        stack = .allocate(capacity: stackCapacity)
        frameCapacity = 32
        frames = .allocate(capacity: frameCapacity)
        localCapacity = 64
        localTypes = .allocate(capacity: localCapacity)
        isAssigned = .allocate(capacity: localCapacity)
        assigned = .allocate(capacity: localCapacity)
        operators = wc_operators()
    }

    /// Frees the buffers; the compiler must not be used afterwards.
    func free() {
        code.deallocate()
        stack.deallocate()
        frames.deallocate()
        localTypes.deallocate()
        isAssigned.deallocate()
        assigned.deallocate()
        offsets?.deallocate()
    }

    /// Compiles function `index` (in the module's function space) whose body is `span` of `bytes`.
    mutating func compile(
        _ index: Int, _ span: ByteSpan, of bytes: UnsafePointer<UInt8>
    ) throws {
        function = index
        reader = ByteReader(
            at: bytes + Int(span.start), end: bytes + Int(span.end), start: bytes)
        operatorStart = reader.at
        count = 0
        barrier = 0
        depth = 0
        settled = 0
        frameCount = 0
        assignedCount = 0
        clearCount = 0
        dead = false
        (inR, inF, inG) = (-1, -1, -1)
        let signature = shape.signatures[Int(shape.functions[index])]
        try locals(signature)
        emit(Opcode.enter, 0, 0, 0)
        if isObserved { emit(Opcode.probeEnter, 0, 0, UInt32(index)) }
        slotCount = firstSlot
        touch(UInt32(signature.resultCount))
        try pushFrame(ControlFrame.function, signature)
        frames[0].height = 0
        // A branch that carries many values is a few bytes and many moves: without a bound, a
        // small body could become any amount of code.
        let most = min(
            ModuleLimit.instructions,
            4_096 + reader.remaining * ModuleLimit.instructionsPerByte)
        while frameCount > 0 {
            operatorStart = reader.at
            try step()
            if count > most { throw tooLarge("translates to more than \(most) instructions") }
        }
        if !reader.isAtEnd { throw reader.error("END opcode expected") }
        if slotCount > UInt32(ModuleLimit.frameSlots) {
            throw tooLarge("needs more than \(ModuleLimit.frameSlots) values at once")
        }
        code[1] =
            UInt64(parameterCount) | UInt64(clearCount) << 16 | UInt64(slotCount + 1) << 32
    }

    private mutating func locals(_ signature: ModuleShape.Signature) throws {
        parameterCount = signature.parameterCount
        localCount = 0
        var i = 0
        while i < parameterCount {
            addLocal(signature.parameters[i], assigned: true)
            i += 1
        }
        var groups = try reader.count(limit: ModuleLimit.locals, of: "locals", itemSize: 2)
        while groups > 0 {
            groups -= 1
            let offset = reader.offset
            var n = Int(try reader.u32())
            let type = try reader.valueType().rawValue
            if localCount + n > ModuleLimit.locals {
                throw WasmDecodingError("too many locals", offset: offset)
            }
            while n > 0 {
                addLocal(type, assigned: false)
                n -= 1
            }
        }
        // One word after the parameters holds the return address.
        firstSlot = UInt32(localCount + 1)
    }

    private mutating func addLocal(_ type: UInt8, assigned flag: Bool) {
        if localCount == localCapacity {
            let more = localCapacity * 2
            localTypes = regrown(localTypes, localCount, more)
            isAssigned = regrown(isAssigned, localCount, more)
            assigned = regrown(assigned, 0, more)
            localCapacity = more
        }
        (localTypes + localCount).initialize(to: type)
        (isAssigned + localCount).initialize(to: flag)
        localCount += 1
    }

    func regrown<T>(
        _ old: UnsafeMutablePointer<T>, _ used: Int, _ capacity: Int
    ) -> UnsafeMutablePointer<T> {
        let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
        new.moveInitialize(from: old, count: used)
        old.deallocate()
        return new
    }

    // MARK: Errors

    var offset: Int { operatorStart - reader.start }

    private func tooLarge(_ what: String) -> WasmDecodingError {
        WasmDecodingError(
            code: "function_too_large", message: "function \(function) \(what)",
            offset: reader.offset)
    }

    func invalid(_ text: String, _ detail: String = "") -> WasmValidationError {
        WasmValidationError(text, detail, offset: offset, function: function)
    }

    // MARK: Emission

    @inline(__always)
    mutating func emit(_ opcode: UInt32, _ d: UInt32, _ a: UInt32, _ imm: UInt32) {
        if dead { return }
        if count == capacity { growCode() }
        code[2 &* count] = UInt64(opcode)
        code[2 &* count &+ 1] =
            UInt64(d & 0xffff) | UInt64(a & 0xffff) &<< 16 | UInt64(imm) &<< 32
        if offsets != nil { offsets?[count] = UInt32(operatorStart - reader.start) }
        count &+= 1
    }

    /// The word that follows a wide instruction.
    mutating func emitData(_ bits: UInt64) {
        emit(Opcode.data, 0, 0, 0)
        if !dead { code[2 &* count &- 1] = bits }
    }

    private mutating func growCode() {
        let more = capacity * 2
        code = regrown(code, 2 * count, 2 * more)
        if let old = offsets { offsets = regrown(old, count, more) }
        capacity = more
    }

    /// Starts to record the origin of instructions.
    mutating func recordOffsets() {
        offsets?.deallocate()
        offsets = .allocate(capacity: capacity)
    }

    /// Notes that the frame needs at least `slots`.
    @inline(__always)
    mutating func touch(_ slots: UInt32) { if slots > slotCount { slotCount = slots } }

    @inline(__always)
    func slotOfLocal(_ index: Int) -> UInt32 {
        UInt32(index < parameterCount ? index : index &+ 1)
    }

    @inline(__always)
    func slotAt(_ height: Int) -> UInt32 { firstSlot &+ UInt32(height) }
}
