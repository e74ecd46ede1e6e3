import CPatchGate

// How a call gets an instance. The short way, without a lock, is for outermost calls for which an
// instance is idle; every other call goes the long way.
extension RoutingTable {
    /// How a call of a routed function ended.
    enum Outcome {
        case served
        /// Native code serves it.
        case native
        /// It failed after it had called native functions that may have changed something.
        case failedAfterEffect(PatchError)

        var isServed: Bool {
            if case .served = self { return true }
            return false
        }
    }

    /// The result of the module, or nil when native code serves the call.
    func invoke<Result>(
        _ id: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result
    ) -> Result? {
        var written = PatchArguments()
        arguments(&written)
        var answer: Result?
        return serve(id, &written) { answer = try result(&$0) }.isServed ? answer : nil
    }

    /// Serves a routed function.
    /// - Parameter read: reads the result; it may have done so in vain when the call is not served.
    func serve(
        _ id: UInt64, _ arguments: inout PatchArguments,
        _ read: (inout PatchResult) throws -> Void
    ) -> Outcome {
        guard !CallFrame.isInside, !areWaiting.isSet, let loan = slots.take() else {
            return serveTheLongWay(id, &arguments, read)
        }
        return loan.instance._withUnsafeGuaranteedRef {
            serve(on: $0, loan, id, &arguments, read)
        }
    }

    private func serve(
        on instance: ModuleInstance, _ loan: IdleSlots.Loan, _ id: UInt64,
        _ arguments: inout PatchArguments, _ read: (inout PatchResult) throws -> Void
    ) -> Outcome {
        guard let function = instance.table.find(id), !instance.table.isDemoted(function)
        else {
            if !slots.give(loan) { endAsLent(loan) }
            return .native
        }
        instance.callNanoseconds = instance.table.callNanoseconds
        instance.natives.begin()
        do {
            defer { instance.natives.end() }
            try CallFrame.run(instance) {
                try instance.serve(function.pointee, &arguments, read)
            }
        } catch {
            return failed(loan, id, error)
        }
        if instance.isSound {
            if !slots.give(loan) { endAsLent(loan) }
        } else if slots.keepOut(loan) {
            loan.instance.release()
        } else {
            endAsLent(loan)
        }
        return .served
    }

    /// A call that went the short way failed.
    private func failed(_ loan: IdleSlots.Loan, _ id: UInt64, _ error: any Error) -> Outcome {
        let isLent = !slots.keepOut(loan)
        let instance = loan.instance.takeRetainedValue()
        guard let module = instance.module else { return .native }
        if isLent { module.giveBack(nil, hasReturned: false) }
        return failed(id, module, error, hasEffect: instance.natives.hasEffect)
    }

    /// Ends a call that went the short way, and during which its module ceased to be the active one.
    private func endAsLent(_ loan: IdleSlots.Loan) {
        let instance = loan.instance.takeRetainedValue()
        let module = instance.module
        module?.giveBack(instance, hasReturned: true)
    }

    private func serveTheLongWay(
        _ id: UInt64, _ arguments: inout PatchArguments,
        _ read: (inout PatchResult) throws -> Void
    ) -> Outcome {
        guard let module = pinned(for: id), let function = module.table.find(id) else {
            return .native
        }
        var hasEffect = false
        do {
            try withInstance(of: module) { instance in
                defer { hasEffect = instance.natives.hasEffect }
                try instance.serve(function.pointee, &arguments, read)
            }
            return .served
        } catch {
            return failed(id, module, error, hasEffect: hasEffect)
        }
    }

    // MARK: The long way

    /// Lends an instance for one call. A nested call on the same thread gets the instance of the
    /// call around it.
    func withInstance<Result>(
        of module: LoadedModule, _ body: (ModuleInstance) throws -> Result
    ) throws -> Result {
        if let instance = CallFrame.innermost(of: module) { return try body(instance) }
        var lease = lease(of: module)
        defer { end(lease) }
        let used = try lease.instance()
        let result = try CallFrame.run(used) { try body(used) }
        lease.hasReturned = true
        return result
    }

    /// Begins a call; ``end(_:)`` ends it.
    func lease(of module: LoadedModule) -> LoadedModule.Lease {
        guard let loan = slots.take() else { return LoadedModule.Lease(of: module) }
        let isLent = !slots.keepOut(loan)
        let instance = loan.instance.takeRetainedValue()
        if isLent { instance.module?.giveBack(nil, hasReturned: true) }
        // A swap may have come between; then it is nobody's any more.
        return LoadedModule.Lease(of: module, instance.module === module ? instance : nil)
    }

    /// Ends a call; its instance is there for the next one if the module is active still.
    func end(_ lease: LoadedModule.Lease) {
        let module = lease.module
        lease.used?.natives.end()
        var isKept = false
        if lease.hasReturned, let used = lease.used, used.isSound {
            isKept = keep(used, of: module)
        }
        module.giveBack(isKept ? nil : lease.used, hasReturned: lease.hasReturned)
    }
}
