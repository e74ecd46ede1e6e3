import CWasmCore

// Calls from the host. The interpreter's core runs until it needs something; then this loop does
// it and resumes. A host function therefore runs on top of this loop, never on top of a guest's
// native frames, and can throw like any Swift function.

extension Store {
    /// Calls a function with its arguments in `slots`, where it leaves the results.
    func call(
        _ function: UnsafeMutablePointer<wc_function>,
        _ slots: UnsafeMutableBufferPointer<UInt64>, _ limits: CallLimits?
    ) throws {
        // The common case first: nothing runs, nothing is limited.
        guard isIdle, isUnbounded, limits == nil, let instance = function.pointee.instance,
            instance.pointee.dead | instance.pointee.limited == 0
        else { return try callCarefully(function, slots, limits) }
        context.pointee.fuel = .max / 2
        isIdle = false
        nesting = 1
        defer {
            nesting = 0
            isIdle = !isPoisoned && !isWaiting
        }
        try run(function, slots)
    }

    /// Calls a function whose time alone is limited. A call that is over within one slice of fuel
    /// never looks at the clock.
    func call(
        _ function: UnsafeMutablePointer<wc_function>,
        _ slots: UnsafeMutableBufferPointer<UInt64>, timeoutNanoseconds: UInt64
    ) throws {
        guard isIdle, let instance = function.pointee.instance, instance.pointee.dead == 0 else {
            return try callCarefully(
                function, slots, CallLimits(timeoutNanoseconds: timeoutNanoseconds))
        }
        context.pointee.fuel = budget.beginTimed(timeoutNanoseconds)
        isIdle = false
        nesting = 1
        defer {
            nesting = 0
            budget.endTimed()
            isIdle = !isPoisoned && !isWaiting
        }
        try run(function, slots)
    }

    @inline(never)
    private func callCarefully(
        _ function: UnsafeMutablePointer<wc_function>,
        _ slots: UnsafeMutableBufferPointer<UInt64>, _ limits: CallLimits?
    ) throws {
        if isPoisoned { throw Trap(.hostAccessOutOfBounds) }
        if suspension != nil {
            throw WasmUsageError(
                code: "call_suspended", message: "a call of this store waits for its host")
        }
        guard let instance = function.pointee.instance else {
            return try callHost(function, slots, from: -1)
        }
        if instance.pointee.dead != 0 { throw Trap(.instanceDead) }
        let wasIdle = isIdle
        isIdle = false
        defer { isIdle = wasIdle && !isPoisoned && suspension == nil }
        try callBounded(function, slots, limits)
    }

    private func callBounded(
        _ function: UnsafeMutablePointer<wc_function>,
        _ slots: UnsafeMutableBufferPointer<UInt64>, _ limits: CallLimits?
    ) throws {
        let limits = limits ?? ownLimits(function) ?? engine.configuration.defaultLimits
        if nesting >= max(1, min(limits.nestingDepth, 512)) { throw Trap(.callStackExhausted) }
        // The state in which an outer guest waits for the host function that calls here.
        let saved = context.pointee
        let outer = budget
        let isOuter = nesting == 0
        if !isOuter {
            budget.settle(saved.fuel)
            // A slice ends with each nested call, so calls in a loop would never look at the clock.
            if let reason = budget.violation(needed: 0) { throw Trap(reason) }
        }
        let given = isOuter ? Budget(limits) : budget.limited(by: Budget(limits))
        let waiting = budget
        budget = given
        context.pointee.fuel = budget.nextSlice()
        if let bytes = budget.stackBytes, bytes / 8 < saved.stack_end - top {
            context.pointee.stack_end = top + max(0, bytes / 8)
        }
        nesting += 1
        let observed = observer?.depth
        defer {
            if let observed { observer?.unwind(to: observed) }
            nesting -= 1
            budget.settle(context.pointee.fuel)
            let inner = budget
            context.pointee = saved
            if isOuter {
                budget = outer
            } else {
                budget = waiting
                budget.pay(inner, of: given)
                context.pointee.fuel = budget.nextSlice()
            }
        }
        try run(function, slots)
    }

    private func ownLimits(_ function: UnsafeMutablePointer<wc_function>) -> CallLimits? {
        guard let instance = function.pointee.instance, instance.pointee.limited != 0 else {
            return nil
        }
        return instances[Int(instance.pointee.identity)].callLimits
    }

