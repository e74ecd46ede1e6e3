/// Why a function or property stays native.
public struct Refusal: Sendable, Equatable, CustomStringConvertible {
    /// A stable name of the reason, as `audit` counts them.
    public enum Reason: String, Sendable, CaseIterable {
        case isAsync = "async"
        case isThrowing = "throws"
        case errorType = "error_type"
        case hiddenTypes = "hidden_types"
        case isGeneric = "generic"
        case genericContext = "generic_context"
        case variadicParameter = "variadic_parameter"
        case unnamedParameter = "unnamed_parameter"
        case parameterAttribute = "parameter_attribute"
        case parameterType = "parameter_type"
        case tooManyParameters = "too_many_parameters"
        case resultType = "result_type"
        case noResult = "no_result"
        case needsInstance = "needs_instance"
        case initializer
        case subscriptMember = "subscript"
        case setter
        case observer
        case extendedType = "extended_type"
        case conditionalCompilation = "conditional_compilation"
        case attribute
        case modifier
        case overloaded
        case noBody = "no_body"
    }

    /// The declaration, as in `Cart.total(of:)`.
    public var name: String
    /// Where it is.
    public var place: SourcePlace
    /// The reason by name.
    public var reason: Reason
    /// What exactly stands in the way: a type, an attribute; may be empty.
    public var detail: String

    /// Place, name and why, in one line.
    public var description: String { "\(place): \(name) stays native: \(message)" }

    /// A sentence for people.
    public var message: String {
        switch reason {
        case .isAsync: "it uses '\(detail)', which a module has no counterpart of"
        case .isThrowing: "it throws what '\(detail)' throws"
        case .errorType: "errors of type \(detail) do not cross from a module"
        case .hiddenTypes: "it mentions types that are private in different types (\(detail))"
        case .isGeneric: "it is generic, or has an opaque parameter"
        case .genericContext: "it belongs to a generic type or a constrained extension"
        case .variadicParameter: "'\(detail)' is variadic"
        case .unnamedParameter: "a parameter has no name to pass on"
        case .parameterAttribute: "a parameter has the attribute or specifier '\(detail)'"
        case .parameterType: "values of the parameter type \(detail) do not cross into a module"
        case .tooManyParameters: "it has more than \(FunctionScanner.maximumParameters) parameters"
        case .resultType: "values of the result type \(detail) do not cross from a module"
        case .noResult: "it returns nothing and changes no value, and a module has no other effect"
        case .needsInstance: "it works on an instance of \(detail), which does not cross"
        case .initializer:
            detail.isEmpty
                ? "initialisers of classes stay native"
                : "it cannot give '\(detail)' a value, which has one already"
        case .subscriptMember: "subscripts that throw or wait stay native"
        case .setter: "its setter stays native, since it changes no value that crosses"
        case .observer: "it has observers or special accessors"
        case .extendedType: "'\(detail)' may be a protocol or generic"
        case .conditionalCompilation: "it depends on #if"
        case .attribute: "it has the attribute '\(detail)'"
        case .modifier: "it is '\(detail)'"
        case .overloaded: "another declaration has the same name and labels"
        case .noBody: "it has no body"
        }
    }
}
