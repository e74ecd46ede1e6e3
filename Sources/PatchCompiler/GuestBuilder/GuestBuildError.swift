/// Why a guest was not built.
public enum GuestBuildError: Error, Sendable, Equatable {
    /// No Swift compiler was found on PATH or where `OPENPATCH_SWIFT` points.
    case toolchainMissing(searched: String)
    /// The compiler found cannot make WebAssembly.
    case toolchainCannotTarget(swift: String, missing: String)
    /// There is no source to build.
    case noSources
    /// No function would be exported.
    case nothingToExport
    /// The sources do not compile.
    case compile([CompilerDiagnostic])
    /// The compiler died of a signal; what it was looking at.
    case compilerCrashed([CompilerDiagnostic])
    /// Functions that something uses and nobody defines.
    case undefinedSymbols([String])
    /// Functions that should be exported and are not defined.
    case exportMissing([String])
    /// The linker refused for another reason.
    case link(String)
    /// A tool did not end in time.
    case timeout(tool: String, seconds: Double)
    /// A tool could not be started or the cache not be written.
    case system(String)
    /// The module runs from `_start` and ends, instead of being called.
    case commandModule
    /// The module imports what no capability provides.
    case importRefused(module: String, name: String)
    /// The linker's output is not a module that the engine can run.
    case malformedOutput(String)

    /// A stable name of the case.
    public var code: String {
        switch self {
        case .toolchainMissing: "toolchain_missing"
        case .toolchainCannotTarget: "toolchain_cannot_target"
        case .noSources: "no_sources"
        case .nothingToExport: "nothing_to_export"
        case .compile: "compile_failed"
        case .compilerCrashed: "compiler_crashed"
        case .undefinedSymbols: "undefined_symbols"
        case .exportMissing: "export_missing"
        case .link: "link_failed"
        case .timeout: "tool_timeout"
        case .system: "system"
        case .commandModule: "command_module"
        case .importRefused: "import_refused"
        case .malformedOutput: "malformed_output"
        }
    }
}

extension GuestBuildError: CustomStringConvertible {
    /// What happened and what to do about it.
    public var description: String {
        switch self {
        case .toolchainMissing(let searched):
            """
            No Swift compiler was found (\(searched)). Install a swift.org toolchain, for \
            instance with `swiftly install latest`, or name its swiftc in OPENPATCH_SWIFT.
            """
        case .toolchainCannotTarget(let swift, let missing):
            """
            \(swift) cannot compile for WebAssembly: its toolchain has no \(missing). The \
            compiler inside Xcode never can; run `swiftly install latest` and put that \
            toolchain first on PATH, or name its swiftc in OPENPATCH_SWIFT.
            """
        case .noSources:
            "There is no Swift file to build a guest from."
        case .nothingToExport:
            """
            The guest exports nothing. Mark the functions that the host calls with \
            @_cdecl("name"), or name the exports.
            """
        case .compile(let diagnostics), .compilerCrashed(let diagnostics):
            diagnostics.map(\.description).joined(separator: "\n")
        case .undefinedSymbols(let names):
            """
            The guest uses what nobody defines: \(names.joined(separator: ", ")). A guest may \
            only call its own code, the guest runtime and host functions of the module \
            `openpatch` that belong to a granted capability.
            """
        case .exportMissing(let names):
            """
            To be exported but not defined: \(names.joined(separator: ", ")). Check the \
            @_cdecl names, or export only what is defined (exportIfDefined).
            """
        case .link(let text): "The linker failed: \(text)"
        case .timeout(let tool, let seconds):
            "\(tool) did not end within \(seconds) seconds and was stopped."
        case .system(let text): text
        case .commandModule:
            """
            This is a command module: it has a _start that runs once and ends. A patch is \
            called again and again, so build a reactor: pass \
            `-Xclang-linker -mexec-model=reactor`, and use no @main or top-level code.
            """
        case .importRefused(let module, let name):
            """
            The guest imports '\(name)' from '\(module)'. Only functions of granted \
            capabilities in the module 'openpatch' may be imported, as \
            `<capability>.<function>`.
            """
        case .malformedOutput(let text): "The module that was linked cannot run: \(text)"
        }
    }
}
