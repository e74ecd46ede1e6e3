import Foundation
import ModuleABI

extension PatchProject {
    /// Records the working tree as a store build: its manifest and `base.wasm`.
    ///
    /// Registering the same build again changes nothing.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError``.
    public func registerBuild() throws -> RegisteredBuild {
        throw PatchProjectError(.cannotCompile, "registering builds is being built")
    }

    /// Builds the module that brings a store build to the working tree.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError``.
    public func buildModule(
        for manifest: BuildManifest, release: ReleaseIdentity
    ) throws -> BuiltModule {
        throw PatchProjectError(.cannotCompile, "building modules is being built")
    }
}
