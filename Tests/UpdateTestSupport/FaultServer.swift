import Foundation
import TestSupport

/// A web server over a folder, in a process of its own: entity tags, conditional and range
/// requests, and the faults of bad networks, switched on by path.
public final class FaultServer: Sendable {
    /// What goes wrong with requests whose path contains a text.
    public enum Fault: Sendable {
        /// The connection closes after so many bytes of the body.
        case cut(after: Int)
        /// The answer has this status and no file.
        case status(Int)
        /// So many extra bytes follow the file.
        case grow(by: Int)
        /// Nothing is ever answered.
        case stall
        /// The answer points to this address.
        case redirect(String)
        /// Ranges are not understood: the whole file comes.
        case noRanges
        /// A range request is answered with another range than was asked for.
        case otherRange
        /// Bytes without end follow the head, which announces no length.
        case endless
        /// So many bytes a second.
        case slow(bytesPerSecond: Int)
        /// The answer has this status and asks for so many seconds of patience.
        case busy(status: Int, retryAfter: Int)
        /// Every connection closes after this share of the whole file, in hundredths.
        case cutPercent(Int)
    }

    /// What is served.
    public let folder: URL
    /// Where it is served.
    public let baseURL: URL
    private let process: ChildProcess

    /// Serves `folder` until the object is gone.
    public init(_ folder: URL) throws {
        self.folder = folder
        process = try ChildProcess(
            "python3", ["-u", "-c", Self.program, folder.path])
        // It takes a port itself, so that nobody can take it in between.
        try process.waitForOutput("ready\n")
        let port = process.printed.split(separator: " ").first ?? ""
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else {
            throw CocoaError(.fileNoSuchFile)
        }
        baseURL = url
    }

    deinit { process.kill() }

    /// Ends the server; its address then refuses connections.
    public func stop() { process.kill() }

    /// Sets what goes wrong, by a part of the path; nothing for an empty dictionary.
    public func setFaults(_ faults: [String: Fault]) throws {
        var list: [[String: Any]] = []
        for (match, fault) in faults {
            switch fault {
            case .cut(let count): list.append(["match": match, "cut": count])
            case .status(let status): list.append(["match": match, "status": status])
            case .grow(let count): list.append(["match": match, "grow": count])
            case .stall: list.append(["match": match, "stall": true])
            case .redirect(let target): list.append(["match": match, "redirect": target])
            case .noRanges: list.append(["match": match, "noranges": true])
            case .otherRange: list.append(["match": match, "otherrange": true])
            case .endless: list.append(["match": match, "endless": true])
            case .slow(let rate): list.append(["match": match, "rate": rate])
            case .busy(let status, let seconds):
                list.append(["match": match, "status": status, "retryafter": seconds])
            case .cutPercent(let share): list.append(["match": match, "cutpercent": share])
            }
        }
        let data = try JSONSerialization.data(withJSONObject: list)
        try data.write(to: folder.appendingPathComponent(".faults"), options: .atomic)
    }

    /// The requests so far: `status path range`.
    public var requests: [String] {
        let log = folder.appendingPathComponent(".requests")
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// How much of each answer without end was taken, in bytes, up to what lies in buffers.
    public var endlessSizes: [Int] {
        let log = folder.appendingPathComponent(".endless")
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int($0) }
    }

    /// Forgets the requests so far.
    public func forgetRequests() {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(".requests"))
    }

    private static let program = #"""
        import hashlib, http.server, json, os, sys, threading, time
        folder = sys.argv[1]
        lock = threading.Lock()
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *a): pass
            def note(self, status):
                with lock, open(folder + "/.requests", "a") as f:
                    f.write(f"{status} {self.path} {self.headers.get('Range', '-')}\n")
            def fault(self):
                try:
                    with open(folder + "/.faults") as f: faults = json.load(f)
                except OSError: return {}
                return next((x for x in faults if x["match"] in self.path), {})
            def answer(self, status, body=b"", headers={}, announced=None):
                self.note(status)
                self.send_response(status)
                for k, v in headers.items(): self.send_header(k, v)
                if status != 304:
                    self.send_header("Content-Length", str(len(body) if announced is None else announced))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                fault = self.fault()
                if "stall" in fault: time.sleep(3600); return
                if "status" in fault:
                    again = {"Retry-After": str(fault["retryafter"])} if "retryafter" in fault else {}
                    return self.answer(fault["status"], headers=again)
                if "endless" in fault:
                    self.note(200); self.send_response(200); self.close_connection = True
                    self.end_headers()
                    # As fast as a fast network; loopback would fill the memory of a busy machine.
                    sent = 0
                    try:
                        while True:
                            self.wfile.write(b"x" * 65536); time.sleep(0.001)
                            sent += 65536
                    finally:
                        with open(folder + "/.endless", "a") as f: f.write(f"{sent}\n")
                if "redirect" in fault: return self.answer(302, headers={"Location": fault["redirect"]})
                path = os.path.join(folder, self.path.lstrip("/").split("?")[0])
                if not os.path.isfile(path): return self.answer(404)
                data = open(path, "rb").read() + b"x" * fault.get("grow", 0)
                size = len(data)
                tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
                headers = {"ETag": tag}
                if self.headers.get("If-None-Match") == tag: return self.answer(304, headers=headers)
                status, wanted = 200, self.headers.get("Range")
                if wanted and "noranges" not in fault and self.headers.get("If-Range", tag) == tag:
                    start = int(wanted[6:].split("-")[0])
                    if start >= len(data): return self.answer(416)
                    if "otherrange" in fault: start = max(0, start - 1)
                    headers["Content-Range"] = f"bytes {start}-{len(data)-1}/{len(data)}"
                    status, data = 206, data[start:]
                if "cutpercent" in fault: fault = {"cut": max(1, size * fault["cutpercent"] // 100)}
                if "rate" in fault:
                    self.answer(status, b"", headers, announced=len(data))
                    for at in range(0, len(data), max(1, fault["rate"] // 20)):
                        self.wfile.write(data[at:at + max(1, fault["rate"] // 20)])
                        self.wfile.flush(); time.sleep(0.05)
                    return
                if "cut" in fault and fault["cut"] < len(data):
                    self.close_connection = True
                    self.answer(status, data[:fault["cut"]], headers, announced=len(data))
                    self.wfile.flush(); self.connection.shutdown(2)
                    return
                self.answer(status, data, headers)
        # A test run that is killed takes its servers along.
        def watch(parent):
            while os.getppid() == parent: time.sleep(0.5)
            os._exit(0)
        threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], "ready", flush=True)
        server.serve_forever()
        """#
}
