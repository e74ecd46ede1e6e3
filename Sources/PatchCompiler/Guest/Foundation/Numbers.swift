// The part of Foundation that a guest has. It grows with what patches use; what is missing is a
// compiler error in the patch, never a wrong answer. So there is no function here whose result
// could differ from the app's in any bit: `pow`, `sin` and their like are left out.

/// Points, as on every 64-bit platform.
public typealias CGFloat = Double

/// Seconds.
public typealias TimeInterval = Double

/// The largest integer that is not above `value`.
@inlinable public func floor(_ value: Double) -> Double { value.rounded(.down) }
/// The largest integer that is not above `value`.
@inlinable public func floor(_ value: Float) -> Float { value.rounded(.down) }
/// The smallest integer that is not below `value`.
@inlinable public func ceil(_ value: Double) -> Double { value.rounded(.up) }
/// The smallest integer that is not below `value`.
@inlinable public func ceil(_ value: Float) -> Float { value.rounded(.up) }
/// The nearest integer, halves away from zero.
@inlinable public func round(_ value: Double) -> Double { value.rounded() }
/// The nearest integer, halves away from zero.
@inlinable public func round(_ value: Float) -> Float { value.rounded() }
/// The integer part.
@inlinable public func trunc(_ value: Double) -> Double { value.rounded(.towardZero) }
/// The integer part.
@inlinable public func trunc(_ value: Float) -> Float { value.rounded(.towardZero) }
/// The nearest integer, halves to even.
@inlinable public func rint(_ value: Double) -> Double { value.rounded(.toNearestOrEven) }
/// The nearest integer, halves to even.
@inlinable public func rint(_ value: Float) -> Float { value.rounded(.toNearestOrEven) }
/// The square root.
@inlinable public func sqrt(_ value: Double) -> Double { value.squareRoot() }
/// The square root.
@inlinable public func sqrt(_ value: Float) -> Float { value.squareRoot() }
/// The value without its sign.
@inlinable public func fabs(_ value: Double) -> Double { value.magnitude }
/// The value without its sign.
@inlinable public func fabs(_ value: Float) -> Float { value.magnitude }
/// The remainder of the division truncated to an integer.
@inlinable public func fmod(_ value: Double, _ divisor: Double) -> Double {
    value.truncatingRemainder(dividingBy: divisor)
}
/// The remainder of the division truncated to an integer.
@inlinable public func fmod(_ value: Float, _ divisor: Float) -> Float {
    value.truncatingRemainder(dividingBy: divisor)
}
/// `value` with the sign of `sign`.
@inlinable public func copysign(_ value: Double, _ sign: Double) -> Double {
    Double(signOf: sign, magnitudeOf: value)
}
/// `value` with the sign of `sign`.
@inlinable public func copysign(_ value: Float, _ sign: Float) -> Float {
    Float(signOf: sign, magnitudeOf: value)
}
