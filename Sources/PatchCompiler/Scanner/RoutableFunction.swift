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
        var isAsync = false
        var form = Form.named
        /// Whether a modifier keeps it to its file or type.
        var isHidden = false
    }

    /// How a call is written.
    enum Form { case named, infix, prefix, postfix, subscripted }

    /// Where a call of it may run.
    enum Executor { case any, main }

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
    var isAsync = false
    var form = Form.named
    var executor = Executor.any
    /// Whether only its file, or a type in it, can name it.
    var isHidden = false
    /// Whether objects of the app are among what it takes.
    var takesObjects = false
    /// Whether it is an initialiser of a class.
    var makesObject = false
    /// The path of the type that it is a member of; empty on file level.
    var owner = ""
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
        if isAsync { results.append("async") }
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

    /// Whether a call of it changes nothing, as far as its kind tells.
    var isRead: Bool { !isAsync && (kind == .getter || kind == .staticGetter) }

    /// Whether every argument crosses as a wasm scalar of its own.
    var takesScalars: Bool { arguments.allSatisfy { $0.type.isScalar } }

    /// The types of all that crosses.
    var types: [ABIType] {
        var types = arguments.map(\.type) + outputs
        if case .typed(let error) = throwing { types.append(error) }
        return types
    }

    /// A call of it with arguments that have these names.
    func call(_ names: [String]) -> String {
        switch form {
        case .infix: return "\(names[0]) \(callee) \(names[1])"
        case .prefix: return callee + names[0]
        case .postfix: return names[0] + callee
        case .named, .subscripted: break
        }
        let all = zip(arguments, names).map { ($0.isInout ? "&" : "") + $1 }
        let own = receiver == nil ? all : Array(all.dropFirst())
        let base = receiver == nil ? "" : names[0]
        let list = zip(parameters, own).map { parameter, argument in
            (parameter.label.map { Self.label($0) + ": " } ?? "") + argument
        }
        if form == .subscripted {
            let place = receiver == nil ? callee : base
            guard kind == .setter else { return "\(place)[\(list.joined(separator: ", "))]" }
            return "\(place)[\(list.dropLast().joined(separator: ", "))] = \(own[own.count - 1])"
        }
        let member = receiver == nil ? callee : "\(base).\(callee)"
        switch kind {
        case .getter, .staticGetter: return member
        case .setter: return "\(member) = \(own[0])"
        default: return "\(member)(\(list.joined(separator: ", ")))"
        }
    }

    /// A label as calls write it: few keywords need backticks there.
    private static func label(_ text: String) -> String {
        let plain = text.filter { $0 != "`" }
        return ["inout", "var", "let"].contains(plain) ? text : plain
    }

    /// `Module.Type.name(labels:)`, for people.
    var displayName: String { path }
}
