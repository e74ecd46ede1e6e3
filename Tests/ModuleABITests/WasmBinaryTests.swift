import ModuleABI
import Testing

@Suite("Custom sections as bytes")
struct WasmBinaryTests {
    /// A type section, `(func)`, and an empty custom section `x`.
    static let module: [UInt8] =
        [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00] + [0x01, 0x04, 0x01, 0x60, 0x00, 0x00]
        + [0x00, 0x02, 0x01, 0x78]

    @Test("an appended section is found again and its removal restores every byte")
    func appendAndRemove() throws {
        for size in [0, 1, 127, 128, 20_000] {
            let contents = [UInt8](repeating: 0xab, count: size)
            let longer = WasmBinary.appendingCustomSection("openpatch", contents, to: Self.module)
            let found = try WasmBinary.customSections(of: longer)
            #expect(found.map(\.name) == ["x", "openpatch"])
            #expect(found.last?.bytes == contents)
            let shorter = try WasmBinary.removingCustomSections(named: "openpatch", from: longer)
            #expect(shorter == Self.module)
        }
    }

    @Test("a module cut at any byte inside a section is refused")
    func truncated() throws {
        let longer = WasmBinary.appendingCustomSection("openpatch", [1, 2, 3], to: Self.module)
        let boundaries = [8, 14, Self.module.count]
        for length in 0..<longer.count where !boundaries.contains(length) {
            #expect(throws: WasmBinary.Fault.self, "cut at \(length)") {
                try WasmBinary.customSections(of: Array(longer.prefix(length)))
            }
        }
    }

    @Test("flipping any bit never crashes the reader")
    func flipped() {
        let longer = WasmBinary.appendingCustomSection("openpatch", [1, 2, 3], to: Self.module)
        for bit in 0..<longer.count * 8 {
            var broken = longer
            broken[bit / 8] ^= 1 << UInt8(bit % 8)
            _ = try? WasmBinary.customSections(of: broken)
            _ = try? ModuleSection.read(fromBytes: broken)
        }
    }

    @Test("bytes that are no module, lengths past the end and overlong numbers are named")
    func faults() {
        func code(_ bytes: [UInt8]) -> String? {
            do {
                _ = try WasmBinary.customSections(of: bytes)
                return nil
            } catch let fault as WasmBinary.Fault {
                return fault.code
            } catch {
                return "another error"
            }
        }
        let head = Array(Self.module.prefix(8))
        #expect(code([]) == "not_wasm")
        #expect(code(Array("<html></html>".utf8)) == "not_wasm")
        #expect(code(head + [0x00, 0xff, 0xff, 0xff, 0xff, 0x0f]) == "truncated")
        #expect(code(head + [0x00, 0xff, 0xff, 0xff, 0xff, 0x1f]) == "malformed_section")
        #expect(code(head + [0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]) == "malformed_section")
        #expect(code(head + [0x00, 0x02, 0x05, 0x61]) == "malformed_section")
        #expect(code(head + [0x00, 0x02, 0x01, 0xff]) == "malformed_section")
        #expect(code(head) == nil)
    }

    @Test("a custom section larger than the caller allows is refused before it is copied")
    func bounded() {
        let longer = WasmBinary.appendingCustomSection(
            "big", [UInt8](repeating: 0, count: 2000), to: Self.module)
        #expect(throws: WasmBinary.Fault.self) {
            try WasmBinary.customSections(of: longer, maximumSize: 1000)
        }
    }
}
