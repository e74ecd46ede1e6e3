// 128-bit arithmetic, which the guest runtime provides and the host's runtime does too.

@available(macOS 15.0, iOS 18.0, *)
private func wide(_ numbers: inout ProgramNumbers) -> UInt128 {
    let upper = numbers.below(3) == 0 ? 0 : numbers.skewed()
    return UInt128(upper) << 64 | UInt128(numbers.skewed())
}

@available(macOS 15.0, iOS 18.0, *)
private func add(_ value: UInt128, to digest: inout ProgramDigest) {
    digest.add(UInt64(truncatingIfNeeded: value))
    digest.add(UInt64(truncatingIfNeeded: value >> 64))
}

@available(macOS 15.0, iOS 18.0, *)
@_cdecl("program_unsigned128")
func programUnsigned128(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let a = wide(&numbers)
        let b = wide(&numbers)
        let shift = UInt128(numbers.below(128))
        add(a &* b, to: &digest)
        add(a &<< shift, to: &digest)
        add(a &>> shift, to: &digest)
        if b != 0 {
            add(a / b, to: &digest)
            add(a % b, to: &digest)
        }
        let product = a.multipliedReportingOverflow(by: b)
        add(product.partialValue, to: &digest)
        digest.add(product.overflow ? 1 : UInt64(0))
        digest.add(Double(a).bitPattern)
        digest.add(UInt64(Float(a).bitPattern))
    }
    return digest.value
}

@available(macOS 15.0, iOS 18.0, *)
@_cdecl("program_signed128")
func programSigned128(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let a = Int128(truncatingIfNeeded: wide(&numbers))
        let b = Int128(truncatingIfNeeded: wide(&numbers))
        let shift = Int128(numbers.below(128))
        add(UInt128(truncatingIfNeeded: a &* b), to: &digest)
        add(UInt128(truncatingIfNeeded: a &>> shift), to: &digest)
        if b != 0, !(a == .min && b == -1) {
            add(UInt128(truncatingIfNeeded: a / b), to: &digest)
            add(UInt128(truncatingIfNeeded: a % b), to: &digest)
        }
        let product = a.multipliedReportingOverflow(by: b)
        add(UInt128(truncatingIfNeeded: product.partialValue), to: &digest)
        digest.add(product.overflow ? 1 : UInt64(0))
        let approximate = Double(a)
        digest.add(approximate.bitPattern)
        digest.add(UInt64(Float(a).bitPattern))
        if let back = Int128(exactly: approximate) {
            add(UInt128(truncatingIfNeeded: back), to: &digest)
        }
    }
    return digest.value
}

@_cdecl("program_full_width")
func programFullWidth(_ seed: UInt64, _ count: Int32) -> UInt64 {
    var numbers = ProgramNumbers(seed)
    var digest = ProgramDigest()
    for _ in 0..<count {
        let a = numbers.skewed()
        let b = numbers.skewed() | 1
        let product = a.multipliedFullWidth(by: b)
        digest.add(product.high)
        digest.add(product.low)
        if product.high < b {
            let parts = b.dividingFullWidth((product.high, product.low))
            digest.add(parts.quotient)
            digest.add(parts.remainder)
        }
        let signed = Int64(bitPattern: a).multipliedReportingOverflow(by: Int64(bitPattern: b))
        digest.add(UInt64(bitPattern: signed.partialValue))
        digest.add(signed.overflow ? 1 : UInt64(0))
    }
    return digest.value
}
