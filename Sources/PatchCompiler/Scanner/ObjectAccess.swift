import ModuleABI
import SwiftSyntax

// How modules reach the objects of the app: what is stored in them, and how they are made, as
// native functions (patching.md §3, "Accessor tables").
extension FunctionScanner.FileWalk {
    /// Adds the accessors of a property that is stored in objects.
    mutating func addAccessors(_ node: VariableDeclSyntax, _ context: TypeContext) {
        guard let (entry, receiver) = objects(context), node.bindings.count == 1,
            !FunctionScanner.isStatic(node.modifiers), Self.isPlain(node.attributes),
            let binding = node.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
            Self.isStored(binding), let type = scanner.types.shapes.type(of: binding, in: entry),
            type.named.allSatisfy({ scanner.types.type($0) != nil })
        else { return }
        let path = context.name(FunctionScanner.plain(name))
        declared.append("\(file.module)|\(path)|\(DeclarationID.Kind.getter.rawValue)")
        var accessors = [
            function(
                node, context, path, .getter, callee: name.text, receiver: receiver, result: type,
                isHidden: TypeContext.isHidden(node.modifiers, setting: false))
        ]
        if node.bindingSpecifier.text == "var", !scanner.types.holdsFunction(type) {
            var setter = function(
                node, context, path, .setter, callee: name.text, receiver: receiver, result: nil,
                isHidden: TypeContext.isHidden(node.modifiers))
            setter.parameters = [.init(label: nil, name: "newValue", type: type)]
            accessors.append(setter)
        }
        natives += accessors.compactMap { callable($0, Syntax(node), context) }
    }

    /// Adds an initialiser of a class.
    mutating func addConstructor(
        _ node: InitializerDeclSyntax, _ path: String, _ context: TypeContext
    ) {
        guard let (_, receiver) = objects(context), node.genericParameterClause == nil,
            node.genericWhereClause == nil, node.body != nil,
            node.signature.effectSpecifiers?.asyncSpecifier == nil,
            let parameters = try? scanner.parameters(node.signature.parameterClause, context),
            !parameters.contains(where: { scanner.types.holdsFunction($0.type) }),
            let throwing = try? scanner.throwing(
                node.signature.effectSpecifiers?.throwsClause, context)
        else { return }
        var made = function(
            node, context, path, .initializer, callee: context.path.joined(separator: "."),
            receiver: nil, result: node.optionalMark == nil ? receiver : .optional(receiver),
            isHidden: TypeContext.isHidden(node.modifiers))
        made.parameters = parameters
        made.throwing = throwing
        if let made = callable(made, Syntax(node), context) { natives.append(made) }
    }

    /// The class around a declaration, when its objects cross.
    private func objects(_ context: TypeContext) -> (entry: AppTypes.Entry, type: ABIType)? {
        guard context.isReference, context.refusal == nil, !context.isConditional,
            let type = scanner.types.readerWithObjects.receiver(
                context.path, at: scanner.place(context)),
            let entry = scanner.types.readerWithObjects.entry(
                context.path, at: scanner.place(context))
        else { return nil }
        return (entry, type)
    }

    private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return true }
        guard case .accessors(let accessors) = block.accessors else { return false }
        return accessors.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// Whether attributes leave a property one that can be read and assigned to wherever its class
    /// can be: a wrapper may forbid the one, an actor the other.
    private static func isPlain(_ attributes: AttributeListSyntax) -> Bool {
        TypeContext.names(attributes).isSubset(of: [
            "objc", "nonobjc", "Published", "NSManaged", "ObservationIgnored", "MainActor",
            "nonisolated", "usableFromInline",
        ])
    }

    private func function(
        _ node: some SyntaxProtocol, _ context: TypeContext, _ path: String,
        _ kind: DeclarationID.Kind, callee: String, receiver: ABIType?, result: ABIType?,
        isHidden: Bool
    ) -> RoutableFunction {
        var function = RoutableFunction(
            id: DeclarationID.function(module: file.module, path: path, kind: kind),
            module: file.module, path: path, kind: kind,
            receiver: receiver.map { .init(type: $0, isMutating: false) }, parameters: [],
            result: result, callee: callee, place: file.place(of: node), declaration: Syntax(node),
            body: Syntax(node), gateOffset: 0, codeFollowsOnLine: false, returnOffset: nil,
            bodyHash: "")
        function.isHidden = isHidden || context.isHidden
        function.owner = context.path.joined(separator: ".")
        function.executor = scanner.isolation.executor(of: Syntax(node), context)
        function.makesObject = kind == .initializer
        return function
    }

    private func callable(
        _ function: RoutableFunction, _ node: Syntax, _ context: TypeContext
    ) -> RoutableFunction? {
        guard let home = try? scanner.home(function.types) else { return nil }
        var function = function
        function.home = home
        return NativeCode.isCallable(function, node, context) ? function : nil
    }
}
