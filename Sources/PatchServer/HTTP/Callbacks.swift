import CMicroHTTPD
import Foundation
import PatchPlatform

/// The C entry points; each finds the server or the exchange behind its pointer and goes on in
/// Swift.
enum Callbacks {
    /// `MHD_CONNECTION_NOTIFY_STARTED`, whose name does not come through the importer.
    private static let connectionStarted: UInt32 = 0

    static let access: MHD_AccessHandlerCallback = {
        me, connection, url, method, _, upload, uploadSize, state in
        guard let me, let connection, let state, let uploadSize else { return .NO }
        let server = Unmanaged<HTTPServer>.fromOpaque(me).takeUnretainedValue()
        if let known = state.pointee {
            let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
            return server.proceed(exchange, connection, upload, uploadSize)
        }
        guard let url, let method else { return .NO }
        let exchange = server.begin(
            connection, method: String(cString: method), path: String(cString: url))
        state.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return server.opening(exchange, connection)
    }

    static let completed: MHD_RequestCompletedCallback = { me, _, state, code in
        guard let me, let state, let known = state.pointee else { return }
        let server = Unmanaged<HTTPServer>.fromOpaque(me).takeUnretainedValue()
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
        state.pointee = nil
        server.completed(exchange)
    }

    static let connection: MHD_NotifyConnectionCallback = { me, connection, context, code in
        guard let me, let connection, let context else { return }
        let server = Unmanaged<HTTPServer>.fromOpaque(me).takeUnretainedValue()
        if code.rawValue == Self.connectionStarted {
            let entry = server.watch.opened(
                socket: openpatch_mhd_connection_socket(connection),
                seconds: Double(server.limits.headerSeconds))
            context.pointee = Unmanaged.passRetained(entry).toOpaque()
        } else {
            guard let known = context.pointee else { return }
            let entry = Unmanaged<ConnectionWatch.Entry>.fromOpaque(known).takeRetainedValue()
            context.pointee = nil
            server.watch.closed(entry)
        }
    }

    /// Leaves the path as it was sent: we accept no percent signs, and decoding here would cut
    /// the text at an encoded NUL.
    static let unescape:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in
            text.map { strlen($0) } ?? 0
        }
}
