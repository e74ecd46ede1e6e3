import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// A compiler that dies without a word over whatever holds a certain text.
private struct DyingCompiler {
    let folder: TemporaryDirectory
    let builder: GuestBuilder

    init() throws {
        folder = try TemporaryDirectory("dying-compiler")
        let real = try Toolchain.discover()
        let script = try folder.write(
            """
            #!/bin/sh
            for file in "$@"; do
                case "$file" in
                *.swift) if grep -q BOOM "$file"; then echo x >>"$0.runs"; kill -SEGV $$; fi ;;
                esac
            done
            [ "$1" = --version ] || echo x >>"$0.runs"
            exec '\(real.swiftc.path)' "$@"

            """, to: "bin/swiftc")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        for tool in ["clang", "wasm-ld"] {
            try FileManager.default.createSymbolicLink(
                at: folder.file("bin/\(tool)"),
                withDestinationURL: real.swiftc.deletingLastPathComponent()
                    .appendingPathComponent(tool))
        }
        var options = GuestBuildOptions()
        options.cacheFolder = GuestTestCache.folder
        options.timeout = 600
        options.moduleName = "App"
        builder = GuestBuilder(
            toolchain: Toolchain(swiftc: script, resources: real.resources), options: options)
    }

    /// Compiler runs so far.
    var runs: Int {
        let log = try? String(contentsOf: folder.file("bin/swiftc.runs"), encoding: .utf8)
        return log?.split(separator: "\n").count ?? 0
    }
}

@Suite("Attempts to build a module")
struct ModuleAttemptsTests {
    private static let source = """
        func first(_ x: Int) -> Int { x + 1 }
        func second(_ x: Int) -> Int { x * 2 }
        func third(_ x: Int) -> String { "BOOM \\(x)" }
        func fourth(_ x: Int) -> Int { third(x).count }
        func fifth(_ x: Int) -> Int { first(x) + second(x) }
        func sixth(_ x: Int) -> Int { x - 6 }

        """

    private func code() throws -> (AppCode, DeclarationIndex) {
        let fixture = try ProjectFixture(files: ["shop.swift": Self.source])
        let project = try fixture.project()
        let code = try AppCode(folder: fixture.folder, configuration: project.configuration)
        return (code, DeclarationIndex(code))
    }

    private func section() -> ModuleSection {
        ModuleSection(
            app_id: "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11", release: "1", sequence: 1, fp: "00",
            needs: [], functions: [], app_targets: [])
    }

    private func attempts(
        _ code: AppCode, _ index: DeclarationIndex, _ compiler: DyingCompiler, _ names: [String],
        isCallable: Bool
    ) -> ModuleAttempts {
        let functions = code.scan.functions.filter { names.contains($0.displayName) }
        return ModuleAttempts(
            index: index, functions: functions, types: code.scan.types, builder: compiler.builder,
            like: nil, fate: .refused, isCallable: { _ in isCallable }
        ) { .init(sources: $0.sources(), section: section()) }
    }

    @Test("a compiler that dies without saying of what costs a base module what it died of only")
    func leftOut() throws {
        let (code, index) = try code()
        let compiler = try DyingCompiler()
        #expect(code.scan.functions.count == 6)
        let base = try BaseModule.build(
            index: index, functions: code.scan.functions, types: code.scan.types, guests: [],
            builder: compiler.builder, section: section(), standsAlone: true)
        // The fourth cannot do without the third.
        #expect(base.problems.map(\.function).sorted() == ["fourth(_:)", "third(_:)"])
        let exports = try LinkedModule(base.wasm).exports.filter { $0.name.hasPrefix("op_f_") }
        #expect(exports.count == 4)
        #expect(compiler.runs <= 2 * ModuleAttempts.maximumRuns)
    }

    @Test("what the compiler dies of stays in the app, which is asked for it")
    func native() throws {
        let (code, index) = try code()
        let compiler = try DyingCompiler()
        var attempts = attempts(code, index, compiler, ["fourth(_:)"], isCallable: true)
        let outcome = try attempts.run()
        #expect(outcome.generator.called.map(\.displayName) == ["third(_:)"])
        #expect(outcome.module.imports.contains("native.call"))
    }

    @Test("a changed function that the compiler dies of is refused after few runs")
    func refused() throws {
        let (code, index) = try code()
        let compiler = try DyingCompiler()
        for (name, isCallable) in [("third(_:)", true), ("fourth(_:)", false)] {
            let before = compiler.runs
            var attempts = attempts(code, index, compiler, [name], isCallable: isCallable)
            #expect {
                try attempts.run()
            } throws: { error in
                (error as? PatchProjectError)?.kind == .cannotCompile
                    && "\(error)".contains("the compiler crashed")
            }
            #expect(compiler.runs - before <= ModuleAttempts.maximumRuns)
        }
    }
}
