import ModuleABI
import SwiftSyntax

/// A function or computed property whose calls `prepare` routes.
struct RoutableFunction {
    struct Parameter {
        /// The argument label of a call; nil for none.
        var label: String?
        /// The name inside the body, with backticks where written.
        var name: String
        var type: ABIType
    }

    var id: UInt64
    var module: String
    /// Type path and full name, as in `Cart.total(of:)`.
    var path: String
    var kind: DeclarationID.Kind
    var parameters: [Parameter]
    var result: ABIType
    /// How a call begins, as in `Cart.total`.
    var callee: String
    var place: SourcePlace
    /// The declaration: a function or a variable.
    var declaration: Syntax
    /// What `prepare` must not touch and the body hash is taken over.
    var body: Syntax
    /// Offset right after the brace that opens the body, in UTF-8.
    var gateOffset: Int
    /// Whether code follows that brace on its line.
    var codeFollowsOnLine: Bool
    /// Where `return` must be written for the body to keep its meaning after a statement.
    var returnOffset: Int?
    var bodyHash: String

    var hexID: String { DeclarationID.hex16(id) }

    var signature: UInt64 {
        SignatureHash.function(
            parameters: parameters.map(\.type.canonical), results: [result.canonical])
    }

    /// Whether every argument crosses as a wasm scalar of its own.
    var takesScalars: Bool { parameters.allSatisfy { $0.type.isScalar } }

    /// `Module.Type.name(labels:)`, for people.
    var displayName: String { path }
}
