import WebAssembly

/// Draws a module: what it declares first, then its bodies.
struct ModuleGenerator {
    var dice: Dice
    private var plan = ModulePlan()
    /// The module that this one may import from, instantiated before it.
    private let other: ModulePlan?

    init(dice: Dice, importingFrom other: ModulePlan?) {
        self.dice = dice
        self.other = other
    }

    mutating func generate() -> ModulePlan {
        importHostFunctions()
        if let other { importAll(from: other) }
        declareMemory()
        declareTables()
        declareGlobals()
        declareFunctions()
        addData()
        addElements()
        addBodies()
        addExports()
        addCustoms()
        return plan
    }

    // MARK: Imports

    private mutating func importHostFunctions() {
        for function in HostModule.functions where dice.once(in: 3) {
            importFunction(HostModule.name, function.name, function.type)
        }
    }

    private mutating func importFunction(_ module: String, _ name: String, _ type: FunctionType) {
        _ = plan.number(of: type)
        plan.imports.append(.init(module: module, name: name, kind: .function(type)))
        plan.functions.append(type)
        plan.importedFunctions += 1
    }

    private mutating func importAll(from other: ModulePlan) {
        for export in other.exports where !dice.once(in: 3) {
            func entry(_ kind: ExternalKind) -> ModulePlan.Import {
                .init(module: "a", name: export.name, kind: kind)
            }
            switch export.kind {
            case 0: importFunction("a", export.name, other.functions[export.index])
            case 1:
                plan.imports.append(entry(.table(other.tables[export.index])))
                plan.tables.append(other.tables[export.index])
                plan.known.append([:])
                plan.importedTables += 1
            case 2:
                guard let memory = other.memory, plan.memory == nil else { continue }
                plan.imports.append(entry(.memory(memory)))
                plan.memory = memory
                plan.importsMemory = true
            default:
                // Its fuel stays its own.
                guard export.index != other.fuel else { continue }
                let type = other.globals[export.index].type
                plan.imports.append(entry(.global(type)))
                plan.globals.append(.init(type: type, initial: []))
                plan.importedGlobals += 1
            }
        }
    }

    // MARK: Declarations

    private mutating func declareMemory() {
        if plan.memory != nil || dice.once(in: 12) { return }
        let minimum = UInt64(dice.pick([1, 1, 1, 2, 0]))
        plan.memory = MemoryType(
            minimum: minimum, maximum: dice.once(in: 4) ? nil : minimum + UInt64(dice.below(4)),
            is64: dice.below(5) < 2)
    }

    private mutating func declareTables() {
        for _ in 0..<dice.below(4) {
            let minimum = UInt64(dice.below(16))
            plan.tables.append(
                TableType(
                    element: dice.once(in: 4) ? .externRef : .funcRef, minimum: minimum,
                    maximum: dice.once(in: 3) ? nil : minimum + UInt64(dice.below(5)),
                    is64: dice.once(in: 3)))
            plan.known.append([:])
        }
    }

    private mutating func declareGlobals() {
        plan.fuel = plan.globals.count
        plan.globals.append(
            .init(
                type: GlobalType(value: .i32, isMutable: true), initial: constant(.i32, 100)))
        for _ in 0..<dice.below(7) {
            let type = BodyGenerator.anyType(&dice)
            plan.globals.append(
                .init(
                    type: GlobalType(value: type, isMutable: !dice.once(in: 4)),
                    initial: constantExpression(type)))
        }
    }

    private func constant(_ type: ValueType, _ bits: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.constant(type, bits)
        return bytes
    }

    private mutating func constantExpression(_ type: ValueType) -> [UInt8] {
        if dice.once(in: 3) {
            let fitting = (0..<plan.importedGlobals).filter {
                plan.globals[$0].type == GlobalType(value: type, isMutable: false)
            }
            if !fitting.isEmpty {
                var bytes: [UInt8] = [0x23]
                bytes.unsigned(dice.pick(fitting))
                return bytes
            }
        }
        if type == .i32 || type == .i64, dice.once(in: 3) {
            let first = constantExpression(type)
            let second = constantExpression(type)
            return first + second + [(type == .i32 ? 0x6a : 0x7c) + UInt8(dice.below(3))]
        }
        return constant(type, dice.bits(type))
    }

    /// `value` as a constant expression, perhaps as a sum.
    private mutating func offset(_ value: UInt64, is64: Bool) -> [UInt8] {
        let type: ValueType = is64 ? .i64 : .i32
        if !dice.once(in: 3) { return constant(type, value) }
        let part = UInt64(dice.below(1000))
        return constant(type, value &- part) + constant(type, part) + [is64 ? 0x7c : 0x6a]
    }

    private mutating func declareFunctions() {
        for _ in 0..<dice.within(1...7) {
            var type = FunctionType(parameters: [], results: [])
            for _ in 0..<dice.below(5) { type.parameters.append(BodyGenerator.anyType(&dice)) }
            let results = dice.pick([0, 1, 1, 1, 2, 3])
            for _ in 0..<results { type.results.append(BodyGenerator.anyType(&dice)) }
            // Equal types make indirect calls fit.
            if dice.once(in: 3) { type = dice.pick(plan.types + [type]) }
            _ = plan.number(of: type)
            plan.functions.append(type)
        }
        if dice.once(in: 6) {
            plan.start = plan.functions.count
            plan.functions.append(FunctionType(parameters: [], results: []))
            _ = plan.number(of: FunctionType(parameters: [], results: []))
        }
    }

