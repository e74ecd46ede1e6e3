import Foundation
import ModuleABI
import SwiftSyntax

/// An input of the fingerprint in which the working tree differs from a build, and where.
public struct FingerprintDifference: Sendable, Equatable {
    /// One thing that is not as it was.
    public struct Change: Sendable, Equatable, CustomStringConvertible {
        /// `'Line' changed`.
        public var message: String
        /// Where it is now; where it was, for what is gone.
        public var place: SourcePlace

        /// `file:line: message`.
        public var description: String { "\(place): \(message)" }
    }

    /// The input, as in ``Fingerprint/Input/name``.
    public var input: String
    /// What changed in it; never empty.
    public var changes: [Change]
}

extension PatchProject {
    /// What makes the working tree's fingerprint another one than a build's: every input that
    /// differs, with the lines.
    /// - Throws: ``PatchProjectError``.
    public func differences(from manifest: BuildManifest) throws -> [FingerprintDifference] {
        let code = try AppCode(folder: folder, configuration: configuration)
        let index = DeclarationIndex(code.tree, functions: code.scan.functions)
        let finder = DifferenceFinder(code: code, index: index, manifest: manifest)
        let old = Dictionary(manifest.inputs.map { ($0.name, $0.hash) }) { first, _ in first }
        let new = Dictionary(code.fingerprint.inputs.map { ($0.name, $0.hash) }) { first, _ in
            first
        }
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted().map { name in
            let found = finder.changes(
                in: name, isNew: old[name] == nil, isGone: new[name] == nil)
            return FingerprintDifference(input: name, changes: found)
        }
    }
}

/// Finds the declarations, keys and packages behind inputs that differ.
private struct DifferenceFinder {
    typealias Change = FingerprintDifference.Change

    let code: AppCode
    let index: DeclarationIndex
    let manifest: BuildManifest

    func changes(in input: String, isNew: Bool, isGone: Bool) -> [Change] {
        let parts = input.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "source":
            if isNew || isGone {
                return [
                    Change(
                        message: isNew ? "the file is new" : "the file is gone",
                        place: SourcePlace(file: rest, line: 0))
                ]
            }
            return declarations(in: rest)
        case "surface": return surface()
        case "dependencies":
            return [
                Change(
                    message: "the resolved versions of packages differ",
                    place: SourcePlace(file: "Package.resolved", line: 0))
            ]
        default:
            let (file, key) = PropertyListInputs.parts(of: input) ?? ("", input)
            let verb = isNew ? "is new" : isGone ? "is gone" : "changed"
            return [
                Change(
                    message: "'\(key)' \(verb)",
                    place: SourcePlace(
                        file: file,
                        line: code.lists.first { $0.name == input }?.line ?? 0))
            ]
        }
    }

    private func declarations(in path: String) -> [Change] {
        let old = manifest.natives.filter { $0.place.file == path }
        let oldHashes = Dictionary(manifest.natives.map { ($0.key, $0.hash) }) { first, _ in first }
        let current = Coverage.natives(of: index)
        var changes: [Change] = []
        for native in current where native.place.file == path {
            let name = Coverage.readable(native.key)
            if let hash = oldHashes[native.key] {
                if hash != native.hash {
                    changes.append(Change(message: "'\(name)' changed", place: native.place))
                }
            } else {
                changes.append(Change(message: "'\(name)' is new", place: native.place))
            }
        }
        let present = Set(current.map(\.key))
        for native in old where !present.contains(native.key) {
            changes.append(
                Change(
                    message: "'\(Coverage.readable(native.key))' was here and is gone",
                    place: native.place))
        }
        if changes.isEmpty { changes = [imports(of: path)] }
        return changes.sorted { ($0.place.line, $0.message) < ($1.place.line, $1.message) }
    }

    /// What is left when every declaration is as it was: imports, and the order of declarations.
    private func imports(of path: String) -> Change {
        let file = index.files.first { $0.path == path }
        let line = file.flatMap { file in
            file.tree.statements.first { $0.item.is(ImportDeclSyntax.self) }.map {
                file.line(at: $0.positionAfterSkippingLeadingTrivia.utf8Offset)
            }
        }
        return Change(
            message: "an import, or the order of declarations, changed",
            place: SourcePlace(file: path, line: line ?? 1))
    }

    private func surface() -> [Change] {
        let built = Dictionary(manifest.functions.map { ($0.id, $0) }) { first, _ in first }
        var changes: [Change] = []
        for function in code.scan.functions {
            if let old = built[function.hexID] {
                if old.sig != DeclarationID.hex16(function.signature) {
                    changes.append(
                        Change(
                            message: "'\(function.displayName)' has another signature",
                            place: function.place))
                }
            } else {
                changes.append(
                    Change(
                        message: "'\(function.displayName)' is routed and was not",
                        place: function.place))
            }
        }
        let present = Set(code.scan.functions.map(\.hexID))
        for function in manifest.functions where !present.contains(function.id) {
            changes.append(
                Change(
                    message: "'\(function.name)' is not routed any more",
                    place: SourcePlace(file: function.module, line: 0)))
        }
        if changes.isEmpty {
            changes = [
                Change(
                    message: "the app's modules, or the versions that it speaks, differ",
                    place: SourcePlace(file: ProjectConfiguration.fileName, line: 0))
            ]
        }
        return changes
    }
}
