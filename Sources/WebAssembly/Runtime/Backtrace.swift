import CWasmCore

// Walking the frames of a guest. Each frame holds the address of the call instruction that made
// it, in the word after its parameters.

extension Store {
    /// A frame of a guest.
    struct GuestFrame {
        var instance: Int
        /// The function among those that the module defines.
        var function: Int
        var pc: UnsafePointer<wc_instr>
    }

    /// The frames from the innermost one to where the host called; at most `limit`.
    func frames(limit: Int = .max) -> [GuestFrame] {
        var result: [GuestFrame] = []
        guard var pc = context.pointee.pc, var fp = context.pointee.fp,
            var instance = context.pointee.instance
        else { return [] }
        var ranges: [Int: [ModuleCode.Range]] = [:]
        while result.count < limit {
            if wc_is_outermost(pc) { break }
            if wc_is_crossing(pc) {
                // Below the arguments: callee, the caller's instance, its call instruction.
                guard let owner = UnsafeMutablePointer<wc_instance>(bitPattern: UInt(fp[-2])),
                    let call = UnsafePointer<wc_instr>(bitPattern: UInt(fp[-1]))
                else { break }
                instance = owner
                pc = call
                fp -= Int(WC_CROSSING_WORDS) + Int(pc.pointee.w & 0xffff)
                continue
            }
            let index = Int(instance.pointee.identity)
            let code = instances[index].module.code
            if ranges[index] == nil { ranges[index] = code.ranges() }
            guard let function = ranges[index]?.containing(pc)?.function else { break }
            result.append(GuestFrame(instance: index, function: function, pc: pc))
            let parameters = Int(code.records[function].entry.pointee.w & 0xffff)
            guard let call = UnsafePointer<wc_instr>(bitPattern: UInt(fp[parameters])) else {
                break
            }
            pc = call
            fp -= Int(pc.pointee.w & 0xffff)
        }
        return result
    }

    /// The innermost frames in words of the module.
    func backtrace() -> [Trap.Frame] {
        // A function is often there many times: ask for each place once.
        var offsets: [UnsafePointer<wc_instr>: Int] = [:]
        return frames(limit: 64).map { frame in
            let module = instances[frame.instance].module
            let offset = offsets[frame.pc] ?? module.code.offset(of: frame.pc, in: frame.function)
            offsets[frame.pc] = offset
            let index = frame.function + module.contents.importedFunctions
            return Trap.Frame(
                function: index, name: module.functionName(index), offset: offset)
        }
    }
}
