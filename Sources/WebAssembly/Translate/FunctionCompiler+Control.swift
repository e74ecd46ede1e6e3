import CWasmCore

// Blocks and branches (core specification 2.0, sections 3.3.8 and 5.4.1).

extension FunctionCompiler {
    // MARK: Frames

    mutating func pushFrame(_ kind: UInt8, _ signature: ModuleShape.Signature) throws {
        if frameCount == ModuleLimit.nesting {
            throw WasmDecodingError(
                code: "nesting_too_deep",
                message: "blocks are nested more than \(ModuleLimit.nesting) deep", offset: offset)
        }
        if frameCount == frameCapacity {
            frames = regrown(frames, frameCount, frameCapacity * 2)
            frameCapacity *= 2
        }
        frames[frameCount] = ControlFrame(
            kind: kind, isUnreachable: false, enteredDead: dead,
            height: depth - signature.parameterCount, signature: signature, target: count,
            fixups: -1, elseFixup: -1, assigned: assignedCount)
        frameCount += 1
    }

    /// What `br` to the frame carries: a loop's parameters, else the results.
    @inline(__always)
    func labelTypes(_ frame: UnsafePointer<ControlFrame>) -> (UnsafePointer<UInt8>, Int) {
        let signature = frame.pointee.signature
        return frame.pointee.kind == ControlFrame.loop
            ? (signature.parameters, signature.parameterCount)
            : (signature.results, signature.resultCount)
    }

    mutating func blockType() throws -> ModuleShape.Signature {
        guard !reader.isAtEnd else { throw reader.error("unexpected end") }
        let byte = reader.at.pointee
        let none = FunctionCompiler.typeBytes
        if byte == 0x40 {
            reader.at += 1
            return .init(parameters: none, parameterCount: 0, results: none, resultCount: 0)
        }
        if byte & 0xc0 == 0x40 {
            let type = try reader.valueType()
            return .init(
                parameters: none, parameterCount: 0,
                results: none + Int(type.rawValue), resultCount: 1)
        }
        let index = try reader.signed(33)
        guard index >= 0, index < Int64(shape.signatureCount) else {
            throw invalid("unknown type", "\(index)")
        }
        return shape.signatures[Int(index)]
    }

    /// Every byte value once, so that a single value type has an address.
    nonisolated(unsafe) private static let typeBytes: UnsafePointer<UInt8> = {
        // Unsafe only in name: filled once, never written after.
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for value in 0..<256 { bytes[value] = UInt8(value) }
        return UnsafePointer(bytes)
    }()

    mutating func makeUnreachable() {
        let frame = frames + (frameCount - 1)
        depth = frame.pointee.height
        if depth < settled { settled = depth }
        frame.pointee.isUnreachable = true
        dead = true
        (inR, inF, inG) = (-1, -1, -1)
    }

    mutating func pushTypes(_ types: UnsafePointer<UInt8>, _ n: Int) {
        var i = 0
        while i < n {
            pushSlot(types[i])
            i &+= 1
        }
    }

    /// Checks that the topmost operands have these types, without taking them. Operands of
    /// unknown type, in unreachable code, get the types.
    mutating func checkTop(_ types: UnsafePointer<UInt8>, _ n: Int) throws {
        if n == 0 { return }
        let frame = frames + (frameCount - 1)
        if frame.pointee.isUnreachable {
            try popTypes(types, n)
            pushTypes(types, n)
            return
        }
        if depth - frame.pointee.height < n {
            throw invalid("type mismatch", "an operand is missing")
        }
        var i = 0
        while i < n {
            let found = stack[depth - n + i].type
            if found != types[i] { throw mismatch(found, types[i]) }
            i += 1
        }
    }

    private mutating func popTypes(_ types: UnsafePointer<UInt8>, _ n: Int) throws {
        var i = n
        while i > 0 {
            i -= 1
            _ = try pop(types[i])
        }
    }

