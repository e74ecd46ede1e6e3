import SwiftSyntax

/// Reads written types as types that cross.
struct TypeReader {
    /// Where a type is written: names are looked up from the inside out.
    struct Place {
        var module: String
        /// Index of the file.
        var file: Int
        /// Paths of the types around it, innermost first.
        var scopes: [[String]] = []
        /// The type path that `Self` means.
        var own: [String]?
    }

    private let types: AppTypes
    /// Whether functions are read, too.
    private let readsFunctions: Bool
    /// The mention of an app's type, or nil when its values do not cross.
    private let mention: (AppTypes.Entry) -> NamedType?

    init(
        _ types: AppTypes, functions: Bool = false,
        mention: @escaping (AppTypes.Entry) -> NamedType?
    ) {
        self.types = types
        readsFunctions = functions
        self.mention = mention
    }

    /// The type, or nil when its values cannot cross.
    func read(_ type: TypeSyntax, at place: Place) -> ABIType? {
        // A position means nothing without its text.
        read(type, place, depth: 0).flatMap { $0.parts.contains(.position) ? nil : $0 }
    }

    /// The type of a stored property, which may be a position.
    func readProperty(_ type: TypeSyntax, at place: Place) -> ABIType? {
        let found = read(type, place, depth: 0)
        return found == .position ? found : read(type, at: place)
    }

    /// The type whose members stand in an extension or declaration of `path`.
    func receiver(_ path: [String], at place: Place) -> ABIType? {
        if let key = resolve(path, Place(module: place.module, file: place.file)) {
            return types.entries[key].flatMap(mention).map { .named($0) }
        }
        return path.count == 1 ? Self.plain(path[0]) : nil
    }

    /// A declared type by the path that is written at `place`.
    func entry(_ path: [String], at place: Place) -> AppTypes.Entry? {
        resolve(path, place).flatMap { types.entries[$0] }
    }

    private func read(_ type: TypeSyntax, _ place: Place, depth: Int) -> ABIType? {
        // An alias may name itself.
        guard depth < 32 else { return nil }
        func inner(_ type: TypeSyntax) -> ABIType? { read(type, place, depth: depth + 1) }
        if let optional = type.as(OptionalTypeSyntax.self) {
            return inner(optional.wrappedType).map { .optional($0) }
        }
        if let array = type.as(ArrayTypeSyntax.self) {
            return inner(array.element).map(Self.array)
        }
        if let dictionary = type.as(DictionaryTypeSyntax.self) {
            return Self.dictionary(inner(dictionary.key), inner(dictionary.value))
        }
        if let tuple = type.as(TupleTypeSyntax.self) { return read(tuple, inner) }
        if readsFunctions, let function = type.as(FunctionTypeSyntax.self) {
            return read(function, inner)
        }
        // `@escaping () -> Void` is the same to a module, which keeps nothing.
        if let attributed = type.as(AttributedTypeSyntax.self), attributed.specifiers.isEmpty,
            TypeContext.names(attributed.attributes).isSubset(of: ["escaping"]),
            attributed.baseType.is(FunctionTypeSyntax.self)
        {
            return inner(attributed.baseType)
        }
        guard let (path, arguments) = Self.path(type) else { return nil }
        if path == ["Self"], let own = place.own, arguments == nil {
            return receiver(own, at: place)
        }
        if let key = resolve(path, place) {
            guard arguments == nil else { return nil }
            if let alias = types.aliases[key] {
                guard !alias.isAmbiguous else { return nil }
                return read(
                    alias.type,
                    Place(module: alias.module, file: alias.file, scopes: alias.scopes),
                    depth: depth + 1)
            }
            return types.entries[key].flatMap(mention).map { .named($0) }
        }
        if arguments == nil, let name = path.first, !types.unclear.contains(name),
            !types.modules.contains(where: { isDeclared(name, $0) }),
            let member = Self.member(path.joined(separator: "."))
        {
            return member
        }
        guard let name = libraryName(path) else { return nil }
        if let arguments { return generic(name, arguments, inner) }
        return Self.plain(name)
    }

    /// The key of the declared type or alias that a path means at a place.
    private func resolve(_ path: [String], _ place: Place) -> String? {
        guard let first = path.first else { return nil }
        var modules = [place.module]
        modules += types.modules.filter {
            $0 != place.module && types.imports[place.file].contains($0)
        }
        if path.count > 1, modules.contains(first), !isDeclared(first, place.module) {
            let rest = Array(path.dropFirst())
            return known(AppTypes.key(first, rest))
        }
        for scope in place.scopes {
            for module in modules {
                guard let start = known(AppTypes.key(module, scope + [first])) else { continue }
                return path.count == 1 ? start : known(AppTypes.key(module, scope + path))
            }
        }
        for module in modules {
            guard isDeclared(first, module) else { continue }
            return known(AppTypes.key(module, path)) ?? AppTypes.key(module, path)
        }
        return nil
    }

