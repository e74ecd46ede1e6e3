// Linux: Google's brotli library. The Apple twin is Backend+Apple.swift.
#if !canImport(Compression) && canImport(CBrotli)
    import CBrotli

    enum BrotliBackend {
        static func compress(_ bytes: [UInt8], quality: Int) throws -> [UInt8] {
            var size = BrotliEncoderMaxCompressedSize(bytes.count)
            // 0 means "does not fit size_t"; an empty input still needs one byte.
            guard size > 0 else { throw CompressionError.backendFailure }
            var output = [UInt8](repeating: 0, count: size)
            let done = BrotliEncoderCompress(
                Int32(quality), BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.count, bytes,
                &size, &output)
            guard done == BROTLI_TRUE else { throw CompressionError.backendFailure }
            return Array(output.prefix(size))
        }
    }

    final class BrotliDecoderBackend {
        private let state: OpaquePointer
        private var ended = false

        init() throws {
            guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
                throw CompressionError.backendFailure
            }
            self.state = state
        }

        deinit { BrotliDecoderDestroyInstance(state) }

        func feed(_ input: [UInt8], _ output: (UnsafeRawBufferPointer) throws -> Void) throws {
            if ended, !input.isEmpty { throw CompressionError.damaged }
            try input.withUnsafeBufferPointer { buffer in
                var next = buffer.baseAddress
                var left = buffer.count
                while true {
                    var none = 0
                    let result = BrotliDecoderDecompressStream(
                        state, &left, &next, &none, nil, nil)
                    try drain(output)
                    switch result {
                    case BROTLI_DECODER_RESULT_SUCCESS:
                        ended = true
                        // Bytes after the end would be a second message in one signed payload.
                        if left > 0 { throw CompressionError.damaged }
                        return
                    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
                        return
                    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
                        continue
                    default:
                        throw CompressionError.damaged
                    }
                }
            }
        }

        private func drain(_ output: (UnsafeRawBufferPointer) throws -> Void) throws {
            while BrotliDecoderHasMoreOutput(state) == BROTLI_TRUE {
                var size = 64 * 1024
                guard let piece = BrotliDecoderTakeOutput(state, &size), size > 0 else { return }
                try output(UnsafeRawBufferPointer(start: piece, count: size))
            }
        }

        func finish() throws -> Bool { ended }
    }
#endif
