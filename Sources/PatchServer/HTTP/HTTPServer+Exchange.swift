import CMicroHTTPD
import Foundation
import PatchPlatform

/// How one request goes through the server.
extension HTTPServer {
    /// The headers are in.
    func begin(_ connection: OpaquePointer, method: String, path: String) -> Exchange {
        inFlight.withLock { $0 += 1 }
        let headers = Self.values(.HEADER_KIND, of: connection)
        let request = HTTPRequest(
            method: method, path: path,
            query: Self.values(.GET_ARGUMENT_KIND, of: connection).fields, headers: headers,
            address: ClientAddress.of(
                peer: Self.address(of: connection), headers, trusting: limits.trustedProxies))
        var watched: ConnectionWatch.Entry?
        if let known = openpatch_mhd_connection_context(connection) {
            watched = Unmanaged<ConnectionWatch.Entry>.fromOpaque(known).takeUnretainedValue()
        }
        let plan: RequestPlan
        let problem = RequestGuard.problem(with: request)
        if let problem {
            plan = .respond(problem.response)
        } else {
            plan = handler.plan(for: request)
        }
        return Exchange(
            request: request, watch: watched, plan: plan, isFramingSuspect: problem != nil)
    }

    /// The library's first call for a request: only refusals of a body are answered already here
    /// (which closes the connection), all else on the next call.
    func opening(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        let refusal = exchange.stage.withLock { stage -> HTTPResponse? in
            guard case .planned(let plan) = stage else { return nil }
            switch plan {
            case .respond(let response):
                return exchange.request.hasBody || exchange.isFramingSuspect
                    ? response : nil
            case .receive(let receiver):
                let announced = exchange.request.contentLength ?? 0
                if announced > receiver.maximumSize {
                    return APIError.tooLarge("The body", limit: receiver.maximumSize).response
                }
                exchange.watch?.allow(
                    seconds: limits.transferSeconds(
                        for: exchange.request.contentLength ?? receiver.maximumSize))
                stage = .receiving(receiver, received: 0)
                return nil
            }
        }
        guard let refusal else { return .YES }
        return answer(refusal, exchange, connection, closing: true)
    }

    /// A later call: more of the body, its end, or the answer after a pause.
    func proceed(
        _ exchange: Exchange, _ connection: OpaquePointer, _ upload: UnsafePointer<CChar>?,
        _ uploadSize: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        enum Step {
            case wait
            case answer(HTTPResponse)
            case work(any BodyReceiver)
        }
        let count = uploadSize.pointee
        let step = exchange.stage.withLock { stage -> Step in
            switch stage {
            case .planned(.respond(let response)), .answering(let response),
                .refusing(let response, _):
                return .answer(response)
            case .receiving(let receiver, let received):
                guard count > 0 else {
                    stage = .working
                    return .work(receiver)
                }
                let total = received + count
                if total > receiver.maximumSize {
                    receiver.abandon()
                    return .answer(
                        APIError.tooLarge("The body", limit: receiver.maximumSize).response)
                }
                stage = .receiving(receiver, received: total)
                let bytes = UnsafeRawBufferPointer(start: upload, count: count)
                return receiver.receive(bytes).map { .answer($0) } ?? .wait
            case .planned(.receive), .working, .answered:
                return .wait
            }
        }
        switch step {
        case .wait:
            uploadSize.pointee = 0
            return .YES
        case .answer(let response):
            guard count == 0 else { return refuse(response, exchange, uploadSize) }
            return answer(response, exchange, connection, closing: false)
        case .work(let receiver):
            exchange.watch?.suspendDeadline()
            MHD_suspend_connection(connection)
            waiting.withLock {
                $0[ObjectIdentifier(exchange)] = WaitingConnection(
                    exchange: exchange, connection: connection)
            }
            Task { resume(exchange, with: await receiver.finish()) }
            return .YES
        }
    }