    /// Checks like `checkTop` for one of several targets: unknown types stay unknown.
    private mutating func checkTarget(_ types: UnsafePointer<UInt8>, _ n: Int) throws {
        if !frames[frameCount - 1].isUnreachable { return try checkTop(types, n) }
        let before = (depth, settled)
        try popTypes(types, n)
        (depth, settled) = before
    }

    // MARK: Blocks

    mutating func beginBlock(_ kind: UInt8) throws {
        let signature = try blockType()
        settleAll()
        try checkTop(signature.parameters, signature.parameterCount)
        placeTop(signature.parameterCount)
        try pushFrame(kind, signature)
        if kind == ControlFrame.loop { barrier = count }
    }

    private mutating func placeTop(_ n: Int) {
        if dead { return }
        var i = n
        while i > 0 {
            place(depth - i)
            i -= 1
        }
    }

    /// `if`, with the branch to its `else` part still to be emitted by `branch`, whose operands
    /// were popped already.
    mutating func beginIf(_ branch: (inout FunctionCompiler) -> Void) throws {
        let signature = try blockType()
        settleAll()
        try checkTop(signature.parameters, signature.parameterCount)
        placeTop(signature.parameterCount)
        branch(&self)
        let at = dead ? -1 : lastBranch
        try pushFrame(ControlFrame.if, signature)
        frames[frameCount - 1].elseFixup = at
        barrier = count
    }

    /// The branch instruction emitted last: a wide one has a constant after it.
    private var lastBranch: Int {
        code[2 * count - 2] == UInt64(Opcode.data) ? count - 2 : count - 1
    }

    mutating func doElse() throws {
        let frame = frames + (frameCount - 1)
        guard frame.pointee.kind == ControlFrame.if else {
            throw reader.error("else without if")
        }
        try finishBlock(frame)
        if !dead {
            emit(Opcode.br, 0, 0, UInt32(bitPattern: Int32(frame.pointee.fixups)))
            frame.pointee.fixups = count - 1
        }
        bindElse(frame)
        frame.pointee.kind = ControlFrame.else
        frame.pointee.isUnreachable = false
        dead = frame.pointee.enteredDead
        forgetAssigned(downTo: frame.pointee.assigned)
        pushTypes(frame.pointee.signature.parameters, frame.pointee.signature.parameterCount)
    }

    private mutating func bindElse(_ frame: UnsafeMutablePointer<ControlFrame>) {
        if frame.pointee.elseFixup >= 0 { patch(frame.pointee.elseFixup, to: count) }
        frame.pointee.elseFixup = -1
        barrier = count
    }

    /// Checks the results at the end of a block or of its first half, moves them to the slots
    /// where every path leaves them, and takes them from the stack.
    private mutating func finishBlock(_ frame: UnsafeMutablePointer<ControlFrame>) throws {
        let signature = frame.pointee.signature
        try checkTop(signature.results, signature.resultCount)
        if depth - signature.resultCount != frame.pointee.height {
            throw invalid("type mismatch", "operands remain at the end of a block")
        }
        moveTop(signature.resultCount, to: frame.pointee.height)
        drop(to: frame.pointee.height)
    }

    private mutating func drop(to height: Int) {
        depth = height
        if settled > height { settled = height }
        if inR >= height { inR = -1 }
        if inF >= height { inF = -1 }
        if inG >= height { inG = -1 }
    }

    /// Emits moves of the `n` topmost operands to the slots from `height` up. Ascending order is
    /// safe: an operand's slot is never below its target.
    private mutating func moveTop(_ n: Int, to height: Int) {
        if dead { return }
        var i = 0
        while i < n {
            move(stack[depth - n + i], to: slotAt(height + i))
            i += 1
        }
    }

