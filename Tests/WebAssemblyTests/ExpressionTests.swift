import Testing
import WebAssembly

/// Random expressions over all numeric operators, each computed by the engine and by a reference
/// written in plain Swift. Operands come from locals, constants and other expressions, and results
/// go to locals, memory, branches and returns, so that every operand form occurs.
@Suite("Expressions")
struct ExpressionTests {
    @Test("random expressions equal the reference", arguments: 0..<8)
    func expressions(round: Int) throws {
        let seed = UInt64(0x9e37_79b9) &* UInt64(round + 1)
        var random = Random(state: seed)
        for _ in 0..<60 {
            var builder = ModuleBuilder()
            builder.memory(1)
            var expected: [(Expression, [Value])] = []
            let parameters: [ValueType] = [.i32, .i64, .f32, .f64, .i32, .i64, .f32, .f64]
            for index in 0..<20 {
                let type = Expression.types[random.below(4)]
                let expression = Expression.random(type, depth: 1 + random.below(5), &random)
                let arguments = parameters.map { random.value($0) }
                builder.function(
                    "f\(index)", parameters, [type], locals: parameters,
                    expression.code(Wrapping(rawValue: random.below(6)) ?? .plain))
                expected.append((expression, arguments))
            }
            let instance = try builder.instance()
            for (index, (expression, arguments)) in expected.enumerated() {
                let function = try #require(instance.exports[function: "f\(index)"])
                let want = expression.evaluate(arguments)
                var got: Value?
                do { got = try function.invoke(arguments).first } catch is Trap {}
                let same =
                    want.flatMap { w in got.map { w.isSame(as: $0) } }
                    ?? (want == nil && got == nil)
                #expect(
                    same,
                    "seed \(seed): \(expression) of \(arguments) is \(String(describing: got)), not \(String(describing: want))"
                )
            }
        }
    }
}

/// How a function uses the value of its expression before returning it.
enum Wrapping: Int {
    case plain, explicitReturn, throughLocal, throughMemory, throughBlock, throughBranch
}

/// A generator whose whole state is a number that a failure prints.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func below(_ n: Int) -> Int { Int(next() % UInt64(n)) }

    /// A value of `type`, often one at a border.
    mutating func value(_ type: ValueType) -> Value {
        let borders: [UInt64] = [
            0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff,
            0x8000_0000, 0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff,
            0x8000_0000_0000_0000, .max, .max - 1,
        ]
        let floats: [Double] = [
            0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, 1e10, -1e10, 2_147_483_648, -2_147_483_649,
            4_294_967_296, 9.3e18, 1.9e19, .infinity, -.infinity, .nan, 1e-300, 3.25,
        ]
        let bits = below(2) == 0 ? borders[below(borders.count)] : next()
        let double = below(4) == 0 ? Double(Int64(bitPattern: next())) : floats[below(floats.count)]
        switch type {
        case .i64: return .i64(bits)
        case .f32: return .f32(Float(double).bitPattern)
        case .f64: return .f64(double.bitPattern)
        default: return .i32(UInt32(truncatingIfNeeded: bits))
        }
    }
}

extension Value {
    /// Equal, or both NaN: which NaN an operation gives is not determined.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.f32(let a), .f32(let b)):
            return a == b || (Float(bitPattern: a).isNaN && Float(bitPattern: b).isNaN)
        case (.f64(let a), .f64(let b)):
            return a == b || (Double(bitPattern: a).isNaN && Double(bitPattern: b).isNaN)
        default: return self == other
        }
    }
}
