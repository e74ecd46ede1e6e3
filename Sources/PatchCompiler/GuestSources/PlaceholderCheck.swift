/// Embedded Swift prints a placeholder for a value that has no description of its own, without a
/// word at compile time. The text's presence in a module tells that something prints it.
enum PlaceholderCheck {
    private static let placeholder = Array("(cannot print value in embedded Swift)".utf8)

    /// - Throws: ``PatchProjectError`` `cannot_ship`.
    static func check(_ wasm: [UInt8], _ functions: [RoutableFunction]) throws {
        guard contains(wasm) else { return }
        throw PatchProjectError(
            .cannotShip,
            "something interpolates a struct or enum that has no description, which a module "
                + "would print as a placeholder; give the type a `description`, or interpolate "
                + "its parts",
            at: functions.map(\.place))
    }

    static func contains(_ wasm: [UInt8]) -> Bool {
        guard wasm.count >= placeholder.count else { return false }
        return (0...wasm.count - placeholder.count).contains {
            wasm[$0] == placeholder[0]
                && wasm[$0..<$0 + placeholder.count].elementsEqual(placeholder)
        }
    }
}
