import Foundation

/// The compiler and linker runs of a guest build.
struct GuestCompiler: Sendable {
    var toolchain: Toolchain
    var options: GuestBuildOptions

    /// Flags that every C file of the runtime is compiled with.
    var clangFlags: [String] {
        [
            "--target=\(options.target.triple)", "-std=c11", "-Os", "-ffreestanding",
            "-fno-builtin", "-mbulk-memory", "-fno-stack-protector", "-fvisibility=hidden",
            "-Wno-unknown-warning-option",
        ]
    }

    /// Flags that every Swift file is compiled with; no path in them depends on the machine.
    var swiftFlags: [String] {
        var flags = [
            "-target", options.target.triple, "-enable-experimental-feature", "Embedded",
            "-enable-experimental-feature", "Extern", "-wmo", "-parse-as-library",
            options.optimization, "-swift-version", "5", "-Xfrontend", "-disable-stack-protector",
            "-diagnostic-style", "llvm", "-no-color-diagnostics",
        ]
        if options.debugInformation {
            flags += ["-gline-tables-only", "-file-compilation-dir", "."]
        }
        return flags
    }

    func compileC(_ files: [String], in folder: URL) throws {
        for file in files {
            let output = String(file.dropLast(2)) + ".o"
            let result = try ToolRunner.run(
                toolchain.clang, clangFlags + ["-c", file, "-o", output], in: folder,
                timeout: options.timeout)
            guard result.succeeded else {
                throw GuestBuildError.system(
                    "The guest runtime does not compile (\(file)): \(result.output)")
            }
        }
    }

    /// Compiles `files` of `folder` to `output`, a name inside it.
    /// - Returns: warnings, with the user's file names.
    func compileSwift(
        _ files: [String], module: String, modules: URL?, output: String, emitModule: Bool = false,
        names: [String: String], in folder: URL
    ) throws -> [CompilerDiagnostic] {
        var arguments = swiftFlags
        arguments += ["-module-name", module, "-module-cache-path", ".clang-modules"]
        arguments += ["-file-prefix-map", "\(folder.path)=."]
        if let modules {
            arguments += ["-I", modules.path, "-file-prefix-map", "\(modules.path)=openpatch"]
        }
        if emitModule {
            arguments += ["-emit-module", "-emit-module-path", "\(module).swiftmodule"]
        }
        arguments += ["-c", "-o", output] + files
        let result = try ToolRunner.run(
            toolchain.swiftc, arguments, in: folder, timeout: options.timeout)
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(".clang-modules"))
        let reader = CompilerOutput(names: names)
        if result.succeeded {
            return reader.diagnostics(in: result.output).filter { $0.severity != .error }
        }
        var found = reader.diagnostics(in: result.output)
        if case .signal(let number) = result.ending {
            throw GuestBuildError.compilerCrashed([
                reader.crash(in: result.output, signal: number)
            ])
        }
        if CompilerOutput.isCrash(result.output) {
            let errors = found.filter { $0.severity == .error && $0.file != nil }
            throw GuestBuildError.compilerCrashed(
                [reader.crash(in: result.output, signal: reader.signal(in: result.output))] + errors
            )
        }
        if !found.contains(where: { $0.severity == .error }) {
            found.append(CompilerDiagnostic(severity: .error, message: result.output))
        }
        throw GuestBuildError.compile(found)
    }

    /// Links `objects` to `output`, both in or relative to `folder`.
    func link(
        _ objects: [String], exports: [String], ifDefined: [String], output: String, in folder: URL
    ) throws {
        var arguments = [
            "-m", options.target.linkerEmulation, "--no-entry", "--gc-sections", "-O2",
            // The stack lies below all data: overflow leaves memory and traps.
            "--stack-first", "-z", "stack-size=\(options.stackSize)",
            "--max-memory=\(options.maximumMemory / 65_536 * 65_536)", "--error-limit=0",
            "--color-diagnostics=never", "--no-demangle",
            // What Renumbering goes by; nothing of it stays in the module.
            "--emit-relocs",
        ]
        arguments += exports.map { "--export=\($0)" }
        arguments += ifDefined.map { "--export-if-defined=\($0)" }
        arguments += objects + [toolchain.unicodeTables(options.target).path, "-o", output]
        let result = try ToolRunner.run(
            toolchain.linker, arguments, in: folder, timeout: options.timeout)
        guard !result.succeeded else { return }
        throw LinkerOutput.error(in: result.output)
    }
}
