import Foundation
import PatchPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files that an app ships for its updates: `patch-root.json`, `patch-config.json`, `base.wasm`.
package struct ShippedFiles: Sendable {
    static let rootName = "patch-root.json"
    static let moduleName = "base.wasm"
    private static let maximumDocument = 512_000

    /// Paths of the folders to look in, in order.
    let folders: [String]

    /// - Parameter folder: the only folder to look in; nil for the usual ones.
    package init(folder: URL?) { folders = folder.map { [$0.path] } ?? Self.usualFolders }

    /// The main bundle's resources, then the program's folder; in both also a SwiftPM resource
    /// bundle beside the program and a folder `Resources`, where packages keep such files.
    private static var usualFolders: [String] {
        var folders: [String] = []
        func add(_ folder: String) {
            for folder in [folder, folder + "/Resources"] where !folders.contains(folder) {
                folders.append(folder)
            }
        }
        for base in bases {
            add(base)
            for name in (try? LocalFileStore(path: base).list(".")) ?? []
            where name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
                add(base + "/" + name)
            }
        }
        return folders
    }

    #if canImport(Darwin)
        private static var bases: [String] {
            var bases: [String] = []
            if let resources = Bundle.main.resourceURL { bases.append(resources.path) }
            if let program = Bundle.main.executableURL?.resolvingSymlinksInPath() {
                bases.append(program.deletingLastPathComponent().path)
            }
            return bases
        }
    #else
        /// Where Foundation finds a main bundle here, without its search: the first look at a bundle
        /// takes longer than all the rest of the configuration.
        private static var bases: [String] {
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &buffer, buffer.count)
            guard count > 0, count < buffer.count else { return [] }
            let path = String(
                decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return [] }
            let folder = path[..<slash]
            var bases = [String(folder)]
            // An installed program: <prefix>/bin/<name> and <prefix>/share/<name>.resources.
            if folder.hasSuffix("/bin") {
                let share = folder.dropLast(3) + "share/" + path[path.utf8.index(after: slash)...]
                bases.append(share + ".resources")
            }
            return bases
        }
    #endif

    /// The first file of that name.
    /// - Throws: ``FileError``.
    private func read(_ name: String, maximumSize: Int) throws -> [UInt8]? {
        for folder in folders {
            let files = LocalFileStore(path: folder)
            if let bytes = try files.read(name, maximumSize: maximumSize) { return bytes }
        }
        return nil
    }

    /// The bundled configuration, if there is one.
    /// - Throws: ``UpdateError`` `config_malformed`.
    package func configuration() throws -> ShippedConfiguration? {
        let bytes: [UInt8]?
        do {
            bytes = try read(ShippedConfiguration.fileName, maximumSize: Self.maximumDocument)
        } catch {
            throw UpdateError(.configMalformed, "\(error)")
        }
        return try bytes.map { try ShippedConfiguration(json: $0) }
    }

    /// The bundled root of trust, if there is one.
    /// - Throws: ``UpdateError`` `root_malformed`.
    package func root() throws -> [UInt8]? {
        do {
            return try read(Self.rootName, maximumSize: Self.maximumDocument)
        } catch {
            throw UpdateError(.rootMalformed, "\(error)")
        }
    }

    /// The bundled module, if there is one.
    /// - Throws: ``UpdateError`` `module_malformed`.
    package func module(maximumSize: Int) throws -> [UInt8]? {
        do {
            return try read(Self.moduleName, maximumSize: maximumSize)
        } catch {
            throw UpdateError(.moduleMalformed, "\(error)")
        }
    }
}