    mutating func doEnd() throws {
        let frame = frames + (frameCount - 1)
        if frameCount == 1 { return try endFunction(frame) }
        try finishBlock(frame)
        let signature = frame.pointee.signature
        if frame.pointee.kind == ControlFrame.if {
            // Without `else`, the parameters are the results.
            var same = signature.parameterCount == signature.resultCount
            var i = 0
            while same && i < signature.resultCount {
                same = signature.parameters[i] == signature.results[i]
                i += 1
            }
            if !same { throw invalid("type mismatch", "if without else must not change types") }
            bindElse(frame)
        }
        // After a loop, or a block that nothing jumps out of, there is one way only.
        let isStraight =
            frame.pointee.kind == ControlFrame.loop
            || (frame.pointee.kind == ControlFrame.block && frame.pointee.fixups < 0)
        if !isStraight { forgetAssigned(downTo: frame.pointee.assigned) }
        bind(frame)
        dead = frame.pointee.enteredDead
        frameCount -= 1
        pushTypes(signature.results, signature.resultCount)
        settled = depth
    }

    private mutating func endFunction(_ frame: UnsafeMutablePointer<ControlFrame>) throws {
        let signature = frame.pointee.signature
        try checkTop(signature.results, signature.resultCount)
        if depth != signature.resultCount {
            throw invalid("type mismatch", "operands remain at the end of the function")
        }
        emitReturn(signature.resultCount)
        drop(to: 0)
        if frame.pointee.fixups >= 0 {
            dead = false
            bind(frame)
            pushTypes(signature.results, signature.resultCount)
            emitReturn(signature.resultCount)
        }
        frameCount = 0
    }

    // MARK: Fixups

    @inline(__always)
    private mutating func patch(_ at: Int, to target: Int) {
        let distance = UInt32(bitPattern: Int32(16 * (target - at)))
        code[2 * at + 1] = (code[2 * at + 1] & 0xffff_ffff) | UInt64(distance) << 32
    }

    private mutating func bind(_ frame: UnsafeMutablePointer<ControlFrame>) {
        if frame.pointee.kind == ControlFrame.loop { return }
        var at = frame.pointee.fixups
        while at >= 0 {
            let next = Int(Int32(truncatingIfNeeded: code[2 * at + 1] >> 32))
            patch(at, to: count)
            at = next
        }
        frame.pointee.fixups = -1
        barrier = count
    }

    /// Emits a branch to the frame; its operands `d` and `a` depend on the opcode. The opcode for
    /// a branch back to a loop is `backward` further.
    mutating func emitBranch(
        _ opcode: UInt32, backward: UInt32 = Opcode.loop &- Opcode.br, _ d: UInt32, _ a: UInt32,
        to frame: UnsafeMutablePointer<ControlFrame>
    ) {
        if dead { return }
        if frame.pointee.kind == ControlFrame.loop {
            let distance = Int32(16 * (frame.pointee.target - count))
            emit(opcode &+ backward, d, a, UInt32(bitPattern: distance))
        } else {
            emit(opcode, d, a, UInt32(bitPattern: Int32(frame.pointee.fixups)))
            frame.pointee.fixups = count - 1
        }
    }

    // MARK: Branches

    mutating func label() throws -> UnsafeMutablePointer<ControlFrame> {
        let index = Int(try reader.u32())
        guard index < frameCount else { throw invalid("unknown label", "\(index)") }
        return frames + (frameCount - 1 - index)
    }

    mutating func branch() throws {
        let frame = try label()
        let (types, n) = labelTypes(frame)
        try checkTop(types, n)
        emitJump(to: frame, n)
        makeUnreachable()
    }

    /// An unconditional branch that carries the `n` topmost operands.
    private mutating func emitJump(to frame: UnsafeMutablePointer<ControlFrame>, _ n: Int) {
        if dead { return }
        if frame.pointee.kind == ControlFrame.function { return emitReturn(n) }
        moveTop(n, to: frame.pointee.height)
        emitBranch(Opcode.br, 0, 0, to: frame)
    }

