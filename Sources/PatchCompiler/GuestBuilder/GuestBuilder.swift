import Foundation
import ModuleABI

/// Makes guest modules from Swift files with `@_cdecl` exports.
///
/// Embedded Swift, whole module, `-O`, linked as a reactor with the guest runtime that ships as
/// source; see `Docs/guests.md`. The same sources and toolchain give the same bytes anywhere.
public struct GuestBuilder: Sendable {
    /// The toolchain in use.
    public let toolchain: Toolchain
    /// How this builder builds.
    public let options: GuestBuildOptions

    /// A builder; nothing is run before ``build(sources:exports:exportIfDefined:section:)``.
    public init(toolchain: Toolchain, options: GuestBuildOptions = GuestBuildOptions()) {
        self.toolchain = toolchain
        self.options = options
    }

    /// Builds one module from `sources`.
    /// - Parameters:
    ///   - sources: the Swift files; their order does not matter.
    ///   - exports: what the module gives to the host, besides the guest runtime's exports.
    ///   - exportIfDefined: whether a wanted function may be missing.
    ///   - more: functions of the guest's own modules that it gives as well.
    ///   - section: what the module says about itself; its `capabilities` are filled in from what
    ///     the module imports.
    /// - Throws: ``GuestBuildError``.
    public func build(
        sources: [GuestSource], exports: GuestExports = .automatic, exportIfDefined: Bool = false,
        adding more: [String] = [], section: ModuleSection? = nil
    ) throws -> GuestModule {
        try build(
            sources: sources, exports: exports, exportIfDefined: exportIfDefined, adding: more,
            section: section, like: nil)
    }

    /// Builds one module, with the numbers of `model` for what both have.
    func build(
        sources: [GuestSource], exports: GuestExports = .automatic, exportIfDefined: Bool = false,
        adding more: [String] = [], section: ModuleSection?, like model: Renumbering.Model?
    ) throws -> GuestModule {
        guard !sources.isEmpty else { throw GuestBuildError.noSources }
        let wanted = try exportNames(exports, in: sources, ifDefined: exportIfDefined, more)
        var clock = Stopwatch()
        var timings = GuestBuildTimings()

        let cache = GuestCache(folder: options.cacheFolder)
        let compiler = GuestCompiler(toolchain: toolchain, options: options)
        let support = try GuestSupport.prepare(compiler, cache: cache, for: sources)
        timings.runtime = clock.lap()

        let object = try compile(sources, with: compiler, support: support, cache: cache)
        timings.compile = clock.lap()

        let workshop = try cache.makeWorkshop()
        defer { try? FileManager.default.removeItem(at: workshop) }
        try compiler.link(
            [object.file.path] + support.objects.map(\.path), exports: wanted.required,
            ifDefined: wanted.ifDefined, output: "out.wasm", in: workshop)
        let linked = try GuestFiles.read(workshop.appendingPathComponent("out.wasm"))
        var module = try GuestModule(
            linkerOutput: linked, like: model, wanted: wanted.required, section: section,
            files: CompiledFile.naming(sources))
        if !options.debugInformation { module.debug = nil }
        module.warnings = object.warnings
        cache.prune()
        timings.link = clock.lap()
        module.timings = timings
        return module
    }

    private struct Wanted {
        var required: [String]
        var ifDefined: [String]
    }

    private func exportNames(
        _ exports: GuestExports, in sources: [GuestSource], ifDefined: Bool, _ more: [String]
    ) throws -> Wanted {
        var required: [String]
        var optional: [String] = []
        switch exports {
        case .named(let names):
            required = names
        case .automatic:
            let found = ExportScanner.scan(sources)
            required = found.certain
            optional = found.conditional
        }
        required += more
        if ifDefined {
            optional += required
            required = []
        }
        guard !(required.isEmpty && optional.isEmpty) else {
            throw GuestBuildError.nothingToExport
        }
        for name in required + optional where !name.isLinkerName {
            throw GuestBuildError.exportMissing([name])
        }
        return Wanted(
            required: Set(required).sorted(),
            ifDefined: Set(optional).subtracting(required).sorted())
    }

    private struct Object {
        var file: URL
        var warnings: [CompilerDiagnostic]
    }

    private func compile(
        _ sources: [GuestSource], with compiler: GuestCompiler, support: GuestSupport,
        cache: GuestCache
    ) throws -> Object {
        let files = CompiledFile.naming(sources)
        var key = GuestCache.Key()
        key.add(support.key)
        key.add(options.moduleName)
        compiler.swiftFlags.forEach { key.add($0) }
        for file in files {
            key.add(file.name)
            key.add(file.source.name)
            key.add(file.source.text)
        }
        let names = Dictionary(
            files.map { ($0.name, $0.source.name) }, uniquingKeysWith: { first, _ in first })
        let entry = try cache.entry("object", key) { folder in
            for file in files {
                try GuestFiles.write(
                    Array(file.source.text.utf8), to: folder.appendingPathComponent(file.name))
            }
            let warnings = try compiler.compileSwift(
                files.map(\.name), module: options.moduleName, modules: support.modules,
                output: "guest.o", names: names, in: folder)
            let data = try JSONEncoder().encode(warnings)
            try GuestFiles.write([UInt8](data), to: folder.appendingPathComponent("warnings.json"))
        }
        let data = try GuestFiles.read(entry.appendingPathComponent("warnings.json"))
        let warnings =
            (try? JSONDecoder().decode([CompilerDiagnostic].self, from: Data(data))) ?? []
        return Object(file: entry.appendingPathComponent("guest.o"), warnings: warnings)
    }
}

extension String {
    /// Whether this can be a linker option's value: the characters of a C name, and those of
    /// mangled ones.
    var isLinkerName: Bool {
        !isEmpty
            && utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
                    UInt8(ascii: "."):
                    return true
                default: return $0 >= 0x80
                }
            }
    }
}
