import PatchCompression
import PatchCrypto

extension Delta {
    /// The delta that turns `base` into `payload`; the same bytes give the same delta. Nil when one
    /// would not be smaller than `limit` bytes, or leads beyond what ``apply(_:to:digest:maximumSize:)``
    /// takes.
    ///
    /// Takes about five times the size of the base in memory.
    /// - Parameter limit: the size of what would be downloaded otherwise.
    /// - Throws: ``DeltaMakerError``, ``CompressionError``.
    public static func make(
        from base: [UInt8], to payload: [UInt8], smallerThan limit: Int = .max
    ) throws -> [UInt8]? {
        let suffixes = try SuffixArray(of: base)
        let digest = SHA256.hash(base)
        // How many bytes a new match must gain over the one at hand. The best number depends on the
        // payloads; trying three finds a few percent. They are compared as compressed in a hurry.
        var best: (body: [UInt8], size: Int)?
        for threshold in [8, 16, 32] {
            let script = EditScript(suffixes, payload, threshold: threshold)
            guard let body = body(script, payload.count) else { continue }
            let quality = body.count > 64 << 10 ? 6 : Brotli.maximumQuality
            let size = try Brotli.compress(body, quality: quality).count
            if size < best?.size ?? .max { best = (body, size) }
        }
        guard let best else { return nil }
        var delta = magic
        append(UInt64(payload.count), to: &delta)
        delta += digest + (try Brotli.compress(best.body))
        return delta.count < limit ? delta : nil
    }

    /// What is compressed; nil when the control is longer than an applier takes.
    private static func body(_ script: EditScript, _ size: Int) -> [UInt8]? {
        guard script.control.count <= maximumControl(size) else { return nil }
        var body: [UInt8] = []
        for size in [script.control.count, script.diff.count, script.extra.count] {
            append(UInt64(size), to: &body)
        }
        return body + script.control + script.diff + script.extra
    }

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Why no delta can be made.
public enum DeltaMakerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The base is larger than suffixes can be numbered.
    case baseTooLarge
    /// The sorting library refused, for want of memory.
    case outOfMemory

    /// The stable code, for logs and programs.
    public var code: String {
        switch self {
        case .baseTooLarge: "delta_base_too_large"
        case .outOfMemory: "delta_out_of_memory"
        }
    }

    /// For people: the sentence and the code.
    public var description: String {
        switch self {
        case .baseTooLarge:
            "No delta can be made from a payload of 2 GiB or more; it is published whole. [\(code)]"
        case .outOfMemory:
            "There is not enough memory to make a delta; close other programs. [\(code)]"
        }
    }
}
