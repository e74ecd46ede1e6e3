import PatchCompression
import PatchCrypto

/// A delta written by hand, so that tests can break one rule at a time.
struct DeltaBytes {
    var magic = Array("OPD1".utf8)
    var newSize: UInt64
    var base: [UInt8]
    /// The three sizes; nil for the true ones.
    var sizes: [UInt64]?
    var steps: [(add: Int64, copy: Int64, seek: Int64)]
    var diff: [UInt8]
    var extra: [UInt8]
    var trailing: [UInt8] = []

    /// `hello world` to `hello brave world`.
    static let base = Array("hello world".utf8)
    static let payload = Array("hello brave world".utf8)
    static var whole: DeltaBytes {
        DeltaBytes(
            newSize: 17, base: base, steps: [(6, 6, 0), (5, 0, 0)],
            diff: [UInt8](repeating: 0, count: 11), extra: Array("brave ".utf8))
    }

    var body: [UInt8] {
        let control = steps.flatMap { step in
            [step.add, step.copy, step.seek].flatMap { Self.bytes(Self.signMagnitude($0)) }
        }
        let sizes =
            sizes ?? [UInt64(control.count), UInt64(diff.count), UInt64(extra.count)]
        return sizes.flatMap(Self.bytes) + control + diff + extra + trailing
    }

    var header: [UInt8] { magic + Self.bytes(newSize) + SHA256.hash(base) }

    func encoded() throws -> [UInt8] { header + (try Brotli.compress(body, quality: 5)) }

    static func signMagnitude(_ number: Int64) -> UInt64 {
        number < 0 ? number.magnitude | 1 << 63 : number.magnitude
    }

    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
