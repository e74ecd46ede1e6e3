import WebAssembly

/// An expression that can be compiled to wasm and evaluated by plain Swift.
indirect enum Expression: CustomStringConvertible {
    case constant(Value)
    /// One of the eight parameters.
    case parameter(Int, ValueType)
    case unary(Operator, Expression)
    case binary(Operator, Expression, Expression)
    /// `first` if the condition is not zero, else `second`; both are evaluated.
    case select(Expression, Expression, Expression)
    /// As `select`, by `if`: one of the two is evaluated.
    case choose(Expression, Expression, Expression)
    /// The value, after going through the local with the number of a parameter plus eight.
    case tee(Int, Expression)

    static let types: [ValueType] = [.i32, .i64, .f32, .f64]

    var type: ValueType {
        switch self {
        case .constant(let value): return value.type
        case .parameter(_, let type): return type
        case .unary(let op, _), .binary(let op, _, _): return op.result
        case .select(_, let value, _), .choose(_, let value, _), .tee(_, let value):
            return value.type
        }
    }

    static func random(_ type: ValueType, depth: Int, _ random: inout Random) -> Expression {
        let which = random.below(12)
        if depth == 0 || which == 0 {
            if random.below(3) == 0 { return .constant(random.value(type)) }
            let first = types.firstIndex(of: type) ?? 0
            return .parameter(first + 4 * random.below(2), type)
        }
        func sub(_ type: ValueType) -> Expression {
            .random(type, depth: depth - 1, &random)
        }
        switch which {
        case 1: return .select(sub(.i32), sub(type), sub(type))
        case 2: return .choose(sub(.i32), sub(type), sub(type))
        case 3:
            let first = types.firstIndex(of: type) ?? 0
            return .tee(first + 4 * random.below(2), sub(type))
        default:
            let choices = Operator.all.filter { $0.result == type }
            let op = choices[random.below(choices.count)]
            return op.isBinary
                ? .binary(op, sub(op.operand), sub(op.operand)) : .unary(op, sub(op.operand))
        }
    }

    // MARK: Code

    /// The body of a function that returns the value.
    func code(_ wrapping: Wrapping) -> [UInt8] {
        let index = Expression.types.firstIndex(of: type) ?? 0
        let value = code
        switch wrapping {
        case .plain: return value
        case .explicitReturn: return value + Code.ret
        case .throughLocal: return value + Code.set(8 + index) + Code.get(8 + index)
        case .throughMemory:
            let store: [[UInt8]] = [[0x36, 0], [0x37, 0], [0x38, 0], [0x39, 0]]
            let load: [[UInt8]] = [[0x28, 0], [0x29, 0], [0x2a, 0], [0x2b, 0]]
            return Code.i32(40) + value + store[index] + [8] + Code.i32(48) + load[index] + [0]
        case .throughBlock: return Code.block(type.rawValue, value)
        case .throughBranch:
            return Code.block(
                type.rawValue,
                value + Code.get(0) + Code.brIf(0) + Code.drop + value + Code.br(0))
        }
    }

    private var code: [UInt8] {
        switch self {
        case .constant(.i32(let bits)): return Code.i32(Int32(bitPattern: bits))
        case .constant(.i64(let bits)): return Code.i64(Int64(bitPattern: bits))
        case .constant(.f32(let bits)): return [0x43] + Code.bytes(bits, 4)
        case .constant(.f64(let bits)): return [0x44] + Code.bytes(bits, 8)
        case .constant: return Code.unreachable
        case .parameter(let index, _): return Code.get(index)
        case .unary(let op, let x): return x.code + op.code
        case .binary(let op, let x, let y): return x.code + y.code + op.code
        case .select(let condition, let x, let y): return x.code + y.code + condition.code + [0x1b]
        case .choose(let condition, let x, let y):
            return condition.code + Code.ifElse(type.rawValue, x.code, y.code)
        case .tee(let index, let x): return x.code + Code.tee(8 + index)
        }
    }

    // MARK: Reference

    /// The value, or nil when evaluation traps.
    func evaluate(_ parameters: [Value]) -> Value? {
        switch self {
        case .constant(let value): return value
        case .parameter(let index, _): return parameters[index]
        case .unary(let op, let x):
            return x.evaluate(parameters).flatMap { op.apply($0, $0) }
        case .binary(let op, let x, let y):
            guard let a = x.evaluate(parameters), let b = y.evaluate(parameters) else {
                return nil
            }
            return op.apply(a, b)
        case .select(let condition, let x, let y):
            guard let a = x.evaluate(parameters), let b = y.evaluate(parameters),
                let c = condition.evaluate(parameters)
            else { return nil }
            return c == .i32(0) ? b : a
        case .choose(let condition, let x, let y):
            return condition.evaluate(parameters).flatMap {
                ($0 == .i32(0) ? y : x).evaluate(parameters)
            }
        case .tee(_, let x): return x.evaluate(parameters)
        }
    }

    var description: String {
        switch self {
        case .constant(let value): return "\(value)"
        case .parameter(let index, _): return "p\(index)"
        case .unary(let op, let x): return "\(op.name)(\(x))"
        case .binary(let op, let x, let y): return "\(op.name)(\(x), \(y))"
        case .select(let c, let x, let y): return "select(\(c), \(x), \(y))"
        case .choose(let c, let x, let y): return "if(\(c), \(x), \(y))"
        case .tee(_, let x): return "tee(\(x))"
        }
    }
}
