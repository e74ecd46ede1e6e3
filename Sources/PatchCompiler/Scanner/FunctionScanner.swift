import ModuleABI
import SwiftSyntax

/// Finds the functions and computed properties that can be routed, and says of every other one
/// why it stays native (patching.md §3).
struct FunctionScanner {
    /// Parameters that a routed function may have.
    static let maximumParameters = 16

    let types: ValueTypes
    private let neverReturning: Set<String>
    private let knownTypes: [String: Bool]
    let isolation: IsolationFacts

    struct Scan {
        var functions: [RoutableFunction] = []
        /// What modules may call natively: most of `functions`, and some that are not routed.
        var natives: [RoutableFunction] = []
        var refusals: [Refusal] = []
        /// Views whose bodies are routed.
        var views: [RoutableView] = []
        /// The app's types, of which these functions need some.
        var types: ValueTypes
    }

    /// Scans all files of the app; names are looked up across them.
    static func scan(_ tree: SourceTree) -> Scan {
        let scanner = FunctionScanner(tree)
        var result = Scan(types: scanner.types)
        var seen: [String: Int] = [:]
        for (number, file) in tree.files.enumerated() {
            var walk = FileWalk(scanner: scanner, file: file)
            walk.visit(
                file.tree.statements, TypeContext(module: file.module, file: number))
            result.functions += walk.functions
            result.natives += walk.natives
            result.refusals += walk.refusals
            for name in walk.declared { seen[name, default: 0] += 1 }
        }
        // An id has no types in it, so overloads by type alone cannot be told apart.
        result.functions.removeAll { function in
            guard seen[FileWalk.key(function), default: 0] > 1 else { return false }
            result.refusals.append(
                Refusal(
                    name: function.path, place: function.place, reason: .overloaded, detail: ""))
            return true
        }
        result.natives.removeAll { seen[FileWalk.key($0), default: 0] > 1 }
        result.views = ViewScanner.scan(tree, result.types)
        let bodies = Set(result.views.map(\.displayName))
        result.refusals.removeAll { bodies.contains($0.name) }
        result.refusals.sort { ($0.place.file, $0.place.line) < ($1.place.file, $1.place.line) }
        return result
    }

    private init(_ tree: SourceTree) {
        types = ValueTypes(tree)
        neverReturning = BodyShape.neverReturningNames(in: tree)
        knownTypes = DeclaredTypes.find(in: tree)
        isolation = IsolationFacts(tree)
    }

    // MARK: - One file

    struct FileWalk {
        let scanner: FunctionScanner
        let file: SourceFile
        var functions: [RoutableFunction] = []
        var natives: [RoutableFunction] = []
        var refusals: [Refusal] = []
        /// Keys of every declaration with a body, routable or not.
        var declared: [String] = []

        init(scanner: FunctionScanner, file: SourceFile) {
            self.scanner = scanner
            self.file = file
        }

        static func key(_ function: RoutableFunction) -> String {
            "\(function.module)|\(function.path)|\(function.kind.rawValue)"
        }

        mutating func visit(_ items: CodeBlockItemListSyntax, _ context: TypeContext) {
            for item in items {
                if let declaration = item.item.as(DeclSyntax.self) { visit(declaration, context) }
            }
        }

        mutating func visit(_ members: MemberBlockItemListSyntax, _ context: TypeContext) {
            for member in members { visit(member.decl, context) }
        }

        mutating func visit(_ declaration: DeclSyntax, _ context: TypeContext) {
            switch declaration.as(DeclSyntaxEnum.self) {
            case .functionDecl(let node): visit(node, context)
            case .variableDecl(let node): visit(node, context)
            case .initializerDecl(let node): visit(node, context)
            case .subscriptDecl(let node): visit(node, context)
            case .structDecl(let node):
                enter(node, node.name, node.genericParameterClause, context)
            case .enumDecl(let node):
                enter(node, node.name, node.genericParameterClause, context)
            case .classDecl(let node):
                enter(node, node.name, node.genericParameterClause, context)
            case .actorDecl(let node):
                enter(node, node.name, node.genericParameterClause, context)
            case .extensionDecl(let node):
                var inner = context.entering(node, known: scanner.knownTypes)
                inner.mayBeMain = scanner.isolation.mayBeMain(
                    inner.path, TypeContext.names(node.attributes))
                visit(node.memberBlock.members, inner)
            case .ifConfigDecl(let node):
                var inner = context
                inner.isConditional = true
                for clause in node.clauses {
                    switch clause.elements {
                    case .statements(let items): visit(items, inner)
                    case .decls(let members): visit(members, inner)
                    default: break
                    }
                }
            default: break
            }
        }