    /// Whether the `n` topmost operands are where the frame wants them.
    private func isInPlace(_ n: Int, _ frame: UnsafePointer<ControlFrame>) -> Bool {
        if dead || n == 0 { return true }
        if depth - n != frame.pointee.height { return false }
        var i = 1
        while i <= n {
            if stack[depth - i].kind != Operand.inSlot { return false }
            i += 1
        }
        return true
    }

    mutating func branchIf() throws {
        let frame = try label()
        let condition = try pop(TypeCode.i32)
        let height = depth
        let (types, n) = labelTypes(frame)
        try checkTop(types, n)
        // A value in an accumulator must survive both ways.
        if n > 0 { vacateAll() }
        if isInPlace(n, frame) {
            if condition.isAccumulator {
                if !fuseAnd(Opcode.brAndNzS, frame) { emitBranch(Opcode.brIfA, 0, 0, to: frame) }
            } else {
                emitBranch(Opcode.brIfS, 0, slot(condition, height), to: frame)
            }
            return
        }
        let skip: Int
        if condition.isAccumulator {
            emit(Opcode.brIfzA, 0, 0, 0)
        } else {
            emit(Opcode.brIfzS, 0, slot(condition, height), 0)
        }
        skip = count - 1
        emitJump(to: frame, n)
        if !dead {
            patch(skip, to: count)
            barrier = count
        }
    }

    /// Merges `x & mask` (just emitted, into the accumulator) with a branch on it.
    mutating func fuseAnd(_ opcode: UInt32, _ frame: UnsafeMutablePointer<ControlFrame>?) -> Bool {
        if dead || count <= barrier { return false }
        let row = operators[0x71]  // i32.and
        let last = UInt32(truncatingIfNeeded: code[2 * count - 2])
        // Forms ss, as, si, ai, each with destination slot or accumulator.
        let fromSlot = last == UInt32(row.base) + 5
        let fromAccumulator = last == UInt32(row.base) + 7
        if !fromSlot && !fromAccumulator { return false }
        let word = code[2 * count - 1]
        let mask = word >> 32
        if mask == 0 || mask > 0xffff { return false }
        count -= 1
        let a = UInt32(truncatingIfNeeded: word >> 16) & 0xffff
        let form = opcode + (fromAccumulator ? 1 : 0)
        if let frame {
            emitBranch(form, UInt32(mask), a, to: frame)
        } else {
            emit(form, UInt32(mask), a, 0)
        }
        return true
    }

    mutating func doIf() throws {
        let condition = try pop(TypeCode.i32)
        let height = depth
        if condition.isAccumulator {
            try beginIf { compiler in
                if !compiler.fuseAnd(Opcode.brAndZS, nil) {
                    compiler.emit(Opcode.brIfzA, 0, 0, 0)
                }
            }
        } else {
            let place = slot(condition, height)
            try beginIf { $0.emit(Opcode.brIfzS, 0, place, 0) }
        }
    }

    mutating func branchTable() throws {
        let n = try reader.count(limit: ModuleLimit.branchTargets, of: "branch targets")
        let index = try pop(TypeCode.i32)
        let height = depth
        // Look at the default first: it says how many values all targets take.
        var ahead = reader
        var i = 0
        while i < n {
            _ = try ahead.u32()
            i += 1
        }
        let last = Int(try ahead.u32())
        guard last < frameCount else { throw invalid("unknown label", "\(last)") }
        let arity = labelTypes(frames + (frameCount - 1 - last)).1
        let place = index.isAccumulator ? 0 : slot(index, height)
        if !dead && arity > 0 && depth - arity >= frames[frameCount - 1].height { placeTop(arity) }
        if index.isAccumulator {
            emit(Opcode.brTableA, 0, 0, UInt32(n))
        } else {
            emit(Opcode.brTableS, 0, place, UInt32(n))
        }
        let table = count
        var needsStubs = false
        // Targets mostly want the same types; those are compared with the operands once.
        var checked: UnsafePointer<UInt8>?
        i = 0
        while i <= n {
            let frame = try label()
            let (types, size) = labelTypes(frame)
            if size != arity { throw invalid("type mismatch", "br_table targets differ") }
            if checked == nil || !System.equal(checked, types, size) {
                try checkTarget(types, size)
                checked = types
            }
            let isFunction = frame.pointee.kind == ControlFrame.function
            // `placeTop` has put the operands into the slots of their heights.
            let isInPlace = dead || depth - size == frame.pointee.height
            if size == 0 || (!isFunction && isInPlace) {
                emitBranch(Opcode.br, 0, 0, to: frame)
            } else {
                // The values must be moved first, by a piece of code after the table.
                emit(Opcode.br, FunctionCompiler.stubMark, 0, UInt32(frame - frames))
                needsStubs = true
            }
            i += 1
        }
        if !dead && needsStubs { tableStubs(table, n, arity) }
        makeUnreachable()
    }

