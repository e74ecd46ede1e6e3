import Foundation
import ModuleABI
import TestSupport
import Testing

@Suite("A module's description of itself")
struct ModuleSectionTests {
    static let section = ModuleSection(
        app_id: "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11", release: "1.0.1", sequence: 7,
        fp: String(repeating: "ab", count: 32), needs: [.init(id: 1, sig: .max)],
        functions: [.init(id: 0x0123_4567_89ab_cdef, export: "op_f_0123456789abcdef", sig: 2)],
        app_targets: ["Greeter"], capabilities: [.log, .unicode])

    @Test("it is JSON with sorted keys and hex ids, and reads back equal")
    func roundTrip() throws {
        let json = Self.section.encoded()
        let text = String(decoding: json, as: UTF8.self)
        #expect(
            text == """
                {"abi":1,"app_id":"6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11","app_targets":["Greeter"],\
                "capabilities":["log","unicode"],"fp":"\(Self.section.fp)","functions":\
                [{"export":"op_f_0123456789abcdef","id":"0123456789abcdef","sig":"0000000000000002"}],\
                "needs":[{"id":"0000000000000001","sig":"ffffffffffffffff"}],"release":"1.0.1",\
                "sequence":7,"v":1,"views":[],"vocabulary_max":0}
                """)
        #expect(try ModuleSection(json: json) == Self.section)
    }

    @Test("it is read out of a module, and a module without one has none")
    func inModule() throws {
        let wasm = WasmBinaryTests.module
        #expect(try ModuleSection.read(fromBytes: wasm) == nil)
        let with = WasmBinary.appendingCustomSection(
            ModuleSection.sectionName, Self.section.encoded(), to: wasm)
        #expect(try ModuleSection.read(fromBytes: with) == Self.section)
        let twice = WasmBinary.appendingCustomSection(
            ModuleSection.sectionName, Self.section.encoded(), to: with)
        #expect(throws: ModuleSectionError.self) { try ModuleSection.read(fromBytes: twice) }
    }

    @Test("damaged, foreign or newer descriptions are refused with a code")
    func refused() throws {
        func code(_ json: String) -> String? {
            do {
                _ = try ModuleSection(json: Array(json.utf8))
                return nil
            } catch let error as ModuleSectionError {
                return error.code
            } catch {
                return "another error"
            }
        }
        let good = String(decoding: Self.section.encoded(), as: UTF8.self)
        #expect(code(good) == nil)
        #expect(code("") == "section_malformed")
        #expect(code("[]") == "section_malformed")
        #expect(code(String(good.dropLast())) == "section_malformed")
        #expect(
            code(good.replacingOccurrences(of: "\"v\":1", with: "\"v\":2")) == "section_version")
        let shortID = good.replacingOccurrences(of: "0123456789abcdef\"", with: "123456789abcdef\"")
        #expect(code(shortID) == "section_malformed")
        let capital = good.replacingOccurrences(
            of: "\"0123456789abcdef\"", with: "\"0123456789ABCDEF\"")
        #expect(code(capital) == "section_malformed")
        let keychain = good.replacingOccurrences(of: "\"log\"", with: "\"keychain\"")
        #expect(code(keychain) == "section_malformed")
        #expect(code(String(repeating: "[", count: 200_000)) == "section_malformed")
        #expect(code(String(repeating: " ", count: 2_000_000)) == "section_too_large")
    }

    @Test("the published schema names exactly the keys that are written")
    func schema() throws {
        let file = SharedData.checkout.appendingPathComponent("Docs/module-section.schema.json")
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: Any])
        let written = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.section.encoded()))
                as? [String: Any])
        #expect(Set(properties.keys) == Set(written.keys))
        #expect(Set(try #require(schema["required"] as? [String])) == Set(written.keys))
    }
}

@Suite("Ids and names")
struct IdentifierTests {
    @Test("an id is the first 8 bytes of SHA-256 over module, path and kind")
    func declarationID() throws {
        let id = DeclarationID.function(
            module: "Greeter", path: "priceLabel(_:)", kind: .function)
        let code =
            "import hashlib;print(hashlib.sha256("
            + "b'Greeter|priceLabel(_:)|function').hexdigest()[:16])"
        let result = try ChildProcess.run(Tools.python, ["-c", code])
        #expect(DeclarationID.hex16(id) + "\n" == result.standardOutput)
        #expect(GuestExport.function(id) + "\n" == "op_f_" + result.standardOutput)
    }

    @Test("hex ids are 16 lower-case digits, both ways")
    func hexIDs() {
        for id in [0, 1, 0x0f, .max, 0x0123_4567_89ab_cdef] as [UInt64] {
            let text = DeclarationID.hex16(id)
            #expect(text.utf8.count == 16)
            #expect(DeclarationID.parse(text) == id)
        }
        for text in ["", "0", "0123456789abcdeF", "0123456789abcdeg", "00123456789abcdef", "０"] {
            #expect(DeclarationID.parse(text) == nil)
        }
    }

    @Test("signatures differ by order, optionality and result")
    func signatures() {
        let hashes = [
            SignatureHash.function(parameters: ["Int", "String"], results: []),
            SignatureHash.function(parameters: ["String", "Int"], results: []),
            SignatureHash.function(parameters: ["Int"], results: ["String"]),
            SignatureHash.function(parameters: ["Optional<Int>"], results: ["String"]),
            SignatureHash.function(parameters: [], results: ["Int"]),
        ]
        #expect(Set(hashes).count == hashes.count)
    }

    @Test("capabilities are the core ones and well-formed bridges, nothing else")
    func capabilities() {
        #expect(CapabilityName.core.count == 10)
        #expect(CapabilityName(rawValue: "log") == .log)
        #expect(CapabilityName(rawValue: "app.cart-v2")?.isBridge == true)
        for name in ["", "keychain", "app.", "app.a.b", "app.é", "Log", "log "] {
            #expect(CapabilityName(rawValue: name) == nil, "\(name)")
        }
        #expect(CapabilityName(importName: "unicode.category") == .unicode)
        #expect(CapabilityName(importName: "app.cart.total")?.rawValue == "app.cart")
        for name in ["fd_write", ".x", "log.", "keychain.read"] {
            #expect(CapabilityName(importName: name) == nil, "\(name)")
        }
    }

    @Test("a packed result keeps nil, empty and the unsigned halves apart")
    func packed() {
        #expect(PackedResult.none.isNone)
        let empty = PackedResult(pointer: 0x8000_0000, length: 0)
        #expect(!empty.isNone)
        #expect(empty.pointer == 0x8000_0000)
        let large = PackedResult(rawValue: .max)
        #expect(large.pointer == .max && large.length == .max)
    }
}
