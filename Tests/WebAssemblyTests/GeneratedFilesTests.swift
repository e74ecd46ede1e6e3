import TestSupport
import Testing

@Suite("Generated files")
struct GeneratedFilesTests {
    @Test("handlers and opcode numbers are what the table says")
    func current() throws {
        let result = try ChildProcess.run(
            Tools.python, ["Scripts/generators/opcodes.py", "--check"], in: SharedData.checkout)
        #expect(result.status == 0, "\(result.standardError)")
    }
}
