import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An address of this machine whose connections never come about: its queue is full and nobody
/// empties it, so the system drops every further attempt as a firewall would.
public final class BlackHole {
    /// `http://127.0.0.1:<port>/`
    public let url: URL
    private var sockets: [Int32] = []

    /// Opens one; it closes with the object.
    public init() throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer -> UInt16? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16? in
                guard bind(listener, generic, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, generic, &length) == 0
                else { return nil }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
        }
        guard let port, let url = URL(string: "http://127.0.0.1:\(port)/") else {
            close(listener)
            throw CocoaError(.fileNoSuchFile)
        }
        self.url = url
        sockets = [listener]
        // Connections that nobody accepts fill the queue.
        for _ in 0..<4 {
            let client = socket(AF_INET, stream, 0)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = connect(client, $0, length)
                }
            }
            sockets.append(client)
        }
    }

    deinit { for socket in sockets { close(socket) } }
}
