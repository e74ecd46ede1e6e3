import WebAssembly

/// Writes one function body that is valid by construction and ends by itself.
///
/// It grows trees: `value(_:)` leaves one value on the operand stack, `statement()` leaves the
/// stack as it was. Values are often left on the stack while statements run, because that is where
/// a translator that avoids copies can go wrong.
///
/// Results are determined: which bits a NaN has after an operation is not (core specification 2.0,
/// section 4.3.3), so only floats whose bits are known are stored or reinterpreted (`exact`).
struct BodyGenerator {
    var dice: Dice
    var plan: ModulePlan
    let index: Int
    let type: FunctionType
    var locals: [ValueType]
    /// Locals that statements may not assign: loop counters and scratch.
    var reserved: Set<Int> = []
    var out: [UInt8] = []
    /// What a branch to each label takes, innermost last.
    var labels: [[ValueType]] = []
    /// How many more nodes may be grown freely.
    var budget: Int
    /// Labels of loops: a branch there goes back.
    var backward: Set<Int> = []
    var loopDepth = 0
    /// Reserved locals that hold addresses.
    var addresses: Set<Int> = []
    private var scratch: [ValueType: Int] = [:]

    static let numbers: [ValueType] = [.i32, .i64, .f32, .f64]

    init(_ plan: ModulePlan, function index: Int, size: Int, dice: Dice) {
        self.plan = plan
        self.dice = dice
        self.index = index
        type = plan.functions[index]
        budget = size
        locals = type.parameters
        let count = self.dice.below(10)
        for _ in 0..<count { locals.append(Self.anyType(&self.dice)) }
    }

    static func anyType(_ dice: inout Dice) -> ValueType {
        if dice.once(in: 12) { return dice.once(in: 2) ? .funcRef : .externRef }
        return dice.pick(numbers)
    }

    /// The body with its locals, without its size.
    mutating func body() -> [UInt8] {
        labels = [type.results]
        payFuel()
        let statements = dice.within(1...4)
        for _ in 0..<statements { statement() }
        for result in type.results { value(result) }
        if dice.once(in: 5) {
            byte(0x0f)
            deadCode()
        }
        byte(0x0b)
        return declarations() + out
    }

    private func declarations() -> [UInt8] {
        var groups: [(ValueType, Int)] = []
        for local in locals[type.parameters.count...] {
            if let last = groups.last, last.0 == local {
                groups[groups.count - 1].1 += 1
            } else {
                groups.append((local, 1))
            }
        }
        var bytes: [UInt8] = []
        bytes.unsigned(groups.count)
        for (type, count) in groups {
            bytes.unsigned(count)
            bytes.append(type.rawValue)
        }
        return bytes
    }

    // MARK: Pieces

    mutating func byte(_ byte: UInt8) { out.append(byte) }
    mutating func bytes(_ bytes: [UInt8]) { out.append(contentsOf: bytes) }

    mutating func op(_ code: UInt8, _ immediates: Int...) {
        out.append(code)
        for immediate in immediates { out.unsigned(immediate) }
    }

    mutating func i32(_ value: Int32) { out.constant(.i32, UInt64(UInt32(bitPattern: value))) }

    /// A constant index or address of the given width.
    mutating func index(_ value: UInt64, is64: Bool) { out.constant(is64 ? .i64 : .i32, value) }

    mutating func blockType(_ parameters: [ValueType], _ results: [ValueType]) {
        if parameters.isEmpty && results.isEmpty && !dice.once(in: 10) {
            byte(0x40)
        } else if let result = results.first, parameters.isEmpty, results.count == 1,
            !dice.once(in: 10)
        {
            byte(result.rawValue)
        } else {
            let number = plan.number(
                of: FunctionType(parameters: parameters, results: results))
            out.signed(Int64(number))
        }
    }

    /// A local that nothing but its user assigns, one for each type.
    mutating func scratchLocal(_ type: ValueType) -> Int {
        if let known = scratch[type] { return known }
        let index = reservedLocal(type)
        scratch[type] = index
        return index
    }

    mutating func reservedLocal(_ type: ValueType) -> Int {
        locals.append(type)
        reserved.insert(locals.count - 1)
        return locals.count - 1
    }

    /// A local of the type to read, or to assign.
    mutating func local(_ type: ValueType, toAssign: Bool = false) -> Int? {
        let fitting = locals.indices.filter {
            locals[$0] == type && !(toAssign && reserved.contains($0))
        }
        if fitting.isEmpty {
            guard locals.count < 40 else { return nil }
            locals.append(type)
            return locals.count - 1
        }
        return dice.pick(fitting)
    }

    mutating func global(_ type: ValueType, toAssign: Bool = false) -> Int? {
        let fitting = plan.globals.indices.filter {
            plan.globals[$0].type.value == type && $0 != plan.fuel
                && (!toAssign || plan.globals[$0].type.isMutable)
        }
        return fitting.isEmpty ? nil : dice.pick(fitting)
    }

    /// Counts one call or iteration, and traps when all are used up: whatever the control flow, the
    /// function ends, and other engines agree on where.
    mutating func payFuel() {
        op(0x23, plan.fuel)
        i32(1)
        byte(0x6b)
        op(0x24, plan.fuel)
        op(0x23, plan.fuel)
        i32(0)
        bytes([0x48, 0x04, 0x40, 0x00, 0x0b])
    }

    /// Whether a node may still be grown, which it pays for.
    mutating func mayGrow() -> Bool {
        budget -= 1
        return budget > 0
    }
}
