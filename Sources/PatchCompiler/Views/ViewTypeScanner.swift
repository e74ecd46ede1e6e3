import SwiftSyntax

/// A type that holds dynamic properties, or a view that a host can mount.
struct ViewType {
    /// The name with the types around it, `Outer.Inner`.
    var path: String
    var isView: Bool
    var isPreviewProvider: Bool
    var isApp: Bool
    var isGeneric: Bool
    /// Whether code elsewhere in the file can name the type: it is neither a function's own nor
    /// private to another type.
    var isReachable: Bool
    /// Offset of the brace that closes the type, in UTF-8.
    var closeOffset: Int
    /// Whether that brace stands on the line of the last member.
    var closesInLine: Bool
    /// Properties that are linked, in order.
    var linked: [Linked] = []
    /// Arguments of the memberwise initialiser that must be given, in order; nil when the type
    /// cannot be made by it.
    var required: [Property]? = []

    struct Property: Equatable {
        var name: String
        var type: String
    }

    struct Linked {
        var name: String
        /// As declared, when its value goes to the next module.
        var state: PatternBindingSyntax?
    }
}

/// Finds the views of a file and what has to be generated for them.
final class ViewTypeScanner: SyntaxVisitor {
    private(set) var types: [ViewType] = []
    private var path: [String] = []
    private var isGeneric = [false]
    /// Whether the types around are private to others.
    private var isPrivate = [false]
    /// Depth of functions.
    private var functions = 0

    init() { super.init(viewMode: .sourceAccurate) }

    /// Wrappers that are connected to a place before the body runs.
    private static let dynamic: Set<String> = [
        "State", "StateObject", "ObservedObject", "EnvironmentObject", "Environment", "FocusState",
        "SceneStorage",
    ]
    /// Wrappers whose values go to the next module.
    static let kept: Set<String> = ["State", "SceneStorage"]
    /// Wrappers that need no argument of the initialiser.
    private static let selfMade: Set<String> = [
        "EnvironmentObject", "Environment", "FocusState", "AppStorage", "SceneStorage",
    ]

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        let isOwn = !path.isEmpty && node.modifiers.contains { $0.name.text == "private" }
        isPrivate.append((isPrivate.last ?? false) || isOwn)
        path.append(node.name.text)
        isGeneric.append((isGeneric.last ?? false) || node.genericParameterClause != nil)
        let conformances = Set(
            (node.inheritanceClause?.inheritedTypes ?? []).map { $0.type.trimmedDescription })
        var type = ViewType(
            path: path.joined(separator: "."),
            isView: conformances.contains("View"),
            isPreviewProvider: conformances.contains("PreviewProvider"),
            isApp: conformances.contains("App"),
            isGeneric: isGeneric.last ?? false,
            isReachable: functions == 0 && isPrivate.last == false,
            closeOffset: node.memberBlock.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset,
            closesInLine: !node.memberBlock.rightBrace.leadingTrivia.contains(where: \.isNewline))
        for member in node.memberBlock.members { read(member.decl, &type) }
        let isInteresting =
            type.isView || type.isPreviewProvider || type.isApp || !type.linked.isEmpty
        if isInteresting { types.append(type) }
        return .visitChildren
    }

    override func visitPost(_ node: StructDeclSyntax) { leave() }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name, node.modifiers)
    }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name, node.modifiers)
    }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        path.append(node.extendedType.trimmedDescription)
        isGeneric.append(false)
        isPrivate.append(false)
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
        functions += 1
        return .visitChildren
    }
    override func visitPost(_ node: CodeBlockSyntax) { functions -= 1 }

    private func enter(
        _ name: TokenSyntax, _ modifiers: DeclModifierListSyntax
    ) -> SyntaxVisitorContinueKind {
        let isOwn = !path.isEmpty && modifiers.contains { $0.name.text == "private" }
        isPrivate.append((isPrivate.last ?? false) || isOwn)
        path.append(name.text)
        isGeneric.append(isGeneric.last ?? false)
        return .visitChildren
    }

    private func leave() {
        path.removeLast()
        isGeneric.removeLast()
        isPrivate.removeLast()
    }

    private func read(_ declaration: DeclSyntax, _ type: inout ViewType) {
        if declaration.is(InitializerDeclSyntax.self) { type.required = nil }
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.isStored,
            !variable.isStatic
        else { return }
        let wrapper = variable.propertyWrapper
        for binding in variable.bindings {
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { continue }
            if let wrapper, Self.dynamic.contains(wrapper) {
                let state = Self.kept.contains(wrapper) ? binding : nil
                type.linked.append(.init(name: name, state: state))
            }
            let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
            let typeText = binding.typeAnnotation?.type.trimmedDescription
            let isMade =
                binding.initializer != nil
                || isVariable && (typeText?.hasSuffix("?") ?? false)
                || wrapper.map { Self.selfMade.contains($0) } ?? false
            if isMade { continue }
            if let typeText, wrapper == nil {
                type.required?.append(ViewType.Property(name: name, type: typeText))
            } else {
                type.required = nil
            }
        }
    }
}