    /// In operand `d` of an entry of a branch table: the entry holds a frame's index.
    private static let stubMark: UInt32 = 1

    /// Emits the moves and jump of each marked frame once, and directs the table there.
    private mutating func tableStubs(_ table: Int, _ n: Int, _ arity: Int) {
        var stubs: [Int: Int] = [:]
        var i = 0
        while i <= n {
            let word = code[2 * (table + i) + 1]
            if word & 0xffff == UInt64(FunctionCompiler.stubMark) {
                let index = Int(word >> 32)
                if stubs[index] == nil {
                    barrier = count
                    stubs[index] = count
                    emitJump(to: frames + index, arity)
                }
                code[2 * (table + i) + 1] = 0
                patch(table + i, to: stubs[index] ?? 0)
            }
            i += 1
        }
    }

    // MARK: Returns

    mutating func doReturn() throws {
        let frame = frames
        try checkTop(frame.pointee.signature.results, frame.pointee.signature.resultCount)
        emitReturn(frame.pointee.signature.resultCount)
        makeUnreachable()
    }

    /// Returns the `n` topmost operands.
    mutating func emitReturn(_ n: Int) {
        if dead { return }
        let link = UInt32(parameterCount)
        if n == 0 {
            probe(.slots, 0)
            return emit(Opcode.ret, link, 0, 0)
        }
        if n > 1 {
            // Without changing the stack: this may be one of two ways on.
            moveTop(n, to: depth - n)
            probe(.slots, slotAt(depth - n), UInt32(n))
            return emit(Opcode.retN, link, slotAt(depth - n), UInt32(n))
        }
        let operand = stack[depth - 1]
        switch operand.kind {
        case Operand.accumulator:
            let opcode =
                operand.type == TypeCode.f64
                ? Opcode.retF : operand.type == TypeCode.f32 ? Opcode.retG : Opcode.retR
            probe(opcode == Opcode.retF ? .f : opcode == Opcode.retG ? .g : .r, 0)
            emit(opcode, link, 0, 0)
        case Operand.constant where operand.bits >> 32 == 0:
            probe(.constant, 0, UInt32(truncatingIfNeeded: operand.bits))
            emit(Opcode.retU32, link, 0, UInt32(truncatingIfNeeded: operand.bits))
        default:
            place(operand)
            probe(.slots, stackTopSlot(operand), 1)
            emit(Opcode.retS, link, stackTopSlot(operand), 0)
        }
    }

    /// Tells the observer that the function ends, and where its results are.
    private mutating func probe(_ place: ResultPlace, _ slot: UInt32, _ bits: UInt32 = 0) {
        if isObserved { emit(Opcode.probeLeave, slot, place.rawValue, bits) }
    }

    /// Puts a constant on top of the stack into its slot, for an instruction without that form;
    /// the operand itself stays a constant, since other paths may still want it.
    private mutating func place(_ operand: Operand) {
        if operand.isConstant { move(operand, to: slotAt(depth - 1)) }
    }

    private func stackTopSlot(_ operand: Operand) -> UInt32 {
        operand.isConstant ? slotAt(depth - 1) : operand.slot
    }
}
