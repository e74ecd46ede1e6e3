import Foundation
import ViewTree

/// A view of the tree as the inspector lists it.
struct PreviewOutline: Encodable {
    var name: String
    var detail: String
    var modifiers: [String]
    var children: [PreviewOutline]

    static func outline(_ nodes: [ViewNode]) -> [PreviewOutline] {
        nodes.map { node in
            PreviewOutline(
                name: node.view.name, detail: arguments("\(node.view)"),
                modifiers: node.modifiers.map {
                    let detail = arguments("\($0.modifier)")
                    return ".\($0.modifier.name)" + (detail.isEmpty ? "" : "(\(detail))")
                },
                children: node.parts.flatMap { outline($0) })
        }
    }

    /// The part between the brackets of how Swift prints a case, without the names of modules.
    private static func arguments(_ printed: String) -> String {
        guard let open = printed.firstIndex(of: "("), printed.hasSuffix(")") else { return "" }
        let inner = String(printed[printed.index(after: open)...].dropLast())
        var text = inner
        for noise in ["ViewTree.", "Tree.", "Optional"] {
            text = text.replacingOccurrences(of: noise, with: "")
        }
        return String(text.prefix(160))
    }
}
