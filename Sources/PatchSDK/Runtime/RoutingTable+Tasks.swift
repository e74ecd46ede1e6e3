import WebAssembly

/// The version that an async call of a module began with, for what it waits for: calls on other
/// threads that belong to it see no other.
enum WaitingCall {
    @TaskLocal static var module: LoadedModule?
}

extension RoutingTable {
    /// Serves an async routed function. The guest is left wherever it waits for native code and
    /// goes on when that is done; no thread waits meanwhile.
    /// - Returns: how it ended, and the result if it was served.
    func serveTask<Result>(
        _ id: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result,
        isolation: isolated (any Actor)? = #isolation
    ) async -> (Outcome, Result?) {
        guard let module = pinned(for: id), let function = module.table.find(id)?.pointee else {
            return (.native, nil)
        }
        var lease = lease(of: module)
        defer { end(lease) }
        var hasEffect = false
        do {
            let instance = try lease.instance()
            defer { hasEffect = instance.natives.hasEffect }
            var written = PatchArguments()
            arguments(&written)
            let index = Int(function.index)
            let placed = try CallFrame.run(instance) {
                try instance.place(&written, for: function, instance.type(of: index))
            }
            let slots = UnsafeMutableBufferPointer<UInt64>.allocate(
                capacity: PatchArguments.maximumCount)
            defer { slots.deallocate() }
            for index in 0..<slots.count { slots[index] = written.slots[index] }
            var isDone = try CallFrame.run(instance) { try instance.start(index, slots) }
            while !isDone {
                noteWaiting(1)
                defer { noteWaiting(-1) }
                let length = try await WaitingCall.$module.withValue(module) {
                    try await instance.natives.finishWaiting()
                }
                isDone = try CallFrame.run(instance) { try instance.resume(length, slots) }
            }
            let answer = try CallFrame.run(instance) {
                if let placed { try instance.release(placed.pointer, placed.count) }
                return try instance.read(slots[0], of: function, result)
            }
            lease.hasReturned = true
            return (.served, answer)
        } catch {
            return (failed(id, module, error, hasEffect: hasEffect), nil)
        }
    }
}
