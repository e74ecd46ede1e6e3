import Foundation
import TestSupport

/// A stand-in for the server's side of telemetry (`Docs/http-api.md`), in a process of its own: it
/// keeps every event that arrives, and fails as it is told.
public final class EventReceiver: Sendable {
    /// Where events are posted.
    public let url: URL
    private let folder: TemporaryDirectory
    private let process: ChildProcess

    /// Runs until the object is gone.
    public init() throws {
        folder = try TemporaryDirectory("events")
        process = try ChildProcess(
            "python3", ["-u", "-c", Self.program, folder.url.path])
        // It takes a port itself, so that nobody can take it in between.
        try process.waitForOutput("ready\n")
        let port = process.printed.split(separator: " ").first ?? ""
        guard let url = URL(string: "http://127.0.0.1:\(port)/apps/pak_test/events") else {
            throw CocoaError(.fileNoSuchFile)
        }
        self.url = url
    }

    deinit { process.kill() }

    /// What the next requests are answered with, in order; afterwards 200. `0` takes the events and
    /// closes the connection without an answer; `poison:TEXT` refuses batches that contain a text;
    /// `503:7` asks for seven seconds of patience.
    public func answer(_ answers: [String]) throws {
        try folder.write(answers.joined(separator: "\n"), to: "answers")
    }

    /// The bodies that were taken, in order.
    public func bodies() throws -> [[String: Any]] {
        let text = (try? String(contentsOf: folder.file("bodies"), encoding: .utf8)) ?? ""
        return try text.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// The ids of all events that were taken, in order of arrival, repetitions included.
    public func ids() throws -> [String] {
        try bodies().flatMap { ($0["events"] as? [[String: Any]] ?? []) }
            .compactMap { $0["id"] as? String }
    }

    /// How many requests came.
    public var requests: Int {
        let text = (try? String(contentsOf: folder.file("count"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count
    }

    private static let program = #"""
        import http.server, json, os, sys, threading, time
        folder = sys.argv[1]
        lock = threading.Lock()
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *a): pass
            def next(self, body):
                try: answers = open(folder + "/answers").read().split("\n")
                except OSError: answers = []
                answers = [x for x in answers if x]
                if not answers: return "200"
                if answers[0].startswith("poison:"):
                    return "422" if answers[0][7:] in body else "200"
                with open(folder + "/answers", "w") as f: f.write("\n".join(answers[1:]))
                return answers[0]
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                with lock:
                    with open(folder + "/count", "a") as f: f.write("x\n")
                    answer = self.next(body)
                    document = json.loads(body)
                    assert self.headers["Content-Type"] == "application/json"
                    assert set(document) == {"install_id", "events"}
                    if answer[:1] in "20":
                        with open(folder + "/bodies", "a") as f: f.write(body + "\n")
                if answer == "0":
                    self.close_connection = True
                    return self.connection.shutdown(2)
                status, _, patience = answer.partition(":")
                self.send_response(int(status))
                if patience: self.send_header("Retry-After", patience)
                self.send_header("Content-Length", "0")
                self.end_headers()
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