    // MARK: Segments

    private mutating func addData() {
        guard let memory = plan.memory else { return }
        let length = Int(memory.minimum << 16)
        for _ in 0..<dice.below(4) {
            let count = dice.once(in: 6) ? 0 : dice.below(80)
            var bytes: [UInt8] = []
            if dice.once(in: 3) {
                bytes.append(1)
            } else {
                let daring = dice.once(in: 100)
                let at = daring ? length - dice.below(40) : dice.below(max(1, min(length, 4096)))
                let place = UInt64(max(0, count > length ? 0 : at))
                bytes += dice.once(in: 4) ? [2, 0] : [0]
                bytes += offset(place, is64: memory.is64) + [0x0b]
            }
            bytes.unsigned(count)
            for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: dice.next())) }
            plan.data.append(.init(bytes: bytes, count: count))
        }
    }

    private mutating func addElements() {
        // Everything may be referred to.
        var declared: [UInt8] = [3, 0]
        declared.unsigned(plan.functions.count)
        for function in plan.functions.indices { declared.unsigned(function) }
        plan.elements.append(.init(type: .funcRef, bytes: declared, count: 0))
        for table in plan.tables.indices where !dice.once(in: 5) { addElements(to: table) }
        for _ in 0..<dice.below(2) { addElements(to: nil) }
    }

    private mutating func addElements(to table: Int?) {
        let type =
            table.map { plan.tables[$0].element } ?? (dice.once(in: 3) ? .externRef : .funcRef)
        let asExpressions = type == .externRef || dice.once(in: 3)
        let size = table.map { Int(plan.tables[$0].minimum) } ?? 6
        let count = dice.below(size + 1)
        var bytes: [UInt8] = []
        let at = dice.once(in: 100) ? size - count + 1 : dice.below(size - count + 1)
        if let table {
            let place = offset(UInt64(at), is64: plan.tables[table].is64) + [0x0b]
            if table == 0, type == .funcRef, dice.once(in: 2) {
                bytes = [asExpressions ? 4 : 0] + place
            } else {
                bytes.append(asExpressions ? 6 : 2)
                bytes.unsigned(table)
                bytes += place + [asExpressions ? type.rawValue : 0]
            }
        } else {
            bytes = [asExpressions ? 5 : 1, asExpressions ? type.rawValue : 0]
        }
        bytes.unsigned(count)
        for k in 0..<count {
            let function = dice.below(plan.functions.count)
            if !asExpressions {
                bytes.unsigned(function)
            } else if type == .externRef || dice.once(in: 4) {
                bytes += [0xd0, type.rawValue, 0x0b]
                if let table { plan.known[table][at + k] = nil }
                continue
            } else {
                bytes.append(0xd2)
                bytes.unsigned(function)
                bytes.append(0x0b)
            }
            if let table { plan.known[table][at + k] = function }
        }
        plan.elements.append(.init(type: type, bytes: bytes, count: count))
    }

    // MARK: Bodies and the rest

    private mutating func addBodies() {
        for index in plan.importedFunctions..<plan.functions.count {
            let type = plan.functions[index]
            if type == FunctionType(parameters: [.i32], results: [.i32]), dice.once(in: 4) {
                plan.bodies.append(recursion(index))
                continue
            }
            let size = index == plan.start ? 8 : dice.pick([5, 20, 40, 60, 120])
            var body = BodyGenerator(plan, function: index, size: size, dice: dice)
            let bytes = body.body()
            plan = body.plan
            dice = body.dice
            plan.bodies.append(bytes)
        }
    }

    /// Calls itself as often as its parameter says, with nothing but the stack to stop it; from 4,096
    /// up for ever, because engines differ in how deep is too deep.
    private mutating func recursion(_ index: Int) -> [UInt8] {
        var bytes: [UInt8] = [0, 0x20, 0, 0x45, 0x04, 0x7f]
        bytes.constant(.i32, dice.bits(.i32))
        bytes += [0x05, 0x20, 0, 0x20, 0, 0x41, 0x80, 0x20, 0x49, 0x6b, 0x10]
        bytes.unsigned(index)
        bytes.constant(.i32, dice.bits(.i32))
        return bytes + [0x6a, 0x0b, 0x0b]
    }

    private mutating func addExports() {
        for index in plan.importedFunctions..<plan.functions.count {
            plan.exports.append(.init(name: "f\(index)", kind: 0, index: index))
        }
        for index in plan.tables.indices {
            plan.exports.append(.init(name: "t\(index)", kind: 1, index: index))
        }
        if plan.memory != nil { plan.exports.append(.init(name: "m", kind: 2, index: 0)) }
        for index in plan.globals.indices {
            let name = index == plan.fuel ? "fuel" : "g\(index)"
            plan.exports.append(.init(name: name, kind: 3, index: index))
        }
    }

    private mutating func addCustoms() {
        for _ in 0..<dice.below(3) {
            var bytes: [UInt8] = []
            bytes.name(dice.pick(["name", "producers", ""]))
            for _ in 0..<dice.below(20) { bytes.append(UInt8(truncatingIfNeeded: dice.next())) }
            plan.customs.append(bytes)
        }
    }
}
