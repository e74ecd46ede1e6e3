import Foundation
import ModuleABI

/// The files that `prepare` adds beside the developer's own.
enum GeneratedFiles {
    static let surfaceFileName = "OpenPatchSurface.swift"

    static let header = """
        // Written by `patchcli prepare`; do not edit. \(Marks.generated)
        // swift-format-ignore-file
        // swiftlint:disable all
        import PatchSDK

        """

    /// The path of the helpers for the routed functions of a file.
    static func helperPath(for path: String) -> String {
        String(path.dropLast(".swift".count)) + "+OpenPatch.swift"
    }

    /// The helpers for the routed functions of one file.
    static func helpers(_ functions: [RoutableFunction], gates: [UInt64: Int]) -> String {
        header
            + functions.map { "\n" + GateCode.helpers($0, gate: gates[$0.id] ?? 0) + "\n" }.joined()
    }

    /// The surface: what the app offers to modules, readable in the running program.
    static func surface(_ functions: [RoutableFunction], gates: [UInt64: Int], surface: String)
        -> String
    {
        header + """

            @_cdecl("openpatch_surface_v1")
            public func op_surface_v1() -> UnsafePointer<CChar> {
                UnsafeRawPointer(op_surface_text.utf8Start).assumingMemoryBound(to: CChar.self)
            }

            private let op_surface_text: StaticString = #"\(json(functions, gates, surface))"#

            """
    }

    /// `{"v":1,"fp_surface":…,"functions":[{"id":…,"gate":…,"sig":…}]}`.
    static func json(
        _ functions: [RoutableFunction], _ gates: [UInt64: Int], _ surface: String
    ) -> String {
        let entries = functions.sorted { $0.id < $1.id }.map {
            "{\"id\":\"\($0.hexID)\",\"gate\":\(gates[$0.id] ?? 0),"
                + "\"sig\":\"\(DeclarationID.hex16($0.signature))\"}"
        }
        return "{\"v\":1,\"fp_surface\":\"\(surface)\",\"functions\":["
            + entries.joined(separator: ",") + "]}"
    }
}
