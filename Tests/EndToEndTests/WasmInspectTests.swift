import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import patchcli

/// A module of three functions, two of them named by a name section, that traps when told to.
enum NamedModule {
    private typealias W = WasmBytes

    static let swiftName = "$s4main5greetyS2SF"
    static let readable = "main.greet(String) -> String"

    /// `run(n)` calls the named function twice, which calls `leaf`; that traps when given 0.
    static let code: [UInt8] = W.module(
        W.section(1, W.vector([W.type([0x7f], [0x7f])])), W.section(3, W.vector([[0], [0], [0]])),
        W.section(5, W.vector([[0, 1]])), W.section(7, W.vector([W.export("run", 2)])),
        W.section(
            10,
            W.vector([
                // leaf: if (n == 0) trap; n + 1
                W.body([0x20, 0, 0x45, 0x04, 0x40, 0x00, 0x0b, 0x20, 0, 0x41, 1, 0x6a]),
                W.body([0x20, 0, 0x10, 0]),
                W.body([0x20, 0, 0x10, 1, 0x20, 0, 0x10, 1, 0x6a]),
            ])))

    static func names(_ functions: [(Int, String)]) -> [UInt8] {
        let map = W.vector(functions.map { W.unsigned($0.0) + W.name($0.1) })
        return W.section(0, W.name("name") + [1] + W.unsigned(map.count) + map)
    }

    static let named = code + names([(0, "leaf"), (1, swiftName)])

    /// A file of names as `patchcli build` writes it, for the module with `digest`.
    static func debug(digest: [UInt8]) -> [UInt8] {
        W.module(
            names([(0, "leaf"), (1, swiftName)]),
            W.section(0, W.name("openpatch.debug") + digest))
    }
}

@Suite("patchcli wasm inspect")
struct WasmInspectTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("inspect") }

    private func patchcli(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        try ChildProcess.run(
            Tools.builtProducts.appendingPathComponent("patchcli").path, ["wasm"] + arguments,
            in: folder.url, environment: environment)
    }

    private func document(_ text: String) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("sections, exports and functions are shown with sizes that add up")
    func page() throws {
        try Data(NamedModule.named).write(to: folder.file("m.wasm"))
        let result = try patchcli("inspect", "m.wasm", "--top", "2")
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.contains("size    \(NamedModule.named.count) bytes"))
        #expect(lines.contains("memory  1 × 64 KiB, i32 addresses"))
        #expect(lines.contains { $0.hasSuffix("custom name") })
        #expect(lines.contains("  func  run   (i32) -> (i32)"))
        #expect(lines.contains("Functions by size (2 of 3)"))
        #expect(lines.last?.hasSuffix("run") == true)
        #expect(!result.standardOutput.contains("\u{1B}"))
        let coloured = try patchcli(
            "inspect", "m.wasm", environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": ""])
        #expect(coloured.standardOutput.contains("\u{1B}[1mSections"))
        let plain = try patchcli(
            "inspect", "m.wasm", environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"])
        #expect(!plain.standardOutput.contains("\u{1B}"))
    }

    @Test("the document has every part; sections cover the file but for its header")
    func json() throws {
        try Data(NamedModule.named).write(to: folder.file("m.wasm"))
        let result = try patchcli("inspect", "m.wasm", "--json")
        let document = try document(result.standardOutput)
        let sections = try #require(document["sections"] as? [[String: Any]])
        let sizes = sections.compactMap { $0["bytes"] as? Int }
        #expect(sizes.reduce(8, +) == NamedModule.named.count)
        #expect(
            sections.compactMap { $0["name"] as? String }
                == ["type", "function", "memory", "export", "code", "name"])
        let functions = try #require(document["functions"] as? [[String: Any]])
        #expect(
            functions.compactMap { $0["name"] as? String }
                == ["leaf", "run", NamedModule.readable])
        #expect(functions.compactMap { $0["index"] as? Int } == [0, 2, 1])
        let offset = try #require(functions[0]["offset"] as? Int)
        // The body begins with its count of locals and `local.get 0`.
        #expect(Array(NamedModule.named[offset..<offset + 3]) == [0, 0x20, 0])
    }

    @Test("names come from a debug file beside the module, or from one that is named")
    func debugFile() throws {
        try Data(NamedModule.code).write(to: folder.file("m.wasm"))
        #expect(try patchcli("inspect", "m.wasm").standardOutput.contains("function 0"))
        let debug = NamedModule.debug(digest: SHA256.hash(NamedModule.code))
        try Data(debug).write(to: folder.file("m.wasm.debug"))
        #expect(try patchcli("inspect", "m.wasm").standardOutput.contains(NamedModule.readable))
        try FileManager.default.moveItem(
            at: folder.file("m.wasm.debug"), to: folder.file("kept"))
        let named = try patchcli("inspect", "m.wasm", "--debug", "kept")
        #expect(named.standardOutput.contains(NamedModule.readable))
        #expect(named.standardOutput.contains("from kept"))
        #expect(try patchcli("inspect", "m.wasm", "--debug", "absent").status == 66)
    }

    @Test("the debug file of another module is refused when named, left with a warning otherwise")
    func otherDebugFile() throws {
        try Data(NamedModule.code).write(to: folder.file("m.wasm"))
        let other = NamedModule.debug(digest: [UInt8](repeating: 1, count: 32))
        try Data(other).write(to: folder.file("m.wasm.debug"))
        let beside = try patchcli("inspect", "m.wasm")
        #expect(beside.status == 0)
        #expect(beside.standardError.contains("debug file of another module"))
        #expect(beside.standardOutput.contains("function 0"))
        let named = try patchcli("inspect", "m.wasm", "--debug", "m.wasm.debug", "--json")
        #expect(named.status == 65)
        #expect(named.standardOutput.contains("debug_of_other_module"))
    }

    @Test("what is no module is refused as everywhere, and an unsupported one by its proposal")
    func refusals() throws {
        try Data("nope".utf8).write(to: folder.file("m.wasm"))
        #expect(try patchcli("inspect", "m.wasm").status == 65)
        try Data([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]).write(to: folder.file("c.wasm"))
        let component = try patchcli("inspect", "c.wasm")
        #expect(component.status == 65)
        #expect(component.standardError.contains("component-model"))
    }
}

