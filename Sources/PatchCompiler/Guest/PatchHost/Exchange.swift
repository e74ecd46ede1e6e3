import PatchGuest

/// Hands a question to the host and takes its answer.
///
/// The host keeps an answer until the guest has made room for it, so that nothing of the guest runs
/// while it waits.
/// - Parameters:
///   - question: what was written; the writer must not be used afterwards.
///   - ask: the host's function: address and length of the question to the length of the answer.
///   - take: the host's function that writes the answer to an address.
/// - Returns: the encoded answer, to be given back with ``GuestReader/discard()``.
func exchange(
    _ question: GuestWriter, _ ask: (Int32, Int32) -> Int32, take: (Int32) -> Void
) -> GuestReader {
    let contents = question.contents
    let length = ask(address(contents.baseAddress), Int32(truncatingIfNeeded: contents.count))
    question.discard()
    let count = Int(UInt32(bitPattern: length))
    // One byte at least, so that there is an address to give back.
    let place = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 1)
    take(address(place))
    return GuestReader(UnsafeRawBufferPointer(start: place, count: count))
}

private func address(_ pointer: UnsafeRawPointer?) -> Int32 {
    Int32(truncatingIfNeeded: UInt(bitPattern: pointer))
}
