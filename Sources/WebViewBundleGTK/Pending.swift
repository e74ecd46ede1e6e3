import CWebKitGTK
import WebViewBundle

/// A request of the engine that waits for its answer.
struct PendingRequest: @unchecked Sendable {
    // Unchecked: the pointer is only used on the main loop (`read`, `answer` are main actor).
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    @MainActor
    func read() -> BundleRequest? {
        guard let uri = openpatch_request_uri(pointer) else { return nil }
        let headers = (0..<openpatch_request_header_count(pointer)).compactMap { index in
            let name = openpatch_request_header_name(pointer, index).map { String(cString: $0) }
            let value = openpatch_request_header_value(pointer, index).map { String(cString: $0) }
            return name.flatMap { name in value.map { HeaderField(name, $0) } }
        }
        let method = openpatch_request_method(pointer).map { String(cString: $0) } ?? "GET"
        var request = BundleRequest(method: method, url: String(cString: uri), headers: headers)
        var size = 0
        if let body = openpatch_request_body(pointer, &size), size > 0 {
            request?.body = Array(UnsafeBufferPointer(start: body, count: size))
        }
        return request
    }

    /// Gives the answer, once.
    @MainActor
    func answer(_ response: BundleResponse) {
        let headers = response.headers
        withCStrings(headers.map(\.name)) { names in
            withCStrings(headers.map(\.value)) { values in
                response.body.withUnsafeBufferPointer { body in
                    openpatch_request_answer(
                        pointer, Int32(response.status), names, values, headers.count,
                        body.baseAddress, body.count)
                }
            }
        }
    }
}

/// A message's reply that waits for its result.
struct PendingReply: @unchecked Sendable {
    // Unchecked: the pointer is only used on the main loop (`send` is main actor).
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Sends the reply, once.
    @MainActor
    func send(_ reply: BridgeReply) {
        switch reply {
        case .success(let value): openpatch_reply_send(pointer, value.jsonText, nil)
        case .failure(let failure):
            openpatch_reply_send(pointer, nil, BridgeScript.json(failure).jsonText)
        case .dropped:
            let failure = BridgeFailure(
                code: "dropped", message: "This page has no bridge to the app.")
            openpatch_reply_send(pointer, nil, BridgeScript.json(failure).jsonText)
        }
    }
}

/// Calls `body` with the texts as C strings, valid during the call.
func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    // One buffer for all: texts one after the other, each with its NUL.
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
        starts.append(bytes.count)
        // A NUL inside would end the text for C, so it is left out.
        bytes += text.utf8.filter { $0 != 0 }.map(CChar.init(bitPattern:)) + [0]
    }
    return bytes.withUnsafeBufferPointer { buffer in
        body(starts.map { start in buffer.baseAddress.map { $0 + start } })
    }
}
