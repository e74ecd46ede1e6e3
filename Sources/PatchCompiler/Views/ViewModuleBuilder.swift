import Foundation
import ModuleABI

/// A module that shows views.
public struct ViewModule: Sendable {
    /// The module to ship or to show.
    public var module: GuestModule
    /// What can be mounted in it.
    public var views: [PatchedView]
}

/// Makes modules from the sources of views: ordinary SwiftUI, compiled against the guest's own
/// `SwiftUI` (`Docs/internals/views.md`).
public struct ViewModuleBuilder: Sendable {
    /// What compiles and links.
    public var builder: GuestBuilder

    /// What the host calls in a module with views.
    public static let exports = [
        "op_event", "op_mount", "op_render", "op_row", "op_state", "op_unmount", "op_update",
    ]

    /// A builder.
    public init(_ builder: GuestBuilder) { self.builder = builder }

    /// Builds one module from all files of an app's Swift module.
    /// - Parameters:
    ///   - files: the files, as the developer wrote them.
    ///   - module: the app's Swift module.
    ///   - section: what the module says about itself.
    /// - Throws: ``GuestBuildError``; ``PatchProjectError`` `cannot_ship` for what no module can do.
    public func build(
        _ files: [GuestSource], module: String, section: ModuleSection? = nil
    ) throws -> ViewModule {
        let ready = try ViewSources(files, module: module)
        let built = try CompilerDiagnostic.ofDeveloper(files) {
            try builder.build(
                sources: ready.sources, exports: .named(Self.exports), section: section)
        }
        guard !PlaceholderCheck.contains(built.wasm) else {
            throw PatchProjectError(
                .cannotShip,
                "something interpolates a struct or enum that has no description, which a module "
                    + "would show as a placeholder; give the type a `description`, or interpolate "
                    + "its parts",
                at: ready.views.map { SourcePlace(file: $0.file, line: 1) })
        }
        return ViewModule(module: built, views: ready.views)
    }
}