    private func isDeclared(_ name: String, _ module: String) -> Bool {
        known(AppTypes.key(module, [name])) != nil
    }

    private func known(_ key: String) -> String? {
        types.entries[key] != nil || types.aliases[key] != nil ? key : nil
    }

    /// A library's type by its own name; nil for what may be something else here.
    private func libraryName(_ path: [String]) -> String? {
        switch path.count {
        case 1: return types.unclear.contains(path[0]) ? nil : path[0]
        case 2:
            guard ["Swift", "Foundation"].contains(path[0]),
                !types.modules.contains(where: { isDeclared(path[1], $0) })
            else { return nil }
            return path[1]
        default: return nil
        }
    }

    /// The names of a type, and the arguments of the last one.
    private static func path(
        _ type: TypeSyntax
    ) -> (path: [String], arguments: GenericArgumentClauseSyntax?)? {
        if let named = type.as(IdentifierTypeSyntax.self) {
            return ([FunctionScanner.plain(named.name)], named.genericArgumentClause)
        }
        if let member = type.as(MemberTypeSyntax.self) {
            guard let (base, arguments) = path(member.baseType), arguments == nil else {
                return nil
            }
            return (base + [FunctionScanner.plain(member.name)], member.genericArgumentClause)
        }
        return nil
    }

    private func read(
        _ tuple: TupleTypeSyntax, _ inner: (TypeSyntax) -> ABIType?
    ) -> ABIType? {
        let elements = Array(tuple.elements)
        if elements.count == 1, elements[0].firstName == nil { return inner(elements[0].type) }
        guard (2...16).contains(elements.count) else { return nil }
        var read: [ABIType.Element] = []
        for element in elements {
            guard element.inoutKeyword == nil, element.ellipsis == nil, element.secondName == nil,
                let type = inner(element.type)
            else { return nil }
            read.append(ABIType.Element(label: element.firstName?.text, type: type))
        }
        return .tuple(read)
    }

    private func read(
        _ function: FunctionTypeSyntax, _ inner: (TypeSyntax) -> ABIType?
    ) -> ABIType? {
        let effects = function.effectSpecifiers
        guard effects?.asyncSpecifier == nil, effects?.throwsClause?.type == nil,
            effects?.throwsClause.map({ $0.throwsSpecifier.text == "throws" }) ?? true
        else { return nil }
        var parameters: [ABIType] = []
        for parameter in function.parameters {
            guard parameter.inoutKeyword == nil, parameter.ellipsis == nil,
                let type = inner(parameter.type), !type.mentionsFunction
            else { return nil }
            parameters.append(type)
        }
        let written = function.returnClause.type
        let isVoid = ["Void", "()", "Swift.Void"].contains(written.trimmedDescription)
        let result = isVoid ? nil : inner(written)
        guard isVoid || result != nil, result?.mentionsFunction != true else { return nil }
        return .function(
            .init(
                parameters: parameters, result: result,
                isThrowing: effects?.throwsClause != nil))
    }

    private func generic(
        _ name: String, _ clause: GenericArgumentClauseSyntax, _ inner: (TypeSyntax) -> ABIType?
    ) -> ABIType? {
        let arguments = clause.arguments.map { argument in
            TypeSyntax(argument.argument).flatMap(inner)
        }
        switch (name, arguments.count) {
        case ("Optional", 1): return arguments[0].map { .optional($0) }
        case ("Array", 1): return arguments[0].map(Self.array)
        case ("Set", 1): return arguments[0].flatMap { $0.isHashable ? .set($0) : nil }
        case ("Dictionary", 2): return Self.dictionary(arguments[0], arguments[1])
        default: return nil
        }
    }

    private static func plain(_ name: String) -> ABIType? {
        switch name {
        case "Bool": .bool
        case "Float", "Float32": .float
        case "Double", "Float64", "TimeInterval": .double
        case "String": .string
        case "UnicodeScalar": .text(.scalar)
        case "Character", "Substring": ABIType.Text(rawValue: name).map { .text($0) }
        default:
            ABIType.Integer(rawValue: name).map { .integer($0) }
                ?? ABIType.Foundation(rawValue: name).map { .foundation($0) }
        }
    }

    /// Types that the standard library declares inside others.
    private static func member(_ path: String) -> ABIType? {
        switch path {
        case "Unicode.Scalar": .text(.scalar)
        case "String.UnicodeScalarView": .text(.scalars)
        case "String.Index", "Substring.Index", "String.UnicodeScalarView.Index",
            "String.UTF8View.Index", "Substring.UnicodeScalarView.Index":
            .position
        default: nil
        }
    }

    private static func array(_ element: ABIType) -> ABIType {
        element == .integer(.UInt8) ? .bytes : .array(element)
    }

    private static func dictionary(_ key: ABIType?, _ value: ABIType?) -> ABIType? {
        guard let key, let value, key.isHashable else { return nil }
        return .dictionary(key, value)
    }
}
