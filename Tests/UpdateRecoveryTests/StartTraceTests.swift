import Foundation
import TestSupport
import Testing

/// The way to the first call, as the system sees it.
@Suite("Start from the cache", .enabled(if: Tools.find("strace") != nil))
struct StartTraceTests {
    private let child = Tools.builtProducts.appendingPathComponent("start-child").path
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory("start")
        let made = try SpawnedProcess(
            child, ["prepare", folder.file("device").path, "16384"],
            output: folder.file("output")
        ).wait()
        #expect(made.status == 0)
    }

    /// The system calls of a start, in order; `started` is said by a write.
    private func trace(_ calls: String, _ url: String) throws -> [Substring] {
        let strace = try #require(Tools.find("strace"))
        let log = folder.file("trace").path
        let result = try SpawnedProcess(
            strace,
            [
                "-f", "-s", "16", "-e", "trace=\(calls),write", "-o", log, child, "start",
                folder.file("device").path, url,
            ],
            environment: ["OPENPATCH_DEV": "1"], output: folder.file("output")
        ).wait()
        #expect(result.output.hasPrefix("started 1.1 42"), "\(result)")
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    }

    @Test("a process that returns from main has noted that it ended well")
    func cleanEnd() throws {
        let device = folder.file("device")
        let result = try SpawnedProcess(
            child, ["start", device.path], output: folder.file("output")
        ).wait()
        #expect(result.status == 0 && result.output.hasPrefix("started 1.1 42"), "\(result)")
        let marks = device.appendingPathComponent("boot")
        let names = try FileManager.default.contentsOfDirectory(atPath: marks.path)
        #expect(names.count == 1)
        let mark = try String(
            contentsOf: marks.appendingPathComponent(names.first ?? ""), encoding: .utf8)
        #expect(mark.hasSuffix("\nd\nc\ne\n"), "\(mark)")
    }

    @Test("P19: no network call of any kind comes before the first call into the module")
    func P19_noNetwork() throws {
        let lines = try trace("%network", "http://127.0.0.1:9/")
        let started = try #require(lines.firstIndex { $0.contains("\"started") })
        let network = { (line: Substring) in
            ["socket", "connect(", "sendto(", "recvfrom(", "sendmsg(", "bind("].contains {
                line.contains($0)
            }
        }
        #expect(lines[..<started].filter(network).isEmpty)
        // The check after the start was seen, so the trace sees what it should.
        #expect(lines[started...].contains(where: network))
    }

    @Test("a start from the cache waits for no disk")
    func noSync() throws {
        let lines = try trace("fsync,fdatasync,sync", "http://127.0.0.1:9/")
        let started = try #require(lines.firstIndex { $0.contains("\"started") })
        #expect(lines[..<started].filter { $0.contains("sync(") }.isEmpty)
    }
}
