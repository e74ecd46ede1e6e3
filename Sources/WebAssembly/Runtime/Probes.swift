import CWasmCore

// What a store with an observer tells it. Code that was translated for such a store leaves the core
// where functions begin and end; host functions are wrapped when they are made.

/// Where a function that is about to return has its results.
enum ResultPlace: UInt32 {
    /// In slots of its frame: the probe names the first and says how many.
    case slots
    /// In the accumulator for integers, f64 or f32.
    case r, f, g
    /// In the probe itself.
    case constant
}

extension Store {
    func probeEnter(_ data: InstanceData, _ fp: UnsafeMutablePointer<UInt64>, _ index: Int) {
        // Straight from the records that the translator uses: no arrays are touched.
        let shape = data.module.code.shape
        let signature = shape.signatures[Int(shape.functions[index])]
        observer?.didEnter(
            ObservedFunction(instance: Int32(data.index), index: Int32(index)),
            UnsafeBufferPointer(start: fp, count: signature.parameterCount), in: self)
    }

    func probeLeave(_ slot: UnsafeMutablePointer<UInt64>, _ word: UInt64) {
        var value: UInt64
        switch ResultPlace(rawValue: UInt32(word >> 16 & 0xffff)) {
        case .r: value = context.pointee.r
        case .f: value = context.pointee.f.bitPattern
        case .g: value = UInt64(context.pointee.g.bitPattern)
        case .constant: value = word >> 32
        case .slots, nil:
            let count = Int(word >> 32)
            observer?.willReturn(UnsafeBufferPointer(start: slot, count: count), in: self)
            return
        }
        withUnsafePointer(to: &value) {
            observer?.willReturn(UnsafeBufferPointer(start: $0, count: 1), in: self)
        }
    }

    /// Wraps a host function so that the observer is told of its calls.
    func observed(
        _ body: @escaping HostBody, _ number: Int, _ type: FunctionType,
        _ observer: any CallObserver
    ) -> HostBody {
        let function = ObservedFunction(instance: -1, index: Int32(number))
        let (parameters, results) = (type.parameters.count, type.results.count)
        return { caller, slots in
            let depth = observer.depth
            observer.didEnter(
                function, UnsafeBufferPointer(rebasing: slots.prefix(parameters)),
                in: caller.store)
            do {
                try body(caller, slots)
            } catch {
                observer.unwind(to: depth)
                throw error
            }
            observer.willReturn(
                UnsafeBufferPointer(rebasing: slots.prefix(results)), in: caller.store)
        }
    }
}
