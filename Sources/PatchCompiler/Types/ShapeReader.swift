import SwiftParser
import SwiftSyntax

/// Reads what values of a declared type hold.
struct ShapeReader {
    private let app: AppTypes
    private let reader: TypeReader

    init(_ app: AppTypes) {
        self.app = app
        reader = TypeReader(app, functions: true) { entry in Self.mention(entry, app) }
    }

    /// A mention of any struct, enum or class; whether its values cross is found later.
    private static func mention(_ entry: AppTypes.Entry, _ app: AppTypes) -> NamedType? {
        if case .other = entry.kind, !entry.isClass { return nil }
        return NamedType(
            module: entry.module, path: entry.path.joined(separator: "."),
            owner: owner(entry, app))
    }

    /// - Throws: ``TypeRefusal``.
    func read(_ entry: AppTypes.Entry) throws(TypeRefusal) -> ValueType {
        if case .other(let kind) = entry.kind, !entry.isClass {
            throw TypeRefusal(kind == "actor" ? "is an actor" : "is a \(kind)")
        }
        if let obstacle = entry.obstacle { throw TypeRefusal(obstacle) }
        for count in entry.path.indices.dropFirst() {
            let outer = AppTypes.key(entry.module, Array(entry.path.prefix(count)))
            if let obstacle = app.entries[outer]?.obstacle {
                throw TypeRefusal("belongs to a type that \(obstacle)")
            }
        }
        // A library's type may be generic, and then so is what is inside it.
        let outermost = [entry.path[0]]
        if entry.path.count > 1, reader.entry(outermost, at: place(entry)) == nil,
            reader.receiver(outermost, at: place(entry)) == nil
        {
            throw TypeRefusal("belongs to '\(entry.path[0])', which is not the app's")
        }
        guard let reference = Self.mention(entry, app) else { throw TypeRefusal("does not cross") }
        let home = try Self.home(entry, app)
        let shape: ValueType.Shape
        switch entry.kind {
        case .structure: shape = .structure(try fields(entry, home))
        case .enumeration: shape = .enumeration(try cases(entry))
        case .other:
            try checkAncestry(entry)
            shape = .object
        }
        let conformances =
            entry.inherited + (app.extensions[AppTypes.key(entry.module, entry.path)] ?? [])
        return ValueType(
            reference: reference, shape: shape, home: home, file: entry.file,
            access: Self.access(entry, app),
            isError: !entry.isClass
                && !Set(conformances).isDisjoint(with: ["Error", "Swift.Error", "LocalizedError"]),
            fixedProperty: Self.fixedProperty(entry))
    }

    /// A module knows objects by one class each, and calls what that class says.
    private func checkAncestry(_ entry: AppTypes.Entry) throws(TypeRefusal) {
        if entry.path.last.map(app.ancestors.contains) ?? false {
            throw TypeRefusal("is a class with subclasses")
        }
        // A view keeps such objects itself, and its module has a class of its own for them.
        if entry.inherited.contains(where: { AppTypes.lastName($0) == "ObservableObject" }) {
            throw TypeRefusal("is a model that views observe")
        }
        for written in entry.inherited {
            let path = written.split(separator: ".").map(String.init)
            guard let parent = reader.entry(path, at: place(entry)), parent.isClass else {
                if written.contains("<") { throw TypeRefusal("inherits from '\(written)'") }
                continue
            }
            throw TypeRefusal("inherits from '\(written)'")
        }
    }

