// Which proposal a byte belongs to that this engine does not know, so that a refusal can name it
// (names as in the WebAssembly proposals repository).

enum Proposal {
    /// By the value or heap type that only it has.
    static func ofType(_ byte: UInt8) -> String? {
        switch byte {
        case 0x7b: return "simd"
        case 0x63, 0x64: return "function-references"
        case 0x69, 0x74: return "exception-handling"
        case 0x68, 0x75: return "stack-switching"
        case 0x6a...0x6e, 0x71...0x73, 0x77, 0x78: return "gc"
        default: return nil
        }
    }

    /// By the form of a type definition.
    static func ofForm(_ byte: UInt8) -> String? {
        switch byte {
        case 0x5d: return "stack-switching"
        case 0x4d...0x5f: return "gc"
        default: return nil
        }
    }

    /// By the kind of an import, export or section.
    static func ofImportKind(_ byte: UInt8) -> String? {
        switch byte {
        case 0x04: return "exception-handling"
        case 0x7e, 0x7f: return "compact-import-section"
        default: return nil
        }
    }

    /// By an operator's first byte; `sub` is the number that follows a prefix.
    static func ofOperator(_ byte: UInt8, _ sub: UInt32 = 0) -> String? {
        switch byte {
        case 0x06...0x0a, 0x18, 0x19, 0x1f: return "exception-handling"
        case 0x12, 0x13: return "tail-call"
        case 0x14, 0x15, 0xd4, 0xd5, 0xd6: return "function-references"
        case 0xd3, 0xfb: return "gc"
        case 0xe0...0xe6: return "stack-switching"
        case 0xfc:
            switch sub {
            case 18: return "memory-control"
            case 19...22: return "wide-arithmetic"
            case 48, 49: return "half-precision"
            default: return nil
            }
        case 0xfd:
            switch sub {
            case ..<0x100: return "simd"
            case ..<0x120: return "relaxed-simd"
            default: return "half-precision"
            }
        case 0xfe: return "threads"
        default: return nil
        }
    }
}
