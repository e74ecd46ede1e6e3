/// Changed by the test, so that everything that uses it is covered.
let salt = 1

/// Generic, so that it is not routed itself.
func salted<T: FixedWidthInteger>(_ value: T) -> T { value &+ T(truncatingIfNeeded: salt) }

enum Maths {
    static func clamp(_ value: Int, to range: ClosedRange<Int>) -> Int {
        min(max(value, range.lowerBound), range.upperBound)
    }

    static func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? abs(a) : gcd(b, a % b) }
}
