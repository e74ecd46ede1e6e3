import Foundation

/// The guest runtime and the Swift modules that ship with it, compiled once for each toolchain
/// and target.
struct GuestSupport: Sendable {
    /// What it was made from, for keys of things that depend on it.
    var key: String
    /// To be linked into every module.
    var objects: [URL]
    /// The folder of the Swift modules that a guest may import.
    var modules: URL

    /// The Swift modules that ship with the runtime, each a folder of `Guest`, in dependency order.
    static let swiftModules = ["PatchGuest", "PatchHost", "Foundation"]

    /// The runtime, and the guest's `SwiftUI` with it when `sources` have views.
    static func prepare(
        _ compiler: GuestCompiler, cache: GuestCache, for sources: [GuestSource]
    ) throws -> GuestSupport {
        let hasViews = sources.contains { $0.text.contains("import SwiftUI") }
        return try prepare(compiler, cache: cache, swiftModules + (hasViews ? ["SwiftUI"] : []))
    }

    private static func prepare(
        _ compiler: GuestCompiler, cache: GuestCache, _ swiftModules: [String]
    ) throws -> GuestSupport {
        let resources = try GuestResources.locate()
        let runtime = try resources.files(in: "Runtime", extensions: ["c", "h"])
        let libraries = try swiftModules.map { name in
            (name, try resources.files(in: name, extensions: ["swift"]))
        }.filter { !$0.1.isEmpty }
        let identity = try compiler.toolchain.identity(timeout: compiler.options.timeout)

        var key = GuestCache.Key()
        key.add(identity)
        (compiler.clangFlags + compiler.swiftFlags).forEach { key.add($0) }
        for file in runtime + libraries.flatMap(\.1) {
            key.add(file.name)
            key.add(file.bytes)
        }
        let sources = runtime.map(\.name).filter { $0.hasSuffix(".c") }
        let entry = try cache.entry("runtime", key) { folder in
            for file in runtime {
                try GuestFiles.write(file.bytes, to: folder.appendingPathComponent(file.name))
            }
            try compiler.compileC(sources, in: folder)
            for (name, files) in libraries {
                for file in files {
                    try GuestFiles.write(file.bytes, to: folder.appendingPathComponent(file.name))
                }
                _ = try compiler.compileSwift(
                    files.map(\.name), module: name, modules: folder, output: "\(name).swift.o",
                    emitModule: true, names: [:], in: folder)
            }
        }
        let objects =
            sources.map { String($0.dropLast(2)) + ".o" } + libraries.map { "\($0.0).swift.o" }
        let linked = objects.filter {
            compiler.options.unicode == .host || $0 != "unicode.o"
        }
        return GuestSupport(
            key: key.text, objects: linked.map { entry.appendingPathComponent($0) },
            modules: entry)
    }
}
