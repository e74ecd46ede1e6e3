/// The machine that a guest module is compiled for.
public enum GuestTarget: String, Sendable, CaseIterable, Hashable {
    /// 64-bit memory, so that `Int` has 64 bits in a patch as in the app. The default.
    case wasm64
    /// 32-bit memory, for other people's modules and the full SDK route. `Int` has 32 bits.
    case wasm32

    /// The triple that compiler and linker are given.
    public var triple: String { "\(rawValue)-unknown-none-wasm" }

    /// Bits of `Int` and of a pointer in the guest.
    public var wordBits: Int { self == .wasm64 ? 64 : 32 }

    /// What `wasm-ld -m` takes.
    var linkerEmulation: String { rawValue }
}
