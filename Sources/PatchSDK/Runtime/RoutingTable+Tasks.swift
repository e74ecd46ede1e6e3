import WebAssembly

/// The version that an async call of a module began with, for what it waits for: calls on other
/// threads that belong to it see no other.
enum WaitingCall {
    @TaskLocal static var module: LoadedModule?
}

extension RoutingTable {
    /// Serves an async routed function. The guest is left wherever it waits for native code and
    /// goes on when that is done; no thread waits meanwhile.
    func serveTask<Result>(
        _ id: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Outcome<Result> {
        guard let module = pinned(for: id), let function = module.functions[id] else {
            return .native
        }
        var lease = LoadedModule.Lease(of: module)
        defer { lease.end() }
        var hasEffect = false
        do {
            let instance = try lease.instance()
            let frame = CallFrame(module: module, instance: instance)
            defer { hasEffect = instance.natives.hasEffect }
            guard let export = instance.routedFunction(function.index) else {
                throw PatchError(.exportMissing, DeclarationID.hex16(id))
            }
            var written = PatchArguments()
            arguments(&written)
            let placed = try frame.run {
                try Self.place(instance, function.type, function.parameterTypes, &written)
            }
            let slots = UnsafeMutableBufferPointer<UInt64>.allocate(
                capacity: PatchArguments.maximumCount)
            defer { slots.deallocate() }
            for index in 0..<slots.count { slots[index] = written.slots[index] }
            var isDone = try frame.run { try instance.start(export, slots) }
            while !isDone {
                noteWaiting(1)
                defer { noteWaiting(-1) }
                let length = try await WaitingCall.$module.withValue(module) {
                    try await instance.natives.finishWaiting()
                }
                isDone = try frame.run { try instance.resume(length, slots) }
            }
            let value = try frame.run {
                if let placed { try instance.release(placed.pointer, placed.count) }
                return try Self.read(instance, function.type, slots[0], result)
            }
            lease.hasReturned = true
            return .served(value)
        } catch {
            return failed(id, module, error, hasEffect: hasEffect)
        }
    }
}
