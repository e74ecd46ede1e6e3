import ModuleABI

/// The Swift text that `prepare` writes for one view.
enum ViewGateCode {
    /// What goes right behind the brace that opens the body.
    static func open(_ view: RoutableView) -> String {
        let id = view.hexID
        return Marks.begin(id) + "PatchedBody(op_gate_\(id) ? op_view_\(id)() : nil) {"
            + Marks.end
    }

    /// What goes before the brace that closes it.
    static func close(_ view: RoutableView) -> String { Marks.begin(view.hexID) + "}" + Marks.end }

    /// Whether a module shows the view, on file level of the same module.
    static func gateVariable(_ view: RoutableView, gate: Int) -> String {
        """
        // \(view.displayName)
        @inline(__always) nonisolated var op_gate_\(view.hexID): Bool { \
        patch_gate_is_open(\(gate)) }

        """
    }

    /// What the block with ``call(_:)`` imports.
    static let imports = """
        import struct PatchSDK.PatchedValue
        import struct PatchSDK.PatchedView
        import struct PatchSwiftUI.PatchedBody

        """

    /// The function that tells a module what the view holds; in the view's file, because only that
    /// can name what is private.
    static func call(_ view: RoutableView) -> String {
        let properties = view.properties.map { property in
            "; " + ValueCode.encode(property.type, "self.\(property.name)", to: "writer")
        }.joined()
        let bindings = view.properties.filter(\.isBinding).map { ($0.name, $0.type, true) }
        let values = (bindings + view.states.map { ($0.name, $0.type, false) }).map {
            (name, type, isBinding) in
            "            PatchedValue(\(RoutableView.identity(name, type)), "
                + "isBinding: \(isBinding),\n"
                + "                write: { writer in "
                + ValueCode.encode(type, "self.\(name)", to: "writer") + " },\n"
                + "                read: { reader in self.\(name) = "
                + ValueCode.decode(type, from: "reader", on: .app) + " }),\n"
        }.joined()
        let list = values.isEmpty ? "[]" : "[\n\(values)        ]"
        return """
            extension \(view.path) {
                fileprivate func op_view_\(view.hexID)() -> PatchedView {
                    PatchedView(
                        0x\(view.hexID),
                        properties: { writer in writer.arrayHeader(\(view.properties.count))\
            \(properties) },
                        values: \(list))
                }
            }

            """
    }
}
