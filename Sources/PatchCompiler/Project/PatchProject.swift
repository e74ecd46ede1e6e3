import Foundation
import ModuleABI
import PatchCrypto

/// What a release is called.
public struct ReleaseIdentity: Sendable, Equatable {
    /// Free text chosen by the developer.
    public var version: String
    /// Place in the order of the app's releases.
    public var sequence: Int

    /// A name and a place.
    public init(version: String, sequence: Int) {
        self.version = version
        self.sequence = sequence
    }
}

/// A module for one store build.
public struct BuiltModule: Sendable {
    /// The module, its section included.
    public var wasm: [UInt8]
    /// Names and line tables, to be kept with the release.
    public var debug: [UInt8]?
    /// What the module says about itself.
    public var section: ModuleSection
    /// What it covers and why.
    public var coverage: CoverageReport
    /// How long the steps took.
    public var timings: GuestBuildTimings
}

/// A store build that was just recorded.
public struct RegisteredBuild: Sendable {
    /// What `build.json` says.
    public var manifest: BuildManifest
    /// The module that ships in the app.
    public var base: [UInt8]
    /// The folder that both were written to.
    public var folder: URL
    /// Whether the very same build had been registered before.
    public var wasKnown: Bool
    /// Routed functions that do not compile as guest code as they are, and why.
    public var notInBase: [CoverageReport.Problem]
}

/// An app's folder with its `openpatch.json`: all that `patchcli` does to sources.
public struct PatchProject: Sendable {
    /// The folder that holds `openpatch.json`.
    public let folder: URL
    /// What that file says.
    public let configuration: ProjectConfiguration
    /// How modules are built.
    public var guestOptions: GuestBuildOptions
    /// Whether modules have to run without the app around them: nothing is called natively, and
    /// Unicode's tables are linked. For tools that compare functions with native ones.
    public var standsAlone = false

    /// Opens the project in `folder`.
    /// - Throws: ``PatchProjectError``.
    public init(folder: URL, guestOptions: GuestBuildOptions = GuestBuildOptions()) throws {
        self.folder = folder
        self.guestOptions = guestOptions
        configuration = try ProjectConfiguration(folder: folder)
    }

    /// Routes all functions that can be.
    /// - Throws: ``PatchProjectError``.
    @discardableResult
    public func prepare() throws -> PrepareReport {
        try Preparer(folder: folder, configuration: configuration).prepare()
    }

    /// Restores the sources byte for byte.
    /// - Throws: ``PatchProjectError``.
    @discardableResult
    public func unprepare() throws -> PrepareReport {
        try Preparer(folder: folder, configuration: configuration).unprepare()
    }

    /// The fingerprint of the working tree, prepared or not.
    /// - Throws: ``PatchProjectError``.
    public func fingerprint() throws -> Fingerprint {
        let code = try AppCode(folder: folder, configuration: configuration)
        return code.fingerprint
    }

    /// Every function and property that stays native, and why.
    /// - Throws: ``PatchProjectError``.
    public func refusals() throws -> [Refusal] {
        try AppCode(folder: folder, configuration: configuration).scan.refusals
    }

    /// All registered builds, oldest first.
    /// - Throws: ``PatchProjectError``.
    public func manifests() throws -> [BuildManifest] {
        try BuildManifest.all(in: folder)
    }

    /// The registered build whose fingerprint begins with `prefix`; the latest when that is nil.
    /// - Throws: ``PatchProjectError`` `build_unknown`.
    public func manifest(fingerprint prefix: String? = nil) throws -> BuildManifest {
        let all = try manifests()
        if let prefix {
            let found = all.filter { $0.fingerprint.hasPrefix(prefix.lowercased()) }
            if found.count == 1 { return found[0] }
            throw PatchProjectError(
                .buildUnknown,
                found.isEmpty
                    ? "no registered build has the fingerprint '\(prefix)'; `patchcli "
                        + "fingerprint show` names those that there are"
                    : "'\(prefix)' begins \(found.count) fingerprints; give more digits")
        }
        guard let latest = all.last else {
            throw PatchProjectError(
                .buildUnknown,
                "no build is registered; run `patchcli fingerprint register` when you build for "
                    + "the store, and commit \(BuildManifest.folder)")
        }
        return latest
    }

    /// Where the manifest and `base.wasm` of a build lie.
    public func buildFolder(_ manifest: BuildManifest) -> URL {
        folder.appendingPathComponent(BuildManifest.folder)
            .appendingPathComponent(manifest.short)
    }

    /// The module that a build ships with.
    /// - Throws: ``PatchProjectError`` `manifest_invalid` when it is not there or another one.
    public func baseModule(of manifest: BuildManifest) throws -> [UInt8] {
        let file = buildFolder(manifest).appendingPathComponent(BuildManifest.baseFileName)
        let bytes = (try? Data(contentsOf: file)).map { [UInt8]($0) } ?? []
        guard SHA256.hash(bytes).hex == manifest.base else {
            throw PatchProjectError(
                .manifestInvalid,
                "\(BuildManifest.folder)/\(manifest.short)/\(BuildManifest.baseFileName) is not "
                    + "the module that the build was registered with. Restore it from version "
                    + "control")
        }
        return bytes
    }

    /// Where what may be thrown away is written; ignored by version control.
    public var outputFolder: URL { folder.appendingPathComponent(".openpatch/out") }
}
