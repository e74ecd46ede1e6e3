import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("What the guest builder refuses")
struct GuestBuilderErrorTests {
    private func failure(
        _ texts: [String: String], exports: GuestExports = .automatic, ifDefined: Bool = false,
        change: (inout GuestBuildOptions) -> Void = { _ in }
    ) throws -> GuestBuildError? {
        do {
            _ = try guestBuilder(change: change).build(
                sources: texts.map { GuestSource(name: $0.key, text: $0.value) }, exports: exports,
                exportIfDefined: ifDefined)
            return nil
        } catch let error as GuestBuildError {
            return error
        }
    }

    @Test("an error is reported with the user's file name, line and column")
    func compileError() throws {
        let error = try failure([
            "Sources/App/Price.swift":
                "@_cdecl(\"f\") func f() -> Int32 {\n    let x = 1\n    return y\n}",
            "Guest/Other.swift": "func g() -> Int { \"text\" }",
        ])
        guard case .compile(let diagnostics) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let errors = diagnostics.filter { $0.severity == .error }
        #expect(
            errors.contains {
                $0.file == "Sources/App/Price.swift" && $0.line == 3 && $0.column == 12
                    && $0.message.contains("cannot find 'y'")
            })
        #expect(errors.contains { $0.file == "Guest/Other.swift" && $0.line == 1 })
        #expect(error?.description.contains("Sources/App/Price.swift:3:12: error:") == true)
    }

    @Test("what follows from an error in lines that nobody wrote is left out")
    func ownLines() {
        func at(_ file: String?, _ line: Int) -> CompilerDiagnostic {
            CompilerDiagnostic(file: file, line: line, column: 1, severity: .error, message: "m")
        }
        let files = [GuestSource(name: "A.swift", text: "a\nb\n")]
        let beyond = [at("A.swift", 3), at("OpenPatch/Views.swift", 3), at(nil, 0)]
        let own = [at("A.swift", 1), at("A.swift", 2)]
        #expect(CompilerDiagnostic.ownLines(own + beyond, of: files) == own)
        #expect(CompilerDiagnostic.ownLines(beyond, of: files) == beyond, "better than nothing")
    }

    @Test("a line directive names the file that generated code came from")
    func lineDirective() throws {
        let error = try failure([
            "op_generated.swift": """
            #sourceLocation(file: "App/Cart.swift", line: 40)
            @_cdecl("f") func f() -> Int32 { missing }
            """
        ])
        guard case .compile(let diagnostics) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(diagnostics.contains { $0.file == "App/Cart.swift" && $0.line == 40 })
    }

    @Test("a compiler that dies of a signal is a diagnostic with the place it was at")
    func compilerCrash() throws {
        let error = try failure([
            "App/Load.swift":
                "func ok() {}\nfunc load(_ n: Int) async -> Int { n }\n@_cdecl(\"f\") func f() {}"
        ])
        guard case .compilerCrashed(let diagnostics) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(diagnostics.first?.file == "App/Load.swift")
        #expect(diagnostics.first?.line == 2)
        #expect(diagnostics.first?.message.contains("the compiler crashed (signal 11)") == true)
    }

    @Test("a compiler that does not end is stopped with all that it started")
    func timeout() throws {
        let folder = try TemporaryDirectory("slow-toolchain")
        let slow = try folder.write(
            "#!/bin/sh\ncase \"$1\" in --version) echo slow;; *) sleep 6000 & echo $! > \"$0.child\"; wait;; esac\n",
            to: "bin/swiftc")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: slow.path)
        let real = try Toolchain.discover()
        // Makes what it was asked for at once: only one tool is slow here.
        let quick = try folder.write(
            "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && : >\"$2\"; shift; done\n",
            to: "bin/clang")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: quick.path)
        var options = GuestBuildOptions()
        options.cacheFolder = folder.file("cache")
        options.timeout = 15
        let toolchain = Toolchain(swiftc: slow, resources: real.resources)
        let source = GuestSource(name: "a.swift", text: "@_cdecl(\"f\") func f() {}")
        #expect(throws: GuestBuildError.timeout(tool: "swiftc", seconds: 15)) {
            try GuestBuilder(toolchain: toolchain, options: options).build(sources: [source])
        }
        let child = try String(contentsOf: folder.file("bin/swiftc.child"), encoding: .utf8)
        let id = try #require(pid_t(child.trimmingCharacters(in: .whitespacesAndNewlines)))
        // The group was killed; the child is gone as soon as its new parent has noticed.
        let deadline = Date().addingTimeInterval(600)
        while !isGone(id), Date() < deadline { usleep(10_000) }
        #expect(isGone(id))
    }

    private func isGone(_ id: pid_t) -> Bool {
        if kill(id, 0) != 0 { return true }
        // In a container nobody may collect it: dead all the same.
        let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return status?.contains(") Z ") ?? false
    }

    @Test("an undefined function is an error that names it")
    func undefinedSymbol() throws {
        let error = try failure([
            "a.swift": """
            @_extern(c, "native_price") func nativePrice() -> Int32
            @_cdecl("f") func f() -> Int32 { nativePrice() }
            """
        ])
        #expect(error == .undefinedSymbols(["native_price"]))
        #expect(error?.description.contains("native_price") == true)
    }

    @Test(
        "an import that is no capability is refused by name",
        arguments: [("env", "log.write"), ("openpatch", "keychain.read"), ("openpatch", "log")])
    func refusedImport(module: String, name: String) throws {
        let error = try failure([
            "a.swift": """
            @_extern(wasm, module: "\(module)", name: "\(name)") @_extern(c) func host(_ n: Int32)
            @_cdecl("f") func f() { host(1) }
            """
        ])
        #expect(error == .importRefused(module: module, name: name))
    }

    @Test("an export that nobody defines is refused, unless it may be missing")
    func missingExport() throws {
        let sources = ["a.swift": "@_cdecl(\"f\") public func f() -> Int32 { 1 }"]
        #expect(try failure(sources, exports: ["f", "g", "h"]) == .exportMissing(["g", "h"]))
        #expect(try failure(sources, exports: ["f", "g"], ifDefined: true) == nil)
    }

    @Test(
        "a name that is no C name never reaches the linker", arguments: ["", "a b", "f,--x", "-O0"])
    func hostileExport(name: String) throws {
        let sources = ["a.swift": "@_cdecl(\"f\") public func f() -> Int32 { 1 }"]
        #expect(try failure(sources, exports: .named(["f", name])) == .exportMissing([name]))
    }

    @Test("a guest without exports or sources is refused")
    func nothing() throws {
        #expect(try failure(["a.swift": "func f() {}"]) == .nothingToExport)
        #expect(try failure([:]) == .noSources)
    }

    @Test("a command module is refused with the flag that makes a reactor")
    func commandModule() throws {
        let error = try failure(["a.swift": "@_cdecl(\"_start\") public func start() {}"])
        #expect(error == .commandModule)
        #expect(error?.description.contains("-mexec-model=reactor") == true)
    }

    @Test("a cache folder that cannot be written is an error that names it")
    func unwritableCache() throws {
        let folder = try TemporaryDirectory("cache")
        try folder.write("a file, not a folder", to: "cache")
        let error = try failure(["a.swift": "@_cdecl(\"f\") func f() {}"]) {
            $0.cacheFolder = folder.file("cache")
        }
        #expect(error?.code == "system")
        #expect(error?.description.contains(folder.file("cache").path) == true)
    }

    @Test("what the compiler warns of comes with the module, also from the cache")
    func warnings() throws {
        let source = GuestSource(
            name: "App/W.swift",
            text: "@_cdecl(\"f\") public func f() -> Int32 { let x = 1; return 2 }")
        for _ in 0..<2 {
            let module = try guestBuilder().build(sources: [source])
            #expect(module.warnings.map(\.file) == ["App/W.swift"])
            #expect(module.warnings.first?.severity == .warning)
        }
    }
}
