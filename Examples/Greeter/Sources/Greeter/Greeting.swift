import PatchSDK

/// The greeting, read out of the active module byte by byte.
func greeting() throws -> String {
    let count = try Patch.shared.call("greeting_len", returning: Int32.self)
    var bytes: [UInt8] = []
    for index in 0..<max(0, min(count, 10_000)) {
        let byte = try Patch.shared.call("greeting_byte", index, returning: Int32.self)
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    return String(decoding: bytes, as: UTF8.self)
}