@Suite("Swift names")
struct SwiftNamesTests {
    @Test(
        "Swift's names become readable, others stay",
        arguments: [
            ("$s4main5greetyS2SF", "main.greet(String) -> String"),
            ("$e4main5greetyS2SF", "main.greet(String) -> String"),
            ("$sSS6appendyySSF", "String.append(String) -> ()"),
            ("$s4main3FooV3baryyFTf4n_n", "main.Foo.bar() -> () [specialized]"),
            ("malloc", "malloc"), ("_ZN3foo3barEv", "_ZN3foo3barEv"), ("$s", "$s"), ("", ""),
        ])
    func readable(name: String, text: String) {
        #expect(SwiftNames.readable(name) == text)
    }

    @Test("a name of endless depth is given back as it is")
    func longName() {
        let name = "$s" + String(repeating: "Say", count: 5_000) + "G"
        #expect(SwiftNames.readable(name) == name)
    }

    @Test("only the module Swift is left out, not what ends or continues like it")
    func standardModule() {
        #expect(SwiftNames.withoutStandardModule("Swift.Int") == "Int")
        #expect(
            SwiftNames.withoutStandardModule("(MySwift.A, Swift.B<a.Swift.C>)")
                == "(MySwift.A, B<a.Swift.C>)")
        #expect(SwiftNames.withoutStandardModule("Swift") == "Swift")
    }

    @Test("what the optimiser made of a function goes behind its name")
    func nameFirst() {
        #expect(
            SwiftNames.nameFirst(
                "generic specialization <(A) -> B<C>> of function signature specialization <x> of f()"
            )
                == "f() [specialized]")
        #expect(SwiftNames.nameFirst("merged f()") == "f() [merged]")
        #expect(SwiftNames.nameFirst("generic specialization <") == "generic specialization <")
    }
}
