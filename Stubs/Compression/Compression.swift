// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Our own declarations of the part of Compression that this project calls, written from its public
// documentation. Nothing here runs: the bodies only satisfy the compiler.

private func neverRun<T>() -> T { fatalError("declarations for the type checker") }

public struct compression_algorithm: Equatable, Sendable {}
public struct compression_stream_operation: Equatable, Sendable {}

public struct compression_status: Equatable, Sendable {
    public var rawValue: Int32
}

public let COMPRESSION_BROTLI = compression_algorithm()
public let COMPRESSION_STREAM_DECODE = compression_stream_operation()
public let COMPRESSION_STATUS_OK = compression_status(rawValue: 0)
public let COMPRESSION_STATUS_ERROR = compression_status(rawValue: -1)
public let COMPRESSION_STATUS_END = compression_status(rawValue: 1)

public struct compression_stream {
    public var dst_ptr: UnsafeMutablePointer<UInt8>
    public var dst_size: Int
    public var src_ptr: UnsafePointer<UInt8>
    public var src_size: Int
    public var state: UnsafeMutableRawPointer?
}

public func compression_encode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int,
    _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int { neverRun() }

public func compression_stream_init(
    _ stream: UnsafeMutablePointer<compression_stream>,
    _ operation: compression_stream_operation, _ algorithm: compression_algorithm
) -> compression_status { neverRun() }

public func compression_stream_process(
    _ stream: UnsafeMutablePointer<compression_stream>, _ flags: Int32
) -> compression_status { neverRun() }

@discardableResult
public func compression_stream_destroy(
    _ stream: UnsafeMutablePointer<compression_stream>
) -> compression_status { neverRun() }
