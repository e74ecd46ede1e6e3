import CWasmCore

// Operators that need more than the core has: growth, segments, references.

extension Store {
    /// Does the operator that the core left for.
    func serve() throws {
        guard let pc = context.pointee.pc, let fp = context.pointee.fp,
            let instance = context.pointee.instance
        else { return }
        let data = instances[Int(instance.pointee.identity)]
        let word = pc.pointee.w
        let operands = Operands(
            d: fp + Int(word & 0xffff), a: fp + Int(word >> 16 & 0xffff),
            b: fp + Int(word >> 32 & 0xffff), imm: Int(word >> 32),
            // The word after a wide instruction; not used by the others.
            extra: pc[1].w)
        switch context.pointee.detail {
        case UInt32(WC_SERVICE_memory_grow): try growMemory(data, operands)
        case UInt32(WC_SERVICE_memory_init): try initializeMemory(data, operands)
        case UInt32(WC_SERVICE_data_drop): data.droppedData[operands.imm] = true
        case UInt32(WC_SERVICE_elem_drop): data.droppedElements[operands.imm] = true
        case UInt32(WC_SERVICE_table_init): try initializeTable(data, operands)
        case UInt32(WC_SERVICE_table_copy): try copyTable(data, operands)
        case UInt32(WC_SERVICE_table_grow): try growTable(data, operands)
        case UInt32(WC_SERVICE_table_fill): try fillTable(data, operands)
        case UInt32(WC_SERVICE_probe_enter): probeEnter(data, fp, operands.imm)
        case UInt32(WC_SERVICE_probe_leave): probeLeave(operands.d, word)
        default: operands.d.pointee = data.reference(operands.imm, self)
        }
    }

    private struct Operands {
        var d: UnsafeMutablePointer<UInt64>
        var a: UnsafeMutablePointer<UInt64>
        var b: UnsafeMutablePointer<UInt64>
        var imm: Int
        var extra: UInt64

        var low: Int { Int(extra & 0xffff_ffff) }
        var high: Int { Int(extra >> 32) }
    }

    private func narrow(_ bits: UInt64, _ is64: Bool) -> UInt64 {
        is64 ? bits : bits & 0xffff_ffff
    }

    /// Charges for work that is proportional to `units`, so that fuel bounds time.
    private func charge(_ units: UInt64) {
        context.pointee.fuel -= Int64(clamping: units >> 9)
    }

    private func inBacktrace(_ body: () throws -> Void) throws {
        do { try body() } catch let trap as Trap {
            throw Trap(trap.reason, backtrace: backtrace())
        }
    }

    private func growMemory(_ data: InstanceData, _ operands: Operands) throws {
        guard let memory = data.memory else { return }
        let pages = narrow(operands.a.pointee, memory.type.is64)
        if let most = budget.memoryBytes, let size = memory.pages(after: pages), size > most >> 16 {
            kill()
            throw trap(.memoryLimitExceeded)
        }
        operands.d.pointee = memory.grow(by: pages) ?? narrow(.max, memory.type.is64)
    }

    private func initializeMemory(_ data: InstanceData, _ operands: Operands) throws {
        let is64 = data.memory?.type.is64 ?? false
        let count = operands.b.pointee & 0xffff_ffff
        charge(count >> 3)
        try inBacktrace {
            try data.initializeMemory(
                at: narrow(operands.d.pointee, is64), from: operands.low,
                at: operands.a.pointee & 0xffff_ffff, count: count)
        }
    }

    private func initializeTable(_ data: InstanceData, _ operands: Operands) throws {
        let table = data.tables[operands.low]
        let count = operands.b.pointee & 0xffff_ffff
        charge(count)
        try inBacktrace {
            try data.initialize(
                table, at: narrow(operands.d.pointee, table.type.is64), from: operands.high,
                at: operands.a.pointee & 0xffff_ffff, count: count, self)
        }
    }

    private func copyTable(_ data: InstanceData, _ operands: Operands) throws {
        let to = data.tables[operands.low]
        let from = data.tables[operands.high]
        let at = narrow(operands.d.pointee, to.type.is64)
        let first = narrow(operands.a.pointee, from.type.is64)
        let count = narrow(operands.b.pointee, to.type.is64 && from.type.is64)
        guard to.contains(at, count), from.contains(first, count) else {
            throw Trap(.outOfBoundsTableAccess, backtrace: backtrace())
        }
        if count == 0 { return }
        charge(count)
        // `update(from:count:)` allows overlap.
        (to.record.pointee.elements + Int(at)).update(
            from: from.record.pointee.elements + Int(first), count: Int(count))
    }

    private func growTable(_ data: InstanceData, _ operands: Operands) throws {
        let table = data.tables[operands.low]
        let count = narrow(operands.b.pointee, table.type.is64)
        if let most = budget.tableElements, let size = table.count(after: count), size > most {
            kill()
            throw trap(.tableLimitExceeded)
        }
        let before = table.grow(by: count, operands.a.pointee)
        if before != nil { charge(count) }
        operands.d.pointee = before ?? narrow(.max, table.type.is64)
    }

    private func fillTable(_ data: InstanceData, _ operands: Operands) throws {
        let table = data.tables[operands.low]
        let at = narrow(operands.d.pointee, table.type.is64)
        let count = narrow(operands.b.pointee, table.type.is64)
        guard table.contains(at, count) else {
            throw Trap(.outOfBoundsTableAccess, backtrace: backtrace())
        }
        charge(count)
        for k in 0..<Int(count) {
            table.record.pointee.elements[Int(at) + k] = operands.a.pointee
        }
    }
}
