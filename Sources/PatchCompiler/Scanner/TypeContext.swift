import SwiftSyntax

/// The types that enclose a declaration.
struct TypeContext {
    var module: String
    /// Index of the file.
    var file: Int
    /// Type path, as in `Cart.Line`; empty on file level.
    var path: [String] = []
    /// Why nothing in here can be routed.
    var refusal: (reason: Refusal.Reason, detail: String)?
    /// Whether an `#if` stands around.
    var isConditional = false
    /// Whether the innermost type is a class or actor.
    var isReference = false
    /// Whether members may belong to the main actor: the type says so, or does not say otherwise.
    var mayBeMain = false
    /// Whether it, or what stands around it, is kept to its file.
    var isHidden = false
    /// Whether it is not there on every system that the app runs on.
    var isLimited = false
    /// Paths in which names are looked up, innermost first.
    var scopes: [[String]] = []

    var isFileLevel: Bool { path.isEmpty }

    /// The full name of a member.
    func name(_ member: String) -> String { (path + [member]).joined(separator: ".") }

    /// The context inside a nominal type.
    func entering(_ declaration: some DeclGroupSyntax, named name: TokenSyntax, generic: Bool)
        -> TypeContext
    {
        var inner = self
        inner.path.append(name.text)
        inner.scopes.insert(inner.path, at: 0)
        inner.isReference =
            declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self)
        inner.note(declaration.modifiers, declaration.attributes)
        if generic { inner.refuse(.genericContext, name.text) }
        if let attribute = Self.refusedAttribute(declaration.attributes) {
            inner.refuse(.attribute, attribute)
        }
        return inner
    }

    /// The context inside an extension. `known` are the app's own types by path, true when
    /// generic or a protocol.
    func entering(_ declaration: ExtensionDeclSyntax, known: [String: Bool]) -> TypeContext {
        var inner = self
        let name = declaration.extendedType.trimmedDescription
        inner.path += name.split(separator: ".").map(String.init)
        inner.scopes = [inner.path]
        inner.note(declaration.modifiers, declaration.attributes)
        if declaration.genericWhereClause != nil {
            inner.refuse(.genericContext, name)
        } else if let isGeneric = known[name] {
            if isGeneric { inner.refuse(.genericContext, name) }
        } else if !Self.plainLibraryTypes.contains(name) {
            inner.refuse(.extendedType, name)
        }
        if let attribute = Self.refusedAttribute(declaration.attributes) {
            inner.refuse(.attribute, attribute)
        }
        return inner
    }

    private mutating func note(
        _ modifiers: DeclModifierListSyntax, _ attributes: AttributeListSyntax
    ) {
        if Self.isHidden(modifiers) { isHidden = true }
        if Self.names(attributes).contains("available") { isLimited = true }
    }

    /// Whether a modifier keeps a declaration, or setting it, to its file or type.
    static func isHidden(_ modifiers: DeclModifierListSyntax, setting: Bool = true) -> Bool {
        modifiers.contains {
            ["private", "fileprivate"].contains($0.name.text) && (setting || $0.detail == nil)
        }
    }

    static func names(_ attributes: AttributeListSyntax) -> Set<String> {
        Set(
            attributes.compactMap {
                $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription
            })
    }

    mutating func refuse(_ reason: Refusal.Reason, _ detail: String) {
        if refusal == nil { refusal = (reason, detail) }
    }

    private static let plainLibraryTypes = Set(
        ABIType.Integer.allCases.map(\.rawValue)
            + [
                "Bool", "Float", "Double", "String", "Character", "Substring", "UnicodeScalar",
            ]
            + ABIType.Foundation.allCases.map(\.rawValue))

    /// Attributes that leave a function an ordinary one.
    private static let harmlessAttributes: Set<String> = [
        "MainActor", "Sendable", "available", "concurrent", "discardableResult", "frozen", "inline",
        "main", "nonobjc", "objc", "objcMembers", "preconcurrency", "usableFromInline",
        "dynamicMemberLookup", "observable", "Observable", "unchecked",
    ]

    /// The first attribute that may change what a body means, such as a result builder.
    static func refusedAttribute(_ attributes: AttributeListSyntax) -> String? {
        for element in attributes {
            guard let attribute = element.as(AttributeSyntax.self) else {
                return "#if"
            }
            let name = attribute.attributeName.trimmedDescription
            if !harmlessAttributes.contains(name) { return "@" + name }
        }
        return nil
    }
}
