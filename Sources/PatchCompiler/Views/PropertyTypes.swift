import SwiftSyntax

/// Tells the type of a stored property that crosses, from what is written and nothing else.
struct PropertyTypes {
    let types: ValueTypes

    /// The type, or nil when it does not cross or does not show.
    func type(of binding: PatternBindingSyntax, at place: TypeReader.Place) -> ABIType? {
        let found: ABIType?
        if let written = binding.typeAnnotation?.type {
            found = types.reader.read(written, at: place)
        } else {
            found = binding.initializer.flatMap { type(of: $0.value, at: place) }
        }
        guard let found, found.named.allSatisfy({ isNameable($0, in: place.file) }) else {
            return nil
        }
        return found
    }

    /// Whether code on the level of a file can name a type and all that it holds.
    func isNameable(_ type: NamedType, in file: Int) -> Bool {
        types.reachable(from: [.named(type)]).allSatisfy { held in
            switch held.home {
            case .anywhere: true
            case .file: held.file == file
            case .inside: false
            }
        }
    }

    private func type(of expression: ExprSyntax, at place: TypeReader.Place) -> ABIType? {
        if expression.is(BooleanLiteralExprSyntax.self) { return .bool }
        if expression.is(IntegerLiteralExprSyntax.self) { return .integer(.Int) }
        if expression.is(FloatLiteralExprSyntax.self) { return .double }
        if expression.is(StringLiteralExprSyntax.self) { return .string }
        if let signed = expression.as(PrefixOperatorExprSyntax.self),
            signed.operator.text == "-"
        {
            return type(of: signed.expression, at: place)
        }
        if let array = expression.as(ArrayExprSyntax.self) {
            let elements = array.elements.map { type(of: $0.expression, at: place) }
            guard let first = elements.first ?? nil, elements.allSatisfy({ $0 == first }) else {
                return nil
            }
            return .array(first)
        }
        if let call = expression.as(FunctionCallExprSyntax.self),
            let path = Self.path(call.calledExpression)
        {
            // `Order(…)` is an order when that is a type; a function's name begins small.
            return path.last?.first?.isUppercase == true ? named(path, at: place) : nil
        }
        if let path = Self.path(expression), let last = path.last, path.count > 1,
            case .named(let type)? = named(Array(path.dropLast()), at: place),
            case .enumeration(let cases)? = types.type(type)?.shape,
            cases.contains(where: { $0.name == last })
        {
            return .named(type)
        }
        return nil
    }

    private func named(_ path: [String], at place: TypeReader.Place) -> ABIType? {
        guard let entry = types.reader.entry(path, at: place) else { return nil }
        return types.reader.receiver(
            entry.path, at: TypeReader.Place(module: entry.module, file: entry.file))
    }

    private static func path(_ expression: ExprSyntax) -> [String]? {
        if let name = expression.as(DeclReferenceExprSyntax.self) {
            return name.argumentNames == nil ? [FunctionScanner.plain(name.baseName)] : nil
        }
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base,
            let outer = path(base)
        else { return nil }
        return outer + [FunctionScanner.plain(member.declName.baseName)]
    }
}

extension TypeReader.Place {
    /// The inside of a type.
    init(module: String, file: Int, inside path: [String]) {
        self.init(
            module: module, file: file,
            scopes: path.indices.reversed().map { Array(path[...$0]) }, own: path)
    }
}
