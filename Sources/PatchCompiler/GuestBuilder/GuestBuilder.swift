import Foundation

/// Makes guest modules from Swift files with `@_cdecl` exports.
///
/// Embedded Swift, whole module, `-O`, linked as a reactor with the guest runtime that ships as
/// source; see `Docs/guests.md`. The same sources and toolchain give the same bytes anywhere.
public struct GuestBuilder: Sendable {
    public let toolchain: Toolchain
    public let options: GuestBuildOptions

    public init(toolchain: Toolchain, options: GuestBuildOptions = GuestBuildOptions()) {
        self.toolchain = toolchain
        self.options = options
    }
}
