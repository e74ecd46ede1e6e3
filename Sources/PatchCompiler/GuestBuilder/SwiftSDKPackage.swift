import Foundation

/// The full SDK route: a throw-away SwiftPM package around guest sources, built with a WebAssembly
/// SDK that was installed with `swift sdk install`.
///
/// It needs no guest runtime of ours and gives the whole standard library and Foundation, for
/// modules of some megabytes instead of some kilobytes, on wasm32 with WASI imports.
public struct SwiftSDKPackage: Sendable, Hashable {
    /// Package, target and product; letters, digits and `_`.
    public var name: String
    /// The id of the SDK, as `swift sdk list` prints it.
    public var sdk: String
    /// The Swift files.
    public var sources: [GuestSource]
    /// One linker option `--export=` each.
    public var exports: [String]
    /// Whether functions that the host provides may stay undefined in the link.
    public var allowsUndefined: Bool

    /// A package that exports what `exports` says.
    /// - Throws: ``GuestBuildError/noSources``, ``GuestBuildError/nothingToExport`` or
    ///   ``GuestBuildError/exportMissing(_:)`` for a name that cannot be one.
    public init(
        name: String, sdk: String, sources: [GuestSource], exports: GuestExports = .automatic,
        allowsUndefined: Bool = false
    ) throws {
        guard !sources.isEmpty else { throw GuestBuildError.noSources }
        let names: [String]
        switch exports {
        case .named(let given): names = given
        case .automatic: names = ExportScanner.scan(sources).certain
        }
        guard !names.isEmpty else { throw GuestBuildError.nothingToExport }
        for name in names where !name.isLinkerName { throw GuestBuildError.exportMissing([name]) }
        let plain = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        self.name = plain.first?.isNumber == false ? plain : "Guest" + plain
        self.sdk = sdk
        self.sources = sources
        var seen = Set<String>()
        self.exports = names.filter { seen.insert($0).inserted }
        self.allowsUndefined = allowsUndefined
    }

    /// The text of `Package.swift`.
    public var manifest: String {
        var flags = [
            "// A reactor: exports that are called again and again, no `_start`.",
            #""-Xclang-linker", "-mexec-model=reactor","#,
        ]
        if allowsUndefined {
            flags.append("// What the host defines when it instantiates the module.")
            flags.append(#""-Xlinker", "--allow-undefined","#)
        }
        flags.append("// What the host calls by name.")
        flags += exports.map { #""-Xlinker", "--export=\#($0)","# }
        let indent = String(repeating: " ", count: 20)
        return """
            // swift-tools-version: 6.0
            // Written by patchcli for one build; do not edit.
            import PackageDescription

            let package = Package(
                name: "\(name)",
                targets: [
                    .executableTarget(
                        name: "\(name)",
                        swiftSettings: [.swiftLanguageMode(.v5)],
                        linkerSettings: [
                            .unsafeFlags([
            \(flags.map { indent + $0 }.joined(separator: "\n"))
                            ])
                        ]
                    )
                ]
            )

            """
    }

    /// What follows `swift` on the command line.
    public var arguments: [String] { ["build", "--swift-sdk", sdk, "-c", "release"] }

    /// Path in the package → text.
    public var files: [String: String] {
        var files = ["Package.swift": manifest]
        for file in CompiledFile.naming(sources) {
            files["Sources/\(name)/\(file.name)"] = file.source.text
        }
        return files
    }

    /// Writes the package into `folder`.
    /// - Throws: ``GuestBuildError/system(_:)``.
    public func write(to folder: URL) throws {
        for (path, text) in files {
            let url = folder.appendingPathComponent(path)
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            } catch {
                throw GuestBuildError.system("\(url.path) cannot be written: \(error).")
            }
            try GuestFiles.write(Array(text.utf8), to: url)
        }
    }

    /// Writes the package into `folder`, builds it and checks what came out.
    /// - Parameter timeout: seconds that the build may take.
    /// - Returns: the module as the linker wrote it.
    /// - Throws: ``GuestBuildError``; a module that is no reactor or lacks an export is refused.
    public func build(in folder: URL, with sdks: SwiftSDKs, timeout: Double = 600) throws -> [UInt8]
    {
        try sdks.require(sdk)
        try write(to: folder)
        let result = try ToolRunner.run(sdks.swift, arguments, in: folder, timeout: timeout)
        guard result.succeeded else {
            let names = Dictionary(
                CompiledFile.naming(sources).map { ($0.name, $0.source.name) },
                uniquingKeysWith: { first, _ in first })
            let found = CompilerOutput(names: names).diagnostics(in: result.output)
            throw found.contains { $0.severity == .error && $0.file != nil }
                ? GuestBuildError.compile(found) : LinkerOutput.error(in: result.output)
        }
        let module = try GuestFiles.read(try product(in: folder))
        try ReactorCheck.check(module, wanted: exports, allowsWASI: true)
        return module
    }

    /// `.build/<triple>/release/<name>.wasm`; the triple is the SDK's business.
    private func product(in folder: URL) throws -> URL {
        let build = folder.appendingPathComponent(".build")
        let triples = (try? FileManager.default.contentsOfDirectory(atPath: build.path)) ?? []
        for triple in triples.sorted() where triple.hasPrefix("wasm") {
            let file = build.appendingPathComponent("\(triple)/release/\(name).wasm")
            if FileManager.default.fileExists(atPath: file.path) { return file }
        }
        throw GuestBuildError.system(
            "`swift \(arguments.joined(separator: " "))` left no \(name).wasm under "
                + "\(build.path)/wasm32-unknown-wasip1/release.")
    }
}
