import CMicroHTTPD

/// An answer that is made once and sent many times: neither its headers nor its body are copied
/// again.
public final class PreparedAnswer: @unchecked Sendable {
    // Unchecked: the library counts references to a response under a lock of its own, and nobody
    // changes one after it was made.

    /// The same answer as a value, for whoever has to change it.
    let plain: HTTPResponse
    let response: OpaquePointer

    /// Nil when there is no memory for it, or its body is no bytes.
    init?(_ plain: HTTPResponse) {
        guard case .bytes(let bytes) = plain.body else { return nil }
        let made = bytes.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let made else { return nil }
        for (name, value) in plain.headers { MHD_add_response_header(made, name, value) }
        self.plain = plain
        response = made
    }

    deinit { MHD_destroy_response(response) }

    /// The answer as a response.
    var answer: HTTPResponse {
        HTTPResponse(status: plain.status, headers: plain.headers, body: .prepared(self))
    }
}
