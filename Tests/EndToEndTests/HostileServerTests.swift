import Foundation
import TestSupport
import Testing

/// `patchcli` against servers that are no patchd.
@Suite struct HostileServerTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("hostile") }

    /// A server that answers every request with `answer`, a Python expression over `other`, the
    /// address of a second server that writes what it is sent to the file `stolen`.
    private func server(_ answer: String) throws -> (ChildProcess, address: String) {
        let program = """
            import socket, sys, threading
            first, second = socket.socket(), socket.socket()
            for s in (first, second): s.bind(("127.0.0.1", 0)); s.listen(16)
            other = "http://127.0.0.1:%d/" % second.getsockname()[1]
            def steal():
                while True:
                    c, _ = second.accept()
                    open(sys.argv[1], "ab").write(c.recv(65536))
                    c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}")
                    c.close()
            threading.Thread(target=steal, daemon=True).start()
            print("http://127.0.0.1:%d" % first.getsockname()[1], "ready", flush=True)
            while True:
                c, _ = first.accept()
                c.recv(65536)
                try:
                    for part in \(answer): c.sendall(part)
                except OSError: pass
                c.close()
            """
        let process = try ChildProcess(
            "python3", ["-u", "-c", program, folder.file("stolen").path])
        try process.waitForOutput("ready\n")
        let address = process.printed.split(separator: " ").first.map(String.init)
        return (process, try #require(address))
    }

    private func appList(_ address: String) throws -> (status: Int32, error: [String: Any]) {
        let token = try folder.write("opa_secret", to: "admin-token")
        let result = try ChildProcess.run(
            Loop.patchcli,
            ["app", "list", "--server", address, "--admin-token-file", token.path, "--json"],
            in: folder.url,
            environment: ["XDG_CONFIG_HOME": folder.file("config").path, "OPENPATCH_TOKEN": ""])
        let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        let error = (document as? [String: Any])?["error"] as? [String: Any]
        return (result.status, try #require(error))
    }

    @Test("a token goes to the address that was named and to no place that this one points to")
    func redirect() throws {
        let (process, address) = try server(
            #"[b"HTTP/1.1 307 X\r\nLocation: " + other.encode() + b"\r\nContent-Length: 0\r\n\r\n"]"#
        )
        let (status, error) = try appList(address)
        #expect(status != 0)
        #expect(error["code"] as? String == "redirected")
        #expect((error["why"] as? String)?.contains("--server") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.file("stolen").path))
        process.kill()
    }

    @Test("an answer without end is cut off at its limit")
    func endless() throws {
        let (process, address) = try server(
            #"[b"HTTP/1.1 200 OK\r\n\r\n"] + [b"x" * 1000000] * 200"#)
        let (status, error) = try appList(address)
        #expect(status != 0 && error["code"] as? String == "answer_too_large")
        process.kill()
    }

    @Test("what is no code of a patchd is not told as one")
    func code() throws {
        let body = #"{\"error\":{\"code\":\"x\\u001b[31m\",\"message\":\"\\u001b[2J red\"}}"#
        let (process, address) = try server(
            "[b\"HTTP/1.1 400 X\\r\\nConnection: close\\r\\n\\r\\n" + body + "\"]")
        let (status, error) = try appList(address)
        #expect(status != 0 && error["code"] as? String == "http_400")
        process.kill()
    }
}
