// Floating-point operations without a wasm instruction, and numbers as text both ways.

/// NaNs of one kind: which one an operation gives is not defined.
private func bits(_ value: Double) -> UInt64 { value.isNaN ? 0x7ff8 << 48 : value.bitPattern }
private func bits(_ value: Float) -> UInt64 { value.isNaN ? 0x7fc0 : UInt64(value.bitPattern) }

private func double(_ numbers: inout ProgramNumbers) -> Double {
    switch numbers.below(8) {
    case 0: return Double(Int64(bitPattern: numbers.skewed()))
    case 1: return Double(Int64(bitPattern: numbers.skewed())) / 2
    case 2: return Double(bitPattern: numbers.skewed())
    case 3: return 0
    case 4: return .infinity
    default: return Double(bitPattern: numbers.next())
    }
}

private func float(_ numbers: inout ProgramNumbers) -> Float {
    switch numbers.below(4) {
    case 0: return Float(Int32(truncatingIfNeeded: numbers.skewed())) / 2
    default: return Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next()))
    }
}

@_cdecl("program_float_operations")
func programFloatOperations(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let a = double(&numbers)
        // Near `a` in size half of the time: there remainders and sums are interesting.
        let near = Double(bitPattern: a.bitPattern ^ (numbers.skewed() & 0x801f_ffff_ffff_ffff))
        let b = numbers.below(2) == 0 ? double(&numbers) : near
        let c = numbers.below(2) == 0 ? double(&numbers) : -(a * b)
        digest.add(bits(a.rounded()))
        digest.add(bits(a.rounded(.toNearestOrEven)))
        digest.add(bits(a.rounded(.up)))
        digest.add(bits(a.rounded(.towardZero)))
        digest.add(bits(a.truncatingRemainder(dividingBy: b)))
        // A remainder of zero has the sign of the dividend (IEEE 754 §5.3.1); glibc loses it for
        // subnormal divisors.
        let rest = a.remainder(dividingBy: b)
        digest.add(bits(rest == 0 ? 0 : rest))
        digest.add(bits(c.addingProduct(a, b)))
        digest.add(bits(a.squareRoot()))
        let x = float(&numbers)
        let y = float(&numbers)
        let z = numbers.below(2) == 0 ? float(&numbers) : -(x * y)
        digest.add(bits(x.rounded()))
        digest.add(bits(x.truncatingRemainder(dividingBy: y)))
        let narrowRest = x.remainder(dividingBy: y)
        digest.add(bits(narrowRest == 0 ? 0 : narrowRest))
        digest.add(bits(z.addingProduct(x, y)))
    }
    return digest.value
}

@_cdecl("program_float_text")
func programFloatText(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let value = double(&numbers)
        digest.add(value.description)
        digest.add(bits(Double(value.description) ?? 1))
        let narrow = float(&numbers)
        digest.add(narrow.description)
        digest.add(bits(Float(narrow.description) ?? 1))

        var text = numbers.below(3) == 0 ? "-" : ""
        for _ in 0..<numbers.below(30) { text += String(numbers.below(10)) }
        if numbers.below(2) == 0 {
            text += "."
            for _ in 0..<numbers.below(30) { text += String(numbers.below(10)) }
        }
        if numbers.below(2) == 0 { text += "e\(Int64(numbers.below(700)) - 350)" }
        digest.add(bits(Double(text) ?? 1))
        digest.add(bits(Float(text) ?? 1))

        var hex = "0x"
        for _ in 0..<numbers.below(20) { hex += String(numbers.below(16), radix: 16) }
        if numbers.below(2) == 0 {
            hex += "." + String(numbers.next(), radix: 16)
        }
        if numbers.below(2) == 0 { hex += "p\(Int64(numbers.below(2400)) - 1200)" }
        digest.add(bits(Double(hex) ?? 1))
        digest.add(bits(Float(hex) ?? 1))
    }
    return digest.value
}

private let hardNumbers = [
    "", "+", "-", ".", "e5", "1e", "1e+", " 1", "1 ", "+1.5", "1.", ".5", "00012", "0x", "0x.p1",
    "0x1", "0x1.8p1", "0X1P-1074", "0x1p-1075", "0x1.8p-1075", "0x1p1024", "inf", "+Infinity",
    "-inf", "infinit", "nan", "NaN", "-nan", "nan(12)", "nan(0x7)", "1e400", "-1e400", "1e-400",
    "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
    "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623158e308",
    "1.7976931348623159e308", "9007199254740993", "9007199254740992.999999999999999999999",
    "9007199254740993.0000000000000000000000000000000000000000000000000000000000000000000000001",
    "0.1", "123456789012345678901234567890", "1e23", "8.5e22", "3.4028235e38", "3.4028236e38",
    "1.1754943508222875e-38", "1.401298464324817e-45", "7.006492321624085e-46", "16777217",
    "0e999999999", "1e99999999999", "1e-99999999999", "0.000000000000000000000000000000001e33",
]

@_cdecl("program_hard_numbers")
func programHardNumbers() -> UInt64 {
    var digest = ProgramDigest()
    var long = "0."
    for _ in 0..<400 { long += "13" }
    for text in hardNumbers + [long, long + "e-300", "1" + long.dropFirst(2) + "e-500"] {
        let value = Double(text)
        digest.add(value == nil ? UInt64(1) : bits(value ?? 0))
        let narrow = Float(text)
        digest.add(narrow == nil ? UInt64(1) : bits(narrow ?? 0))
    }
    return digest.value
}
