import CMicroHTTPD
import Foundation
import PatchPlatform

/// An HTTP/1.1 server on libmicrohttpd: epoll and a pool of threads.
public final class HTTPServer: @unchecked Sendable {
    // Unchecked: `daemon` is set once in `start`, before any other thread can see the server, and
    // after that only handed to library calls that may come from any thread.

    /// Why the server did not start.
    public struct StartError: Error, CustomStringConvertible {
        let host: String
        let port: UInt16
        let reason: String
        /// Whether `host` can never be listened on, whatever the port.
        public let isHostWrong: Bool
        /// Stable name.
        public var code: String { "cannot_listen" }
        /// Names the address and what the system said.
        public var description: String { "cannot listen on \(host):\(port): \(reason)" }
    }

    let handler: any RequestHandler
    let limits: ServerLimits
    let watch = ConnectionWatch()
    private var daemon: OpaquePointer?
    /// The port that is listened on.
    public private(set) var port: UInt16 = 0

    /// Makes a server that does not listen yet.
    public init(handler: any RequestHandler, limits: ServerLimits = ServerLimits()) {
        self.handler = handler
        self.limits = limits
    }

    /// Starts listening.
    /// - Parameter port: 0 takes a free one; see ``port``.
    /// - Throws: ``StartError``.
    public func start(host: String, port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        let numeric = host == "localhost" ? "127.0.0.1" : host
        guard inet_pton(AF_INET, numeric, &address.sin_addr) == 1 else {
            throw StartError(
                host: host, port: port, reason: "the host is not an IPv4 address",
                isHostWrong: true)
        }
        errno = 0
        let started = withUnsafePointer(to: &address) { pointer in
            startDaemon(port: port, address: UnsafeRawPointer(pointer))
        }
        guard let started else {
            throw StartError(
                host: host, port: port, reason: String(cString: strerror(errno)),
                isHostWrong: errno == EADDRNOTAVAIL)
        }
        daemon = started
        self.port = UInt16(truncatingIfNeeded: openpatch_mhd_port(started))
        watch.start()
    }

    /// Stops listening, lets requests in flight end (at most `seconds`), then closes.
    public func stop(seconds: Double = 10) {
        guard let daemon else { return }
        let listener = MHD_quiesce_daemon(daemon)
        if listener >= 0 { close(listener) }
        let deadline = monotonicNanoseconds() &+ UInt64(seconds * 1e9)
        while inFlight.withLock({ $0 }) > 0, monotonicNanoseconds() < deadline {
            usleep(10_000)
        }
        // A suspended connection must not outlive the daemon.
        let late = waiting.withLock { Array($0.values) }
        for waiting in late { resume(waiting.exchange, with: Self.stopping.response) }
        // Time for those answers to leave.
        if !late.isEmpty { usleep(200_000) }
        MHD_stop_daemon(daemon)
        watch.stop()
        self.daemon = nil
    }

    /// Requests between their headers and the end of their answer.
    let inFlight = Lock(0)

    /// Connections that wait for work done elsewhere. Whoever takes one out resumes it, and nobody
    /// else touches it any more.
    let waiting = Lock<[ObjectIdentifier: WaitingConnection]>([:])

    /// Answers a waiting exchange, unless the server has answered it already because it stops.
    func resume(_ exchange: Exchange, with response: HTTPResponse) {
        waiting.withLock { table in
            guard let waiting = table.removeValue(forKey: ObjectIdentifier(exchange)) else {
                return
            }
            exchange.stage.withLock { $0 = .answering(response) }
            MHD_resume_connection(waiting.connection)
        }
    }

    private static let stopping = APIError(
        status: 503, code: "stopping", message: "The server stops; send the request again.",
        retryAfter: 5)

    private func startDaemon(port: UInt16, address: UnsafeRawPointer) -> OpaquePointer? {
        let me = Unmanaged.passUnretained(self).toOpaque()
        var options: [MHD_OptionItem] = [
            item(.CONNECTION_MEMORY_LIMIT, limits.headerBytes),
            item(.CONNECTION_LIMIT, limits.connections),
            item(.CONNECTION_TIMEOUT, limits.idleSeconds),
            item(.THREAD_POOL_SIZE, limits.threads),
            item(.STRICT_FOR_CLIENT, 1),
            item(.LISTEN_BACKLOG_SIZE, 512),
            item(.SOCK_ADDR, 0, UnsafeMutableRawPointer(mutating: address)),
            item(
                .NOTIFY_COMPLETED, unsafeBitCast(Callbacks.completed, to: Int.self), me),
            item(
                .NOTIFY_CONNECTION, unsafeBitCast(Callbacks.connection, to: Int.self), me),
            item(.UNESCAPE_CALLBACK, unsafeBitCast(Callbacks.unescape, to: Int.self), me),
            item(.END, 0),
        ]
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_ITC.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue
        return options.withUnsafeMutableBufferPointer { buffer -> OpaquePointer? in
            guard let base = buffer.baseAddress else { return nil }
            let list: [any CVarArg] = [
                MHD_OPTION.ARRAY.rawValue, base, MHD_OPTION.END.rawValue,
            ]
            return withVaList(list) {
                MHD_start_daemon_va(flags, port, nil, nil, Callbacks.access, me, $0)
            }
        }
    }

    private func item(
        _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
    ) -> MHD_OptionItem {
        MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }
}
