import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A client that sends exactly what a test says, well-formed or not.
struct RawHTTP: Sendable {
    struct Answer: Sendable {
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Whether the server closed the connection.
        var isClosed = false

        var text: String { String(decoding: body, as: UTF8.self) }

        /// The `code` of an error document.
        var code: String? {
            let document = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            return (document?["error"] as? [String: Any])?["code"] as? String
        }

        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:]
        }
    }

    struct Failed: Error {}

    let port: UInt16

    /// One request on a connection of its own.
    func send(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8] = []
    ) async throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { head += "Content-Length: \(body.count)\r\n" }
        return try await raw(Array((head + "\r\n").utf8) + body, isHead: method == "HEAD")
    }

    /// Sends bytes as they are and reads one answer. Only a failure waits for all of `seconds`.
    ///
    /// On a thread of its own: the server under test lives in this process, and a test that
    /// blocked a thread of the concurrency pool could wait for work that needs that thread.
    func raw(
        _ bytes: [UInt8], isHead: Bool = false, seconds: Int = 600
    ) async throws -> Answer {
        let port = port
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let connection = try Connection(port: port, seconds: seconds)
                        connection.write(bytes)
                        return connection.read(isHead: isHead)
                    })
            }
        }
    }

    /// A connection that stays open over several steps.
    final class Connection {
        let descriptor: Int32

        init(port: UInt16, seconds: Int = 600) throws {
            #if canImport(Glibc)
                let stream = Int32(SOCK_STREAM.rawValue)
            #else
                let stream = SOCK_STREAM
            #endif
            descriptor = socket(AF_INET, stream, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
            var timeout = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout,
                socklen_t(MemoryLayout<timeval>.size))
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw Failed() }
        }

        deinit { close(descriptor) }

        /// False when the server has closed the connection.
        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        func write(_ text: String) -> Bool { write(Array(text.utf8)) }

        /// Reads one answer, by its Content-Length or to the end of the connection; interim answers
        /// (1xx) before it are passed over.
        func read(isHead: Bool = false) -> Answer {
            var answer = Answer()
            var bytes: [UInt8] = []
            var headEnd: Int?
            var wanted = Int.max
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while headEnd == nil || bytes.count - (headEnd ?? 0) < wanted {
                let count = recv(descriptor, &part, part.count, 0)
                guard count > 0 else {
                    answer.isClosed = count == 0
                    break
                }
                bytes += part[..<count]
                while headEnd == nil, let end = Self.headEnd(bytes) {
                    Self.parse(bytes[..<end], into: &answer)
                    if (100..<200).contains(answer.status) {
                        bytes.removeFirst(end)
                        answer = Answer()
                        continue
                    }
                    headEnd = end
                    let length = answer.headers["content-length"].flatMap { Int($0) }
                    // Without a length it goes to the end of the connection, if there is one.
                    let closes = answer.headers["connection"]?.lowercased() == "close"
                    let hasNone = isHead || [204, 304].contains(answer.status)
                    wanted = hasNone ? 0 : length ?? (closes ? Int.max : 0)
                }
            }
            if let headEnd { answer.body = Array(bytes[headEnd...]) }
            return answer
        }

        private static func headEnd(_ bytes: [UInt8]) -> Int? {
            guard bytes.count >= 4 else { return nil }
            return (3..<bytes.count).first {
                bytes[$0 - 3] == 13 && bytes[$0 - 2] == 10 && bytes[$0 - 1] == 13
                    && bytes[$0] == 10
            }.map { $0 + 1 }
        }

        private static func parse(_ head: ArraySlice<UInt8>, into answer: inout Answer) {
            let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            answer.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                answer.headers[line[..<colon].lowercased()] =
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
    }
}
