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
        /// Whether the caller's value changes.
        var isInout = false
    }

    /// What a method works on; it crosses before the parameters.
    struct Receiver {
        var type: ABIType
        var isMutating: Bool
    }

    /// How a function throws.
    enum Throwing {
        case never
        /// Errors of one type of the app.
        case typed(ABIType)
        /// Whatever error of the app.
        case untyped
    }

    /// What a declaration says before its body.
    struct Heading {
        var path: String
        var kind: DeclarationID.Kind
        var receiver: Receiver?
        var parameters: [Parameter]
        var result: ABIType?
        var throwing: Throwing
        var callee: String
    }

    var id: UInt64
    var module: String
    /// Type path and full name, as in `Cart.total(of:)`.
    var path: String
    var kind: DeclarationID.Kind
    var receiver: Receiver?
    var parameters: [Parameter]
    /// Nil when it returns nothing.
    var result: ABIType?
    var throwing = Throwing.never
    /// From where the types of its signature can be named.
    var home = ValueType.Home.anywhere
    /// How a call begins, as in `Cart.total`; of a method only its name.
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

    /// All that crosses into the module, the receiver first.
    var arguments: [Parameter] {
        let own = receiver.map {
            Parameter(label: nil, name: "self", type: $0.type, isInout: $0.isMutating)
        }
        return (own.map { [$0] } ?? []) + parameters
    }

    /// The arguments that come back changed.
    var returned: [Parameter] { arguments.filter(\.isInout) }

    /// What a call that does not throw brings back: the result, then what came changed.
    var outputs: [ABIType] { (result.map { [$0] } ?? []) + returned.map(\.type) }

    var isThrowing: Bool {
        if case .never = throwing { false } else { true }
    }

    /// The one output that crosses as a wasm scalar.
    var scalarOutput: ABIType? {
        guard !isThrowing, outputs.count == 1, outputs[0].isScalar else { return nil }
        return outputs[0]
    }

    var signature: UInt64 {
        var results = result.map { [$0.canonical] } ?? []
        switch throwing {
        case .never: break
        case .typed(let error): results.append("throws " + error.canonical)
        case .untyped: results.append("throws")
        }
        return SignatureHash.function(
            parameters: arguments.enumerated().map { number, argument in
                (argument.isInout ? "inout " : "")
                    + (receiver != nil && number == 0 ? "self " : "") + argument.type.canonical
            }, results: results)
    }

    /// Whether every argument crosses as a wasm scalar of its own.
    var takesScalars: Bool { arguments.allSatisfy { $0.type.isScalar } }

    /// The types of all that crosses.
    var types: [ABIType] {
        var types = arguments.map(\.type) + outputs
        if case .typed(let error) = throwing { types.append(error) }
        return types
    }

    /// `Module.Type.name(labels:)`, for people.
    var displayName: String { path }
}