    private func run(
        _ function: UnsafeMutablePointer<wc_function>,
        _ slots: UnsafeMutableBufferPointer<UInt64>
    ) throws {
        let base = top
        let parameters = Int(function.pointee.parameters)
        let results = Int(function.pointee.results)
        if context.pointee.stack_end - base < max(parameters, results) + 8 {
            throw Trap(.callStackExhausted)
        }
        var i = 0
        while i < parameters {
            base[i] = slots[i]
            i &+= 1
        }
        var exit = wc_call(context, function, base)
        if exit != UInt32(WC_EXIT_done) {
            defer { if suspension == nil { top = base } }
            repeat { exit = try attend(exit) } while exit != UInt32(WC_EXIT_done)
        }
        i = 0
        while i < results {
            slots[i] = base[i]
            i &+= 1
        }
    }

    /// Does what the core left for, and resumes it.
    /// - Returns: how it left next.
    @inline(never)
    func attend(_ exit: UInt32) throws -> UInt32 {
        switch exit {
        case UInt32(WC_EXIT_host):
            try callHostFromGuest()
            return wc_resume_after(context)
        case UInt32(WC_EXIT_service):
            try serve()
            return wc_resume_after(context)
        case UInt32(WC_EXIT_call):
            try translateCallee()
            return wc_resume(context)
        case UInt32(WC_EXIT_fuel):
            try refuel()
            return wc_resume(context)
        default:
            throw trap(TrapReason(context.pointee.detail))
        }
    }

    // MARK: Host functions

    private func callHostFromGuest() throws {
        guard let callee = context.pointee.callee, let base = wc_call_base(context),
            let instance = context.pointee.instance
        else { return }
        let size = Int(max(callee.pointee.parameters, callee.pointee.results))
        // Calls back into guests begin their frames after the arguments.
        top = base + size
        do {
            try callHost(
                callee, UnsafeMutableBufferPointer(start: base, count: size),
                from: Int(instance.pointee.identity))
        } catch let pending as HostCallPending {
            suspend(at: base)
            throw pending
        }
        if isPoisoned { throw trap(.hostAccessOutOfBounds) }
        budget.noteHostCall(&context.pointee.fuel)
    }

    private func callHost(
        _ function: UnsafePointer<wc_function>, _ slots: UnsafeMutableBufferPointer<UInt64>,
        from caller: Int
    ) throws {
        // Straight from its place: copying the array's element would count references.
        try hostBodies[Int(function.pointee.identity)](Caller(store: self, index: caller), slots)
        if function.pointee.references != 0 {
            try check(slots, hold: types[Int(function.pointee.type)].results)
        }
    }

    // MARK: Translation, limits

    private func translateCallee() throws {
        guard let code = context.pointee.callee_code else { throw trap(.unreachable) }
        var owner = context.pointee.instance
        if let callee = context.pointee.callee { owner = callee.pointee.instance }
        guard let owner else { throw trap(.unreachable) }
        let module = instances[Int(owner.pointee.identity)].module
        let index = code - UnsafePointer(module.code.records)
        if module.code.isTranslated(index) {
            // It is the stack, unless another thread has translated it since the core was left.
            if wc_call_fits(context) { return }
            if budget.stackBytes != nil { kill() }
            throw trap(.callStackExhausted)
        }
        observer?.engineWorks(true)
        defer { observer?.engineWorks(false) }
        try module.code.translate(index)
    }

    private func refuel() throws {
        if !budget.isBounded {
            context.pointee.fuel = .max / 2
            return
        }
        budget.settle(context.pointee.fuel)
        if let reason = budget.violation(needed: Int64(context.pointee.detail)) {
            kill()
            throw trap(reason)
        }
        context.pointee.fuel = budget.nextSlice()
    }

    /// Marks all instances on the stack as dead: a limit stopped them in the middle of their work.
    func kill() {
        for frame in frames() { instances[frame.instance].record.pointee.dead = 1 }
    }

    func trap(_ reason: TrapReason) -> Trap {
        Trap(reason, backtrace: backtrace())
    }
}

extension CallLimits {
    var isBounded: Bool {
        fuel != nil || timeoutNanoseconds != nil || cancellation != nil || memoryBytes != nil
            || tableElements != nil || stackBytes != nil
    }
}

extension TrapReason {
    init(_ detail: UInt32) {
        switch detail {
        case UInt32(WC_TRAP_divide_by_zero): self = .integerDivideByZero
        case UInt32(WC_TRAP_integer_overflow): self = .integerOverflow
        case UInt32(WC_TRAP_invalid_conversion): self = .invalidConversionToInteger
        case UInt32(WC_TRAP_memory_bounds): self = .outOfBoundsMemoryAccess
        case UInt32(WC_TRAP_table_bounds): self = .outOfBoundsTableAccess
        case UInt32(WC_TRAP_undefined_element): self = .undefinedElement
        case UInt32(WC_TRAP_uninitialized_element): self = .uninitializedElement
        case UInt32(WC_TRAP_type_mismatch): self = .indirectCallTypeMismatch
        case UInt32(WC_TRAP_instance_dead): self = .instanceDead
        default: self = .unreachable
        }
    }
}
