import SwiftSyntax

/// One declaration of the app: the unit that is compared with a build and compiled into a module.
struct Declaration {
    enum Kind: String {
        case function, computed, constant, variable
        case method, property, storedProperty = "stored"
        case initializer = "init"
        case subscriptMember = "subscript"
        case deinitializer = "deinit"
        case enumCase = "case"
        case type, extensionHeader = "extension", protocolType = "protocol", alias
        case script, operatorName = "operator", other

        /// Whether it is part of what a type is, so that it goes wherever the type goes.
        var isStructural: Bool {
            switch self {
            case .storedProperty, .initializer, .subscriptMember, .deinitializer, .enumCase: true
            default: false
            }
        }
    }

    enum TypeKind { case structure, enumeration, classType, actorType }

    var kind: Kind
    /// Base names: several for `let a = 1, b = 2` and `case a, b`.
    var names: [String]
    /// For people, as in `Cart.total(of:)`.
    var path: String
    /// Unique in the app, and the same for the same declaration in another version of it.
    var key: String
    /// The types around it, as in `["Cart", "Line"]`.
    var container: [String]
    /// Index of the type or extension that it is written in.
    var parent: Int?
    /// Index in the list of files.
    var file: Int
    var node: Syntax
    var place: SourcePlace
    /// Hash of its tokens; of a type, without its members; of a routed function, without its body.
    var hash: String
    var references: References
    /// The routed functions that it is: a property may have two.
    var routed: [RoutableFunction] = []
    /// The view whose body it is.
    var view: RoutableView?
    /// The functions that it is and that modules may call natively.
    var natives: [RoutableFunction] = []
    var isStatic = false
    var isOverride = false
    /// Whether it stands inside `#if`.
    var isConditional = false
    /// Attributes by name.
    var attributes: [String] = []
    /// What a type or extension inherits from or conforms to.
    var inherited: [String] = []
    var typeKind: TypeKind?

    /// What code calls without naming it, when it has a value of the type.
    static let unnamed: Set<String> = [
        "callAsFunction", "wrappedValue", "projectedValue", "dynamicallyCall", "buildBlock",
        "buildExpression", "buildOptional", "buildEither", "buildArray", "buildFinalResult",
        "buildPartialBlock", "buildLimitedAvailability",
    ]

    /// How a subscript is mentioned, as in `[safe:]`.
    static func subscriptName(_ labels: [String]) -> String {
        "[" + labels.map { $0 == "_" ? "_" : $0 + ":" }.joined() + "]"
    }

    /// The type path that it makes or extends.
    var typePath: [String] { container + (kind == .extensionHeader ? [] : names) }
}
