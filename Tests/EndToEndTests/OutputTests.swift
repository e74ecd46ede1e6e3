import TestSupport
import Testing

/// What a script can trust about standard output.
@Suite("Standard output")
struct OutputTests {
    private func shell(_ script: String) throws -> ChildProcess.Result {
        let patchcli = Tools.builtProducts.appendingPathComponent("patchcli").path
        return try ChildProcess.run("sh", ["-c", script, "sh", patchcli])
    }

    @Test("a result that cannot be written is a failure", .enabled(if: Tools.hasFullDevice))
    func fullDevice() throws {
        let result = try shell("\"$1\" --help >/dev/full")
        #expect(result.status == 74)
        #expect(result.standardError.contains("could not be written"))
    }

    @Test("a reader that has seen enough is not")
    func closedPipe() throws {
        let result = try shell("\"$1\" --help | head -n 1")
        #expect(result.status == 0)
        #expect(result.standardOutput.contains("OVERVIEW"))
        #expect(result.standardError.isEmpty)
    }
}
