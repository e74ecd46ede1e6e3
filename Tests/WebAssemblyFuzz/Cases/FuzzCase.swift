import WebAssembly

/// Modules and the calls that are made into them; all of it follows from a seed and a number.
public struct FuzzCase: Sendable {
    /// One call of an export.
    public struct Call: Sendable {
        /// Which of the modules.
        public var module: Int
        /// The exported function.
        public var function: String
        /// Its arguments.
        public var arguments: [Value]
    }

    /// The modules, in the order of instantiation; each can import the exports of the one before
    /// under `a`, and the host's functions under `h`.
    public var modules: [[UInt8]] = []
    /// The calls, in order.
    public var calls: [Call] = []

    /// What the exported global `fuel` of each module holds before a call: so many calls and
    /// iterations the module grants itself.
    public static let fuel: UInt32 = 200

    /// Puts a case together.
    init(modules: [[UInt8]], calls: [Call]) {
        self.modules = modules
        self.calls = calls
    }

    /// Makes case `number` of `seed`.
    public init(seed: UInt64, number: UInt64) {
        var dice = Dice(seed: seed, case: number)
        var plans: [ModulePlan] = []
        for _ in 0..<(dice.below(3) == 0 ? 2 : 1) {
            var generator = ModuleGenerator(dice: dice, importingFrom: plans.last)
            plans.append(generator.generate())
            dice = generator.dice
        }
        modules = plans.map { $0.encoded() }
        for _ in 0..<2 {
            for (module, plan) in plans.enumerated() {
                for export in plan.exports where export.kind == 0 {
                    calls.append(
                        Call(
                            module: module, function: export.name,
                            arguments: plan.functions[export.index].parameters
                                .map { dice.argument($0) }))
                }
            }
        }
    }
}

extension Dice {
    /// An argument. Not a NaN with a payload, which other hosts' interfaces need not keep.
    fileprivate mutating func argument(_ type: ValueType) -> Value {
        switch type {
        case .i32: return .i32(once(in: 3) ? UInt32(below(12)) : UInt32(bits(.i32)))
        case .i64: return .i64(once(in: 3) ? UInt64(below(12)) : bits(.i64))
        case .f32: return .f32(UInt32(Value.f32(UInt32(bits(.f32))).canonicalBits))
        case .f64: return .f64(Value.f64(bits(.f64)).canonicalBits)
        case .funcRef: return .ref(.nullFunction)
        case .externRef: return .ref(once(in: 2) ? .nullExtern : .extern(UInt32(1 + below(90))))
        }
    }
}
