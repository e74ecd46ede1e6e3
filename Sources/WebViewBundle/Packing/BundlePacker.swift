import Foundation

/// Packs a folder: every file in it, by rules, under its relative path.
public struct BundlePacker: Sendable {
    /// A header for all files that a pattern fits.
    public struct HeaderRule: Sendable {
        /// The files.
        public var files: Glob
        /// The header.
        public var header: HeaderField

        /// Makes one of its parts.
        public init(files: Glob, header: HeaderField) {
            self.files = files
            self.header = header
        }

        /// Reads `<pattern>=<name>: <value>`; nil when it is written otherwise.
        public init?(_ text: String) {
            guard let equals = text.firstIndex(of: "=") else { return nil }
            let rest = text[text.index(after: equals)...]
            guard equals > text.startIndex, let colon = rest.firstIndex(of: ":") else { return nil }
            let name = rest[..<colon].trimmingBlanks
            guard !name.isEmpty else { return nil }
            files = Glob(String(text[..<equals]))
            header = HeaderField(name, rest[rest.index(after: colon)...].trimmingBlanks)
        }
    }

    /// Files that the operating system leaves lying about.
    public static let alwaysIgnored = ["Thumbs.db", "desktop.ini", "ehthumbs.db", "__MACOSX/"]

    /// Patterns of files to leave out, beside the usual ones.
    public var ignored: [Glob] = []
    /// Headers to store; of two rules that set one header the later one counts.
    public var headers: [HeaderRule] = []
    /// Whether names that start with a dot are packed (`.well-known` always is).
    public var includesHidden = false
    /// Whether `*.map` is packed. Source maps show the source of what is shipped.
    public var includesSourceMaps = false
    private let limits: BundleLimits

    /// A packer with the usual rules.
    public init(limits: BundleLimits = .standard) { self.limits = limits }

    /// What a folder became.
    public struct Result: Sendable {
        /// The archive.
        public let bytes: [UInt8]
        /// The paths packed.
        public let paths: [String]
        /// Relative paths of files left out by a rule, and of links that lead out of the folder.
        public let ignored: [String]
        /// Bytes of all files packed.
        public let contentSize: Int
    }

    /// Packs the files below `folder`.
    /// - Throws: ``BundleFormatError``; ``Error/Core(message:)`` `bundle_storage_failed` for a
    ///   folder or file that cannot be read, `bundle_not_found` when no file is left.
    public func pack(folder: String) throws -> Result {
        var builder = BundleBuilder(limits: limits)
        var ignored: [String] = []
        var size = 0
        let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        for file in try files(below: root, "", &ignored) {
            let data: Data
            do {
                data = try Data(contentsOf: URL(fileURLWithPath: root + "/" + file))
            } catch {
                throw FailureCode.storage.core(
                    "'\(file.printable)' cannot be read: \(error.localizedDescription)")
            }
            // Archives name files as URLs do; some file systems take letters apart.
            let path = "/" + file.precomposedStringWithCanonicalMapping
            let replaced = try builder.insertEntry(
                path, data: [UInt8](data), headers: headers(for: path))
            guard !replaced else {
                throw BundleFormatError(.duplicatePath, "Two files have this name.", path: path)
            }
            size += data.count
        }
        guard !builder.entryPaths.isEmpty else {
            throw FailureCode.bundleNotFound.core(
                "There is no file to pack in '\(folder.printable)'.")
        }
        return Result(
            bytes: try builder.build(), paths: builder.entryPaths, ignored: ignored.sorted(),
            contentSize: size)
    }

    private func headers(for path: String) -> [HeaderField] {
        var fields: [HeaderField] = []
        for rule in headers where rule.files.matches(path) {
            fields.removeAll { $0.name.lowercased() == rule.header.name.lowercased() }
            fields.append(rule.header)
        }
        return fields
    }

    private func isIgnored(_ path: String, isFolder: Bool) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        if name.hasPrefix("."), name != ".well-known", !includesHidden { return true }
        if name == ".DS_Store" { return true }
        if name.hasSuffix(".map"), !isFolder, !includesSourceMaps { return true }
        let patterns = Self.alwaysIgnored.map(Glob.init) + ignored
        // A pattern that names a folder takes all that lies below with it.
        return patterns.contains { $0.matches(path) || (isFolder && $0.matches(path + "/x")) }
    }

    private func files(
        below root: String, _ prefix: String, _ ignored: inout [String]
    ) throws -> [String] {
        let manager = FileManager.default
        let here = prefix.isEmpty ? root : root + "/" + prefix
        let names: [String]
        do {
            names = try manager.contentsOfDirectory(atPath: here).sorted()
        } catch {
            throw FailureCode.storage.core(
                "The folder '\(here.printable)' cannot be read; check its name and permissions.")
        }
        var files: [String] = []
        for name in names {
            let path = prefix.isEmpty ? name : prefix + "/" + name
            let real = URL(fileURLWithPath: root + "/" + path).resolvingSymlinksInPath().path
            var isFolder: ObjCBool = false
            let exists = manager.fileExists(atPath: real, isDirectory: &isFolder)
            let isLink = (try? manager.destinationOfSymbolicLink(atPath: root + "/" + path)) != nil
            // A link to a folder could lead in a circle, one out of the folder to anything.
            let isAllowed = !isLink || (!isFolder.boolValue && real.hasPrefix(root + "/"))
            if !exists || !isAllowed || isIgnored(path, isFolder: isFolder.boolValue) {
                ignored.append(isFolder.boolValue ? path + "/" : path)
            } else if isFolder.boolValue {
                files += try self.files(below: root, path, &ignored)
            } else {
                files.append(path)
            }
        }
        return files
    }
}
