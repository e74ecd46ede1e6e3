/// Random bytes fit for keys, salts and nonces.
public enum SecureRandom {
    /// `count` bytes from the operating system's generator.
    ///
    /// `SystemRandomNumberGenerator` is `getrandom` on Linux and `arc4random_buf` on Apple: both
    /// are cryptographically secure and neither can fail once the system has started.
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(max(0, count))
        var word: UInt64 = 0
        for index in 0..<max(0, count) {
            if index % 8 == 0 { word = generator.next() }
            bytes.append(UInt8(truncatingIfNeeded: word))
            word >>= 8
        }
        return bytes
    }
}

/// Compares two byte strings in a time that depends on their lengths only.
public func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