    private static func fixedProperty(_ entry: AppTypes.Entry) -> String? {
        for member in entry.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                variable.bindingSpecifier.text == "let",
                !FunctionScanner.isStatic(variable.modifiers),
                let binding = variable.bindings.first(where: { $0.initializer != nil })
            else { continue }
            return binding.pattern.trimmedDescription
        }
        return nil
    }

    private func place(_ entry: AppTypes.Entry) -> TypeReader.Place {
        TypeReader.Place(
            module: entry.module, file: entry.file, scopes: entry.scopes, own: entry.path)
    }

    // MARK: - Structs

    private func fields(
        _ entry: AppTypes.Entry, _ home: ValueType.Home
    ) throws(TypeRefusal) -> [ValueType.Field] {
        var fields: [ValueType.Field] = []
        for member in entry.members {
            if member.decl.is(IfConfigDeclSyntax.self) { throw TypeRefusal("has members in #if") }
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                !FunctionScanner.isStatic(variable.modifiers)
            else { continue }
            fields += try self.fields(variable, entry)
        }
        for index in fields.indices where fields[index].type == .position {
            fields[index].anchor = try Self.anchor(of: index, in: fields, home)
        }
        if case .inside = home {
            if fields.contains(where: \.isHidden) {
                throw TypeRefusal("is private inside another type and has private properties")
            }
            if entry.hasOwnInitializer {
                throw TypeRefusal("is private inside another type and has an initialiser")
            }
        }
        return fields
    }

    private func fields(
        _ variable: VariableDeclSyntax, _ entry: AppTypes.Entry
    ) throws(TypeRefusal) -> [ValueType.Field] {
        var fields: [ValueType.Field] = []
        let bindings = Array(variable.bindings)
        for (number, binding) in bindings.enumerated() {
            if let block = binding.accessorBlock, Self.isComputed(block) { continue }
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { throw TypeRefusal("has a property that is a pattern") }
            if let attribute = variable.attributes.first {
                throw TypeRefusal(
                    "has the property '\(name)' with \(attribute.trimmedDescription)")
            }
            for modifier in variable.modifiers
            where ["lazy", "weak", "unowned"].contains(modifier.name.text) {
                throw TypeRefusal("has the property '\(name)', which is \(modifier.name.text)")
            }
            // It is the same in every value.
            if variable.bindingSpecifier.text == "let", binding.initializer != nil { continue }
            // `var a, b: Int` says the type once.
            let written =
                binding.typeAnnotation
                ?? (binding.initializer == nil
                    ? bindings[number...].lazy.compactMap(\.typeAnnotation).first : nil)
            let type: ABIType
            if let written {
                guard let read = reader.readProperty(written.type, at: place(entry)) else {
                    throw TypeRefusal(
                        "has the property '\(name)' of type '\(written.type.trimmedDescription)'")
                }
                type = read
            } else if let value = binding.initializer?.value, let read = inferred(value, entry) {
                type = read
            } else {
                throw TypeRefusal("has the property '\(name)', whose type is not written")
            }
            let isHidden = variable.modifiers.contains {
                ["private", "fileprivate"].contains($0.name.text)
            }
            fields.append(ValueType.Field(name: name, type: type, isHidden: isHidden))
        }
        return fields
    }

    /// The one text of the struct, in which a property is taken for a position.
    private static func anchor(
        of index: Int, in fields: [ValueType.Field], _ home: ValueType.Home
    ) throws(TypeRefusal) -> ValueType.Anchor {
        let name = fields[index].name
        let texts = fields.indices.filter {
            [.string, .text(.substring), .text(.scalars)].contains(fields[$0].type)
        }
        guard texts.count == 1, let text = texts.first, text < index else {
            throw TypeRefusal(
                "has the position '\(name)', and not one text declared before it")
        }
        if case .inside = home {
            throw TypeRefusal("is private inside another type and has the position '\(name)'")
        }
        return ValueType.Anchor(name: fields[text].name, type: fields[text].type)
    }

    private static func isComputed(_ block: AccessorBlockSyntax) -> Bool {
        guard case .accessors(let accessors) = block.accessors else { return true }
        return !accessors.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// The type of a stored property, from its annotation or its initial value; nil when its
    /// values do not cross.
    func type(of binding: PatternBindingSyntax, in entry: AppTypes.Entry) -> ABIType? {
        if let written = binding.typeAnnotation {
            return reader.read(written.type, at: place(entry))
        }
        return binding.initializer.flatMap { inferred($0.value, entry) }
    }

    /// The type of an initial value, where nothing but its text is needed to tell.
    private func inferred(_ value: ExprSyntax, _ entry: AppTypes.Entry) -> ABIType? {
        if value.is(BooleanLiteralExprSyntax.self) { return .bool }
        if value.is(IntegerLiteralExprSyntax.self) { return .integer(.Int) }
        if value.is(FloatLiteralExprSyntax.self) { return .double }
        if value.is(StringLiteralExprSyntax.self) { return .string }
        // `Currency.euro`, a case of an enum.
        if let access = value.as(MemberAccessExprSyntax.self), let base = access.base,
            let read = type(written: base, entry), case .named(let named) = read,
            let other = app.entries[named.key], case .enumeration = other.kind,
            Self.plainCases(other).contains(access.declName.baseName.text)
        {
            return read
        }
        // `[Int]()` and `Date()` are types followed by nothing, `Cart(3)` by something.
        guard let call = value.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
            let read = type(written: call.calledExpression, entry)
        else { return nil }
        switch read {
        // An app's own initialiser may fail.
        case .named(let named): return app.mayFail.contains(named.path) ? nil : read
        case .tuple: return nil
        default: return call.arguments.isEmpty ? read : nil
        }
    }

    /// The type that an expression names.
    private func type(written expression: ExprSyntax, _ entry: AppTypes.Entry) -> ABIType? {
        let alias = Parser.parse(source: "typealias T = \(expression.trimmedDescription)")
        guard !alias.hasError,
            let type = alias.statements.first?.item.as(TypeAliasDeclSyntax.self)?.initializer.value
        else { return nil }
        return reader.read(type, at: place(entry))
    }

    private static func plainCases(_ entry: AppTypes.Entry) -> [String] {
        entry.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            .flatMap { $0.elements.filter { $0.parameterClause == nil } }
            .map(\.name.text)
    }

    // MARK: - Enums

    private func cases(_ entry: AppTypes.Entry) throws(TypeRefusal) -> [ValueType.Case] {
        var cases: [ValueType.Case] = []
        for member in entry.members {
            if member.decl.is(IfConfigDeclSyntax.self) { throw TypeRefusal("has members in #if") }
            guard let line = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
            if let attribute = line.attributes.first {
                throw TypeRefusal("has a case with \(attribute.trimmedDescription)")
            }
            for element in line.elements {
                var values: [ABIType.Element] = []
                for parameter in element.parameterClause?.parameters ?? [] {
                    guard let type = reader.read(parameter.type, at: place(entry)) else {
                        throw TypeRefusal(
                            "has the case '\(element.name.text)' with a value of type "
                                + "'\(parameter.type.trimmedDescription)'")
                    }
                    let label = parameter.firstName.flatMap {
                        $0.tokenKind == .wildcard ? nil : $0.text
                    }
                    values.append(ABIType.Element(label: label, type: type))
                }
                cases.append(ValueType.Case(name: element.name.text, values: values))
            }
        }
        if cases.isEmpty { throw TypeRefusal("has no cases") }
        if Set(cases.map(\.name)).count < cases.count {
            throw TypeRefusal("has several cases of one name")
        }
        return cases
    }

    // MARK: - Access

    /// The access of every level, from the declarations of the outer types where there are some.
    private static func levels(_ entry: AppTypes.Entry, _ app: AppTypes) -> [AppTypes.Access] {
        entry.path.indices.map { index in
            let key = AppTypes.key(entry.module, Array(entry.path.prefix(index + 1)))
            return app.entries[key]?.levels.last ?? entry.levels[index]
        }
    }

    /// The type in which a private nested one is private.
    private static func privateOwner(_ entry: AppTypes.Entry, _ app: AppTypes) -> [String]? {
        levels(entry, app).enumerated().first { $0.offset > 0 && $0.element == .hidden }
            .map { Array(entry.path.prefix($0.offset)) }
    }

    private static func owner(_ entry: AppTypes.Entry, _ app: AppTypes) -> String {
        (privateOwner(entry, app) ?? entry.path).joined(separator: ".")
    }

    private static func home(
        _ entry: AppTypes.Entry, _ app: AppTypes
    ) throws(TypeRefusal) -> ValueType.Home {
        let levels = levels(entry, app)
        let hidden = levels.indices.filter { $0 > 0 && levels[$0] == .hidden }
        if hidden.count > 1 { throw TypeRefusal("is private inside a private type") }
        if let owner = privateOwner(entry, app) { return .inside(owner.joined(separator: ".")) }
        return levels.contains { $0 == .hidden || $0 == .file } ? .file : .anywhere
    }

    private static func access(_ entry: AppTypes.Entry, _ app: AppTypes) -> String {
        let levels = levels(entry, app)
        guard app.modules.count > 1, levels.allSatisfy({ $0 == .everyone || $0 == .package })
        else { return "" }
        return levels.contains(.package) ? "package" : "public"
    }
}