    /// Refuses a request in the middle of its body. The library takes an answer only at the end
    /// of the body, so a little more of it is swallowed and then the connection is cut.
    private func refuse(
        _ response: HTTPResponse, _ exchange: Exchange, _ uploadSize: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        let swallowed = exchange.stage.withLock { stage -> Int in
            var before = 0
            if case .refusing(_, let bytes) = stage { before = bytes }
            stage = .refusing(response, swallowed: before + uploadSize.pointee)
            return before
        }
        if swallowed == 0 { exchange.watch?.allow(seconds: Double(limits.refusalSeconds)) }
        guard swallowed < 1 << 20 else { return .NO }
        uploadSize.pointee = 0
        return .YES
    }

    /// The request is over, however it ended.
    func completed(_ exchange: Exchange) {
        inFlight.withLock { $0 -= 1 }
        exchange.watch?.allow(seconds: Double(limits.idleSeconds + limits.headerSeconds))
        let abandoned = exchange.stage.withLock { stage -> (any BodyReceiver)? in
            guard case .receiving(let receiver, _) = stage else { return nil }
            stage = .answered
            return receiver
        }
        abandoned?.abandon()
    }

    private func answer(
        _ response: HTTPResponse, _ exchange: Exchange, _ connection: OpaquePointer, closing: Bool
    ) -> MHD_Result {
        if !closing, case .prepared(let prepared) = response.body {
            exchange.watch?.allow(seconds: limits.transferSeconds(for: response.bodySize))
            exchange.stage.withLock { $0 = .answered }
            let result = MHD_queue_response(
                connection, UInt32(response.status), prepared.response)
            tell(exchange, response)
            return result
        }
        let queued = Self.make(response)
        defer { MHD_destroy_response(queued) }
        guard let queued else { return .NO }
        for (name, value) in response.headers { MHD_add_response_header(queued, name, value) }
        if closing { MHD_add_response_header(queued, "Connection", "close") }
        exchange.watch?.allow(seconds: limits.transferSeconds(for: response.bodySize))
        exchange.stage.withLock { $0 = .answered }
        let result = MHD_queue_response(connection, UInt32(response.status), queued)
        tell(exchange, response)
        return result
    }

    private func tell(_ exchange: Exchange, _ response: HTTPResponse) {
        handler.answered(
            exchange.request, status: response.status, bytes: response.bodySize,
            nanoseconds: monotonicNanoseconds() &- exchange.started)
    }

    private static func make(_ response: HTTPResponse) -> OpaquePointer? {
        switch response.body {
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        case .file(let descriptor, let offset, let count):
            guard let made = MHD_create_response_from_fd_at_offset64(count, descriptor, offset)
            else {
                close(descriptor)
                return nil
            }
            return made
        case .prepared(let prepared): return make(prepared.plain)
        }
    }

    private static func values(
        _ kind: MHD_ValueKind, of connection: OpaquePointer
    ) -> HTTPHeaders {
        var headers = kind == .HEADER_KIND ? HTTPHeaders.usual : HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { pointer in
            _ = MHD_get_connection_values(
                connection, kind,
                { list, _, name, value in
                    guard let list, let name else { return .NO }
                    list.assumingMemoryBound(to: HTTPHeaders.self).pointee.add(
                        String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, pointer)
        }
        return headers
    }

    private static func address(of connection: OpaquePointer) -> String {
        guard let address = openpatch_mhd_connection_address(connection),
            Int32(address.pointee.sa_family) == AF_INET
        else { return "" }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
            let bits = UInt32(bigEndian: pointer.pointee.sin_addr.s_addr)
            // Made for each request: 15 bytes at most, which need no memory of their own.
            return String(unsafeUninitializedCapacity: 15) { text in
                var count = 0
                for part in [bits >> 24, bits >> 16 & 255, bits >> 8 & 255, bits & 255] {
                    if count > 0 {
                        text[count] = UInt8(ascii: ".")
                        count += 1
                    }
                    for unit: UInt32 in [100, 10, 1] where part >= unit || unit == 1 {
                        text[count] = UInt8(ascii: "0") + UInt8(part / unit % 10)
                        count += 1
                    }
                }
                return count
            }
        }
    }
}

/// A suspended connection and the exchange that it waits for.
struct WaitingConnection: @unchecked Sendable {
    // Unchecked: the library keeps a suspended connection alive, and resuming it is the one
    // call made with it, which may come from any thread.
    let exchange: Exchange
    let connection: OpaquePointer
}