        private mutating func enter(
            _ node: some DeclGroupSyntax, _ name: TokenSyntax,
            _ generics: GenericParameterClauseSyntax?, _ context: TypeContext
        ) {
            var inner = context.entering(node, named: name, generic: generics != nil)
            inner.mayBeMain = scanner.isolation.mayBeMain(
                inner.path, TypeContext.names(node.attributes))
            visit(node.memberBlock.members, inner)
        }

        private mutating func refuse(
            _ name: String, _ node: some SyntaxProtocol, _ reason: Refusal.Reason,
            _ detail: String = ""
        ) {
            refusals.append(
                Refusal(name: name, place: file.place(of: node), reason: reason, detail: detail))
        }

        // MARK: Functions

        private mutating func visit(_ node: FunctionDeclSyntax, _ context: TypeContext) {
            let labels = node.signature.parameterClause.parameters
                .map { $0.firstName.text + ":" }.joined()
            let path = context.name("\(FunctionScanner.plain(node.name))(\(labels))")
            let isStatic = FunctionScanner.isStatic(node.modifiers)
            let kind: DeclarationID.Kind =
                context.isFileLevel ? .function : isStatic ? .staticFunction : .method
            declared.append("\(file.module)|\(path)|\(kind.rawValue)")
            do {
                try scanner.check(context, node.attributes, node.modifiers)
                if node.genericParameterClause != nil || node.genericWhereClause != nil {
                    throw Reason(.isGeneric)
                }
                let effects = node.signature.effectSpecifiers
                let isMutating = node.modifiers.contains { $0.name.text == "mutating" }
                let receiver = try scanner.receiver(
                    context, node.modifiers, isStatic: isStatic, isMutating: isMutating)
                guard let body = node.body else { throw Reason(.noBody) }
                let form = FunctionScanner.form(node)
                try add(
                    node, FunctionScanner.Accessor(items: body.statements, brace: body.leftBrace),
                    RoutableFunction.Heading(
                        path: path, kind: kind, receiver: receiver,
                        parameters: try scanner.parameters(
                            node.signature.parameterClause, context),
                        result: try scanner.result(node.signature.returnClause?.type, context),
                        throwing: try scanner.throwing(effects?.throwsClause, context),
                        callee: receiver == nil && form == .named
                            ? context.name(node.name.text) : node.name.text,
                        isAsync: effects?.asyncSpecifier != nil, form: form,
                        isHidden: TypeContext.isHidden(node.modifiers)),
                    context)
            } catch let reason as Reason {
                refuse(path, node, reason.reason, reason.detail)
            } catch {}
        }

        // MARK: Initialisers

