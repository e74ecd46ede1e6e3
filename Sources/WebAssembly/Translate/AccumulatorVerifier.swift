import CWasmCore

/// Checks in debug builds that every instruction which reads an accumulator follows the one that
/// wrote it, with nothing between that writes it again and no place that can be jumped to.
enum AccumulatorVerifier {
    /// A mistake of the translator, not of the module.
    struct Failure: Error, CustomStringConvertible {
        let function: Int
        let index: Int
        let opcode: String

        var description: String {
            "internal error: in function \(function), instruction \(index) (\(opcode)) reads an "
                + "accumulator that holds no value"
        }
    }

    static func verify(_ compiler: FunctionCompiler) throws {
        try verify(compiler.code, compiler.count, function: compiler.function)
    }

    static func verify(
        _ code: UnsafeMutablePointer<UInt64>, _ count: Int, function: Int
    ) throws {
        let flags = wc_opcode_flags()
        guard let flags else { return }
        let targets = targets(code, count, flags)
        // One bit per accumulator that holds a value which nobody read yet.
        var full: UInt16 = 0
        var i = 1  // the header is not executed
        while i < count {
            if targets[i] { full = 0 }
            let opcode = UInt32(truncatingIfNeeded: code[2 * i])
            let flag = flags[Int(opcode)]
            let reads = flag & 7
            if reads & ~full != 0 {
                throw Failure(
                    function: function, index: i, opcode: String(cString: wc_opcode_name(opcode)))
            }
            full &= ~reads
            full |= (flag >> 3) & 7
            if flag & UInt16(WC_ENDS) != 0 { full = 0 }
            i += flag & UInt16(WC_WIDE) != 0 ? 2 : 1
        }
    }

    private static func targets(
        _ code: UnsafeMutablePointer<UInt64>, _ count: Int, _ flags: UnsafePointer<UInt16>
    ) -> [Bool] {
        var targets = [Bool](repeating: false, count: count + 1)
        var i = 1
        while i < count {
            let opcode = UInt32(truncatingIfNeeded: code[2 * i])
            let flag = flags[Int(opcode)]
            if flag & UInt16(WC_BRANCHES) != 0 {
                let word = Int64(bitPattern: code[2 * i + 1])
                // Counter branches have a short distance in the upper half; others are in bytes.
                let distance = opcode >= Opcode.addbrI32EqS ? word >> 48 : word >> 36
                let target = i + Int(distance)
                if target > 0 && target <= count { targets[target] = true }
            }
            i += flag & UInt16(WC_WIDE) != 0 ? 2 : 1
        }
        return targets
    }
}
