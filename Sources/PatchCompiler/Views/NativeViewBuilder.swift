import Foundation

/// Makes programs of the sources of views for this machine: the full compiler and the host build of
/// the vocabulary, so that a preview can show the native body beside the module's.
///
/// The program reads lines and answers each with a line `openpatch:tree` and the tree in
/// hexadecimal digits, empty when nothing is there: `mount ID HEX`, `update ID HEX`,
/// `event ID TOKEN HEX`, `row ID TOKEN INDEX`.
public struct NativeViewBuilder: Sendable {
    private let builder: GuestBuilder

    /// A builder with the toolchain and the cache of another one.
    public init(_ builder: GuestBuilder) { self.builder = builder }

    /// Compiles all files of an app's Swift module.
    /// - Parameter program: where the program goes.
    /// - Throws: ``GuestBuildError``; ``PatchProjectError`` `cannot_ship`.
    public func build(_ files: [GuestSource], module: String, to program: URL) throws {
        let cache = GuestCache(folder: builder.options.cacheFolder)
        let library = try library(cache)
        let ready = try ViewSources(files, module: module, isNative: true)
        let workshop = try cache.makeWorkshop()
        defer { try? FileManager.default.removeItem(at: workshop) }
        let sources = CompiledFile.naming(
            ready.sources + [GuestSource(name: "OpenPatch/Program.swift", text: Self.program)])
        for file in sources {
            try GuestFiles.write(
                Array(file.source.text.utf8), to: workshop.appendingPathComponent(file.name))
        }
        let names = Dictionary(
            sources.map { ($0.name, $0.source.name) }, uniquingKeysWith: { first, _ in first })
        try CompilerDiagnostic.ofDeveloper(files) {
            try compile(
                sources.map(\.name)
                    + ["PatchGuest.o", "SwiftUI.o"].map { library.appendingPathComponent($0).path }
                    + ["-module-name", "Preview", "-I", library.path, "-o", "views"],
                in: workshop, names)
        }
        try? FileManager.default.removeItem(at: program)
        do {
            try FileManager.default.moveItem(
                at: workshop.appendingPathComponent("views"), to: program)
        } catch {
            throw GuestBuildError.system("\(program.path) cannot be written: \(error)")
        }
    }

    /// The host build of the guest's modules.
    private func library(_ cache: GuestCache) throws -> URL {
        let resources = try GuestResources.locate()
        var key = GuestCache.Key()
        key.add(try builder.toolchain.identity(timeout: builder.options.timeout))
        let modules = try ["PatchGuest", "SwiftUI"].map { name in
            // What a module asks its host has no counterpart in a program of its own.
            let files = try resources.files(in: name, extensions: ["swift"]).filter {
                name == "SwiftUI"
                    || !String(decoding: $0.bytes, as: UTF8.self).contains("@_extern(wasm")
            }
            for file in files {
                key.add(file.name)
                key.add(file.bytes)
            }
            return (name: name, files: files)
        }
        return try cache.entry("host", key) { folder in
            for (name, files) in modules {
                for file in files {
                    try GuestFiles.write(file.bytes, to: folder.appendingPathComponent(file.name))
                }
                try compile(
                    files.map(\.name) + [
                        "-wmo", "-module-name", name, "-emit-module", "-emit-module-path",
                        "\(name).swiftmodule", "-I", ".", "-c", "-o", "\(name).o",
                    ], in: folder, [:])
            }
        }
    }

    private func compile(
        _ arguments: [String], in folder: URL, _ names: [String: String]
    ) throws {
        let result = try ToolRunner.run(
            builder.toolchain.swiftc,
            [
                "-swift-version", "5", "-parse-as-library", "-Onone", "-diagnostic-style", "llvm",
                "-no-color-diagnostics", "-suppress-warnings", "-module-cache-path",
                ".clang-modules",
            ] + arguments, in: folder, timeout: builder.options.timeout)
        guard !result.succeeded else { return }
        var found = CompilerOutput(names: names).diagnostics(in: result.output)
            .filter { $0.severity == .error }
        if found.isEmpty {
            found.append(CompilerDiagnostic(severity: .error, message: result.output))
        }
        throw GuestBuildError.compile(found)
    }

    private static let program = """
        import Foundation
        import SwiftUI

        @main enum _OpenPatchViews {
            static var mounts: [UInt64: _Mount] = [:]

            static func main() {
                while let line = readLine() { answer(line) }
            }

            static func answer(_ line: String) {
                let words = line.split(separator: " ", omittingEmptySubsequences: false)
                guard words.count > 2, let id = UInt64(words[1]) else { return write(nil) }
                switch words[0] {
                case "mount":
                    let handle = bytes(words[2]).withUnsafeBytes { raw -> UInt32 in
                        var reader = GuestReader(raw)
                        return _mount(id, &reader)
                    }
                    mounts[id] = handle == 0 ? nil : _mounted(handle)
                    write(mounts[id]?.renderedBytes())
                case "update":
                    mounts[id]?.update(bytes: bytes(words[2]))
                    write(mounts[id]?.renderedBytes())
                case "event" where words.count > 3:
                    _ = mounts[id]?.send(UInt64(words[2]) ?? 0, bytes(words[3]))
                    write(mounts[id]?.renderedBytes())
                case "row" where words.count > 3:
                    write(mounts[id]?.rowBytes(UInt64(words[2]) ?? 0, Int(words[3]) ?? 0))
                default: write(nil)
                }
            }

            static func bytes(_ hex: Substring) -> [UInt8] {
                var result: [UInt8] = []
                var rest = hex
                while rest.count >= 2 {
                    result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
                    rest = rest.dropFirst(2)
                }
                return result
            }

            static func write(_ bytes: [UInt8]?) {
                let digits = Array("0123456789abcdef".utf8)
                var line = Array("openpatch:tree ".utf8)
                for byte in bytes ?? [] {
                    line.append(digits[Int(byte >> 4)])
                    line.append(digits[Int(byte & 15)])
                }
                line.append(10)
                FileHandle.standardOutput.write(Data(line))
            }
        }

        """
}