        private mutating func visit(_ node: InitializerDeclSyntax, _ context: TypeContext) {
            let labels = node.signature.parameterClause.parameters
                .map { $0.firstName.text + ":" }.joined()
            let path = context.name("init(\(labels))")
            let kind = DeclarationID.Kind.initializer
            declared.append("\(file.module)|\(path)|\(kind.rawValue)")
            addConstructor(node, path, context)
            do {
                try scanner.check(context, node.attributes, node.modifiers)
                if node.genericParameterClause != nil || node.genericWhereClause != nil {
                    throw Reason(.isGeneric)
                }
                if context.isReference { throw Reason(.initializer) }
                guard
                    let made = try scanner.receiver(
                        context, node.modifiers, isStatic: false, isMutating: false)?.type
                else { throw Reason(.initializer) }
                if let fixed = scanner.types.fixedProperty(of: made) {
                    throw Reason(.initializer, fixed)
                }
                guard let body = node.body else { throw Reason(.noBody) }
                let effects = node.signature.effectSpecifiers
                try add(
                    node, FunctionScanner.Accessor(items: body.statements, brace: body.leftBrace),
                    RoutableFunction.Heading(
                        path: path, kind: kind, receiver: nil,
                        parameters: try scanner.parameters(
                            node.signature.parameterClause, context),
                        result: node.optionalMark == nil ? made : .optional(made),
                        throwing: try scanner.throwing(effects?.throwsClause, context),
                        callee: context.path.joined(separator: "."),
                        isAsync: effects?.asyncSpecifier != nil,
                        isHidden: TypeContext.isHidden(node.modifiers)),
                    context)
            } catch let reason as Reason {
                refuse(path, node, reason.reason, reason.detail)
            } catch {}
        }

        // MARK: Computed properties

        private mutating func visit(_ node: VariableDeclSyntax, _ context: TypeContext) {
            addAccessors(node, context)
            guard node.bindings.count == 1, let binding = node.bindings.first,
                let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
                let block = binding.accessorBlock
            else { return }
            // A stored property with observers is storage, which is native by nature.
            if binding.initializer != nil { return }
            let isStatic = FunctionScanner.isStatic(node.modifiers)
            let path = context.name(FunctionScanner.plain(name))
            let kind: DeclarationID.Kind = isStatic ? .staticGetter : .getter
            declared.append("\(file.module)|\(path)|\(kind.rawValue)")
            do {
                let (getter, setter) = try FunctionScanner.accessors(block)
                try scanner.check(context, node.attributes, node.modifiers)
                let receiver = try scanner.receiver(
                    context, node.modifiers, isStatic: isStatic, isMutating: false)
                guard let type = try scanner.result(binding.typeAnnotation?.type, context) else {
                    throw Reason(.noResult)
                }
                var heading = RoutableFunction.Heading(
                    path: path, kind: kind, receiver: receiver, parameters: [], result: type,
                    throwing: try scanner.throwing(getter.throwsClause, context),
                    callee: receiver == nil ? context.name(name.text) : name.text,
                    isAsync: getter.isAsync, isHidden: TypeContext.isHidden(node.modifiers))
                try add(node, getter, heading, context)
                if let setter { try add(node, setter, &heading, type, context) }
            } catch let reason as Reason {
                refuse(path, node, reason.reason, reason.detail)
            } catch {}
        }

        /// Adds the setter of a property or subscript whose getter has `heading`.
        private mutating func add(
            _ node: some SyntaxProtocol, _ setter: Result<FunctionScanner.Accessor, Reason>,
            _ heading: inout RoutableFunction.Heading, _ type: ABIType, _ context: TypeContext
        ) throws {
            guard heading.receiver != nil else { throw Reason(.setter) }
            let accessor = try setter.get()
            heading.kind = .setter
            heading.receiver?.isMutating = !context.isReference
            heading.parameters.append(
                RoutableFunction.Parameter(label: nil, name: accessor.parameter, type: type))
            heading.result = nil
            heading.throwing = .never
            try add(node, accessor, heading, context)
        }

