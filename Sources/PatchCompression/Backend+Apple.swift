// Apple: the Compression framework, which has brotli since iOS 15 and macOS 12. The Linux twin is
// Backend+Brotli.swift.
#if canImport(Compression)
    import Compression

    enum BrotliBackend {
        static func compress(_ bytes: [UInt8], quality: Int) throws -> [UInt8] {
            // An empty stream is one byte: window bits 16, last block, empty (RFC 7932 §9.1). The
            // framework answers 0 for an empty input, which also means failure.
            if bytes.isEmpty { return [0x06] }
            // Brotli grows incompressible data by a few bytes for each block of 64 KiB or more.
            var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 1024 + 1024)
            let size = compression_encode_buffer(
                &output, output.count, bytes, bytes.count, nil, COMPRESSION_BROTLI)
            guard size > 0 else { throw CompressionError.backendFailure }
            return Array(output.prefix(size))
        }
    }

    final class BrotliDecoderBackend {
        private var stream: UnsafeMutablePointer<compression_stream>
        private let buffer: UnsafeMutablePointer<UInt8>
        private let capacity = 64 * 1024
        private var ended = false

        init() throws {
            stream = .allocate(capacity: 1)
            buffer = .allocate(capacity: capacity)
            let status = compression_stream_init(
                stream, COMPRESSION_STREAM_DECODE, COMPRESSION_BROTLI)
            guard status == COMPRESSION_STATUS_OK else {
                stream.deallocate()
                buffer.deallocate()
                throw CompressionError.backendFailure
            }
        }

        deinit {
            compression_stream_destroy(stream)
            stream.deallocate()
            buffer.deallocate()
        }

        func feed(_ input: [UInt8], _ output: (UnsafeRawBufferPointer) throws -> Void) throws {
            if input.isEmpty { return }
            if ended { throw CompressionError.damaged }
            try input.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                stream.pointee.src_ptr = base
                stream.pointee.src_size = bytes.count
                while true {
                    stream.pointee.dst_ptr = buffer
                    stream.pointee.dst_size = capacity
                    let status = compression_stream_process(stream, 0)
                    let produced = capacity - stream.pointee.dst_size
                    if produced > 0 {
                        try output(UnsafeRawBufferPointer(start: buffer, count: produced))
                    }
                    switch status {
                    case COMPRESSION_STATUS_END:
                        ended = true
                        // Bytes after the end would be a second message in one signed payload.
                        if stream.pointee.src_size > 0 { throw CompressionError.damaged }
                        return
                    case COMPRESSION_STATUS_OK:
                        if stream.pointee.src_size == 0, produced < capacity { return }
                    default:
                        throw CompressionError.damaged
                    }
                }
            }
        }

        /// Whether the stream has ended, with the last output handed over already.
        func finish() throws -> Bool { ended }
    }
#endif
