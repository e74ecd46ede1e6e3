import Foundation
import TestSupport
import Testing
import UpdateFixture
import UpdateTestSupport

/// What a download costs while it is under way, seen in a process of its own.
@Suite struct DownloadMemoryTests {
    private static var isMeasurable: Bool {
        FileManager.default.fileExists(atPath: "/proc/self/statm")
    }

    @Test("memory stays flat while 100 MB arrive", .enabled(if: isMeasurable))
    func flat() throws {
        let fixture = try EngineFixture()
        var random = SeededGenerator()
        var payload = [UInt8](repeating: 0, count: 100_000_000)
        for index in stride(from: 0, to: payload.count, by: 997) {
            payload[index] = UInt8.random(in: .min ... .max, using: &random)
        }
        let digest = try fixture.app.add(
            payload, version: "1.1", sequence: 1, encoding: .identity)
        try fixture.app.setHead { $0.stable = digest }
        payload = []
        let root = fixture.folder.file("root.json")
        try Data(fixture.app.rootBytes).write(to: root)
        let result = try ChildProcess.run(
            Tools.builtProducts.appendingPathComponent("update-child").path,
            [
                "memory", fixture.folder.file("device").path, root.path,
                fixture.server.baseURL.absoluteString, fixture.settings.fingerprint,
            ])
        let words = result.standardOutput.split(separator: " ")
        let grew = try #require(words.dropFirst().first.flatMap { Int($0) }, "\(result)")
        #expect(words.contains("100000000"), "\(result)")
        print("MEMORY grew \(grew) bytes while 100,000,000 arrived")
        #expect(grew < 24 << 20, "\(result)")
    }
}
