/// Refuses requests that two parties could read differently (RFC 9112 §6.3, §3.2).
///
/// The packaged libmicrohttpd accepts duplicate framing fields, which lets a request be smuggled
/// past a proxy; so the rules are held here.
enum RequestGuard {
    static let maximumFields = 64

    /// Why the request is refused, or nil.
    static func problem(with request: HTTPRequest) -> APIError? {
        let headers = request.headers
        if headers.fields.count > maximumFields {
            return .malformed("too_many_headers", "The request has more than 64 header fields.")
        }
        var hosts = 0
        // Nearly every request has none of these.
        var lengths: [String] = []
        var encodings: [String] = []
        for (name, value) in headers.fields {
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
                return .malformed("bad_header", "A header field's name is not a token.")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 0x09 }) else {
                return .malformed("bad_header", "A header field's value has control characters.")
            }
            switch name {
            case "host": hosts += 1
            case "content-length": lengths.append(value)
            case "transfer-encoding": encodings.append(value)
            default: break
            }
        }
        if hosts > 1 {
            return .malformed("duplicate_host", "The request names more than one host.")
        }
        return framingProblem(lengths, encodings)
    }

    private static func framingProblem(_ lengths: [String], _ encodings: [String]) -> APIError? {
        if lengths.count > 1 {
            return .malformed(
                "duplicate_content_length", "The request has more than one Content-Length.")
        }
        if let length = lengths.first {
            guard !length.isEmpty, length.count <= 18,
                length.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                return .malformed("bad_content_length", "Content-Length is not a whole number.")
            }
        }
        if !lengths.isEmpty, !encodings.isEmpty {
            return .malformed(
                "ambiguous_framing", "The request has both Content-Length and Transfer-Encoding.")
        }
        if encodings.count > 1 || encodings.contains(where: { $0.lowercased() != "chunked" }) {
            return .malformed(
                "bad_transfer_encoding", "Only the transfer encoding 'chunked' is understood.")
        }
        return nil
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x2D, 0x30...0x39, 0x41...0x5A: return true
        default: return "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}
