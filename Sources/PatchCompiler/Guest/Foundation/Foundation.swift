// The part of Foundation that a guest has. It grows with what patches use; what is missing is a
// compiler error in the patch, never a wrong answer.

/// Points, as on every 64-bit platform.
public typealias CGFloat = Double

/// Seconds.
public typealias TimeInterval = Double
