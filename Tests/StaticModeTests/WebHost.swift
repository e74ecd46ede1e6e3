import Foundation
import TestSupport

/// A real nginx over a folder: unprivileged, all its files below one folder, ended with the object.
final class WebHost {
    /// One answer as the access log has it.
    struct Answer: Equatable {
        let status: Int
        let path: String
        /// Bytes of the request and of the answer, heads included.
        let received: Int
        let sent: Int
        let encoding: String
    }

    let site: URL
    let address: String
    private let folder: URL
    private let process: ChildProcess

    init(_ folder: URL) throws {
        self.folder = folder
        site = folder.appendingPathComponent("site")
        for name in ["site", "logs", "temp"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        let port = Tools.freePort()
        address = "http://127.0.0.1:\(port)"
        let file = folder.appendingPathComponent("nginx.conf")
        try Self.configuration(port).write(to: file, atomically: true, encoding: .utf8)
        let nginx = Tools.find("nginx") ?? "/usr/sbin/nginx"
        process = try ChildProcess(
            nginx, ["-p", folder.path + "/", "-c", file.path, "-e", "logs/error.log"])
        try waitUntilReady(port)
    }

    deinit { process.kill() }

    private func waitUntilReady(_ port: UInt16) throws {
        let probe = """
            import socket, sys, time
            for _ in range(10_000):
                try: socket.create_connection(("127.0.0.1", \(port)), 1); sys.exit(0)
                except OSError: time.sleep(0.1)
            sys.exit(1)
            """
        let result = try ChildProcess.run(Tools.python, ["-c", probe])
        guard result.status == 0, process.isRunning else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: process.complained])
        }
    }

    /// All answers so far, oldest first.
    var answers: [Answer] {
        let log = folder.appendingPathComponent("logs/access.log")
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 5, let status = Int(parts[0]), let received = Int(parts[2]),
                let sent = Int(parts[3])
            else { return nil }
            return Answer(
                status: status, path: parts[1], received: received, sent: sent,
                encoding: parts[4])
        }
    }

    /// Settings that a static host has by default, and compression of JSON, which many switch on.
    private static func configuration(_ port: UInt16) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        events { worker_connections 64; }
        http {
            default_type application/octet-stream;
            types { application/json json; application/wasm wasm; }
            log_format sizes '$status $uri $request_length $bytes_sent $sent_http_content_encoding';
            access_log logs/access.log sizes;
            client_body_temp_path temp/body;
            proxy_temp_path temp/proxy;
            fastcgi_temp_path temp/fastcgi;
            uwsgi_temp_path temp/uwsgi;
            scgi_temp_path temp/scgi;
            gzip on;
            gzip_min_length 20;
            gzip_types application/json;
            server {
                listen 127.0.0.1:\(port);
                root site;
            }
        }
        """
    }
}
