import WebAssembly

/// The calling guest's memory, every access checked.
///
/// A pointer outside of it is the guest's mistake and becomes `EFAULT`: it must never reach
/// `Memory`'s unchecked accessor, which would end the instance.
struct GuestMemory {
    private let memory: (any RuntimeMemory)?

    init(_ memory: (any RuntimeMemory)?) { self.memory = memory }

    private func checked(_ address: UInt32, _ count: Int) throws -> any RuntimeMemory {
        guard let memory, count >= 0, Int(address) <= memory.byteCount,
            count <= memory.byteCount - Int(address)
        else { throw WASIErrno.fault }
        return memory
    }

    /// Fails unless the guest may be written to there, before anything else takes effect.
    func require(_ address: UInt32, count: Int) throws {
        _ = try checked(address, count)
    }

    func bytes(at address: UInt32, count: Int) throws -> [UInt8] {
        let memory = try checked(address, count)
        if count == 0 { return [] }
        return memory.withUnsafeMutableBufferPointer(offset: UInt(address), count: count) {
            Array($0)
        }
    }

    func write(_ bytes: some Collection<UInt8>, at address: UInt32) throws {
        let memory = try checked(address, bytes.count)
        if bytes.isEmpty { return }
        memory.withUnsafeMutableBufferPointer(offset: UInt(address), count: bytes.count) {
            $0.copyBytes(from: bytes)
        }
    }

    func load<T: FixedWidthInteger>(_ type: T.Type = T.self, at address: UInt32) throws -> T {
        let size = MemoryLayout<T>.size
        let memory = try checked(address, size)
        return memory.withUnsafeMutableBufferPointer(offset: UInt(address), count: size) {
            T(littleEndian: UnsafeRawBufferPointer($0).loadUnaligned(as: T.self))
        }
    }

    func store<T: FixedWidthInteger>(_ value: T, at address: UInt32) throws {
        let size = MemoryLayout<T>.size
        let memory = try checked(address, size)
        memory.withUnsafeMutableBufferPointer(offset: UInt(address), count: size) {
            $0.storeBytes(of: value.littleEndian, as: T.self)
        }
    }

    /// A path or name, which has to be UTF-8 without NUL.
    func text(at address: UInt32, count: UInt32, limit: Int) throws -> String {
        guard count <= limit else { throw WASIErrno.nameTooLong }
        let bytes = try bytes(at: address, count: Int(count))
        let text = String(decoding: bytes, as: UTF8.self)
        // Ill-formed bytes are replaced while decoding, so they do not come back the same.
        guard !bytes.contains(0), text.utf8.elementsEqual(bytes) else {
            throw WASIErrno.illegalBytes
        }
        return text
    }

    /// The `(pointer, length)` pairs of a scatter or gather list, all ranges checked.
    func vectors(at address: UInt32, count: UInt32) throws -> [(address: UInt32, count: Int)] {
        guard count <= 1024 else { throw WASIErrno.invalid }
        try require(address, count: Int(count) * 8)
        return try (0..<count).map { index in
            let start: UInt32 = try load(at: address &+ index * 8)
            let length: UInt32 = try load(at: address &+ index * 8 &+ 4)
            try require(start, count: Int(length))
            return (start, Int(length))
        }
    }
}
