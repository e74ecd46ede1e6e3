import ModuleABI
import SwiftSyntax

/// A view of the app whose body `prepare` routes.
struct RoutableView {
    /// A stored property that whoever makes the view gives it.
    struct Property {
        /// As written, with backticks.
        var name: String
        var type: ABIType
        /// Whether it binds a value that somebody else owns.
        var isBinding = false
    }

    /// State of the view that crosses, so that a module takes it over and gives it back.
    struct State {
        var name: String
        var type: ABIType
    }

    var id: UInt64
    var module: String
    /// Type path, as in `Cart.Screen`.
    var path: String
    var place: SourcePlace
    /// The declaration of `body`.
    var declaration: Syntax
    /// What `prepare` must not touch and the body hash is taken over.
    var body: Syntax
    var bodyHash: String
    /// Offset right after the brace that opens the body, in UTF-8.
    var openOffset: Int
    /// Offset of the brace that closes it.
    var closeOffset: Int
    /// In the order of the memberwise initialiser.
    var properties: [Property]
    var states: [State]

    var hexID: String { DeclarationID.hex16(id) }
    var displayName: String { path + ".body" }

    /// The id of the view of a type.
    static func id(module: String, path: String) -> UInt64 {
        DeclarationID.hash("\(module)|\(path).body|view")
    }

    /// What a module must give and take; state is matched by name and type and does not count.
    var signature: UInt64 {
        SignatureHash.function(
            parameters: properties.map {
                "\($0.name):" + ($0.isBinding ? "binding " : "") + $0.type.canonical
            }, results: ["view"])
    }

    /// The types of all that crosses.
    var types: [ABIType] { properties.map(\.type) + states.map(\.type) }

    /// How state is told apart: hashes of its name and of its type, as Swift writes them.
    static func identity(_ name: String, _ type: ABIType) -> String {
        let plain = name.filter { $0 != "`" }
        return "0x\(DeclarationID.hex16(DeclarationID.hash(plain))), "
            + "0x\(DeclarationID.hex16(DeclarationID.hash(type.canonical)))"
    }
}