        private mutating func visit(_ node: SubscriptDeclSyntax, _ context: TypeContext) {
            let labels = FunctionScanner.subscriptLabels(node)
            let path = context.name("subscript(\(labels.map { $0 + ":" }.joined()))")
            let isStatic = FunctionScanner.isStatic(node.modifiers)
            let kind: DeclarationID.Kind = isStatic ? .staticGetter : .getter
            declared.append("\(file.module)|\(path)|\(kind.rawValue)")
            do {
                guard let block = node.accessorBlock else { throw Reason(.noBody) }
                let (getter, setter) = try FunctionScanner.accessors(block)
                try scanner.check(context, node.attributes, node.modifiers)
                if node.genericParameterClause != nil || node.genericWhereClause != nil {
                    throw Reason(.isGeneric)
                }
                if getter.isAsync || getter.throwsClause != nil { throw Reason(.subscriptMember) }
                let receiver = try scanner.receiver(
                    context, node.modifiers, isStatic: isStatic, isMutating: false)
                var parameters = try scanner.parameters(node.parameterClause, context)
                for index in parameters.indices {
                    parameters[index].label = labels[index] == "_" ? nil : labels[index]
                }
                guard let type = try scanner.result(node.returnClause.type, context) else {
                    throw Reason(.noResult)
                }
                var heading = RoutableFunction.Heading(
                    path: path, kind: kind, receiver: receiver, parameters: parameters,
                    result: type, throwing: .never, callee: context.path.joined(separator: "."),
                    form: .subscripted, isHidden: TypeContext.isHidden(node.modifiers))
                try add(node, getter, heading, context)
                if let setter { try add(node, setter, &heading, type, context) }
            } catch let reason as Reason {
                refuse(path, node, reason.reason, reason.detail)
            } catch {}
        }

        private mutating func add(
            _ node: some SyntaxProtocol, _ accessor: FunctionScanner.Accessor,
            _ heading: RoutableFunction.Heading, _ context: TypeContext
        ) throws {
            let body = Syntax(accessor.items)
            var returnOffset: Int?
            if heading.result != nil, heading.kind != .initializer,
                case .expression(let expression) = BodyShape(
                    accessor.items, neverReturning: scanner.neverReturning)
            {
                returnOffset = expression.positionAfterSkippingLeadingTrivia.utf8Offset
            }
            let first = body.firstToken(viewMode: .sourceAccurate)
            var function = RoutableFunction(
                id: DeclarationID.function(
                    module: file.module, path: heading.path, kind: heading.kind),
                module: file.module, path: heading.path, kind: heading.kind,
                receiver: heading.receiver, parameters: heading.parameters,
                result: heading.result, throwing: heading.throwing, callee: heading.callee,
                place: file.place(of: node), declaration: Syntax(node), body: body,
                gateOffset: accessor.brace.endPositionBeforeTrailingTrivia.utf8Offset,
                codeFollowsOnLine: first.map {
                    file.line(of: $0) == file.line(of: accessor.brace)
                } ?? true,
                returnOffset: returnOffset, bodyHash: TokenHash.hex16([body]))
            function.isAsync = heading.isAsync
            function.form = heading.form
            function.isHidden = heading.isHidden || context.isHidden
            function.owner = context.path.joined(separator: ".")
            function.executor = scanner.isolation.executor(of: Syntax(node), context)
            guard function.arguments.count <= FunctionScanner.maximumParameters else {
                throw Reason(.tooManyParameters)
            }
            function.home = try scanner.home(function.types)
            if function.isAsync, let object = function.types.first(where: scanner.types.holdsObject)
            {
                throw Reason(.parameterType, "'\(object.swift)' (it waits, and objects do not)")
            }
            if let type = function.outputs.first(where: scanner.types.holdsFunction) {
                throw Reason(
                    .resultType, "'\(type.swift)' (it holds a function, which crosses one way)")
            }
            let takesFunctions = function.arguments.contains {
                scanner.types.holdsFunction($0.type)
            }
            if takesFunctions, case .typed = function.throwing {
                throw Reason(.errorType, "with functions among the arguments")
            }
            if heading.form != .subscripted, !takesFunctions,
                NativeCode.isCallable(function, Syntax(node), context)
            {
                natives.append(function)
            }
            if ConditionalFinder.isConditional(body) { throw Reason(.conditionalCompilation) }
            function.takesObjects = function.arguments.contains {
                scanner.types.holdsObject($0.type)
            }
            // What objects hold it may change.
            if function.outputs.isEmpty, !function.isThrowing, !function.isAsync,
                !function.takesObjects
            {
                throw Reason(.noResult)
            }
            if function.isAsync { try AsyncShape.check(body) }
            if case .untyped = function.throwing { try scanner.checkThrows(body, context) }
            functions.append(function)
        }
    }
}
