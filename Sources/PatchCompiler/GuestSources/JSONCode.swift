import ModuleABI
import SwiftSyntax

/// Swift text by which a module tells the host what the app's `Codable` types look like, as Swift
/// itself would code them. Types with a coding of their own have none: what decodes them is not
/// compiled into a module.
struct JSONCode {
    /// The types of the module that have a text.
    let types: [ValueType]
    private let texts: [String: String]

    /// - Parameter closure: what the module is compiled from.
    init(of closure: GuestClosure, in index: DeclarationIndex, types: ValueTypes) {
        var found: [ValueType] = []
        var texts: [String: String] = [:]
        if Self.isUsed(in: closure, index) {
            for position in closure.valueTypes.sorted() {
                let declaration = index.declarations[position]
                let key = AppTypes.key(
                    index.files[declaration.file].module, declaration.typePath)
                guard declaration.kind == .type, let type = types.known[key],
                    let entry = types.app.entries[key],
                    let text = Self.text(type, entry, types.app.extensions[key] ?? [], index)
                else { continue }
                found.append(type)
                texts[type.reference.key] = text
            }
        }
        self.types = found
        self.texts = texts
    }

    /// What goes with a type, if anything.
    func text(_ type: ValueType) -> String? { texts[type.reference.key] }

    /// Whether a module decodes or encodes.
    static func isUsed(in closure: GuestClosure, _ index: DeclarationIndex) -> Bool {
        closure.included.contains {
            !closure.natives.contains($0)
                && !index.declarations[$0].references.free.isDisjoint(
                    with: ["JSONDecoder", "JSONEncoder"])
        }
    }

    /// `decode` and `encode`, which throw what the module throws.
    static let functions = """

        import Foundation

        extension Foundation.JSONDecoder {
            func decode<Value: Foundation.Decodable>(
                _ type: Value.Type, from data: Foundation.Data
            ) throws(\(ThrowRewriter.typeName)) -> Value {
                var reader = op_answer(type, data)
                if reader.bool() {
                    let number = reader.integer(UInt64.self)
                    reader.discard()
                    throw \(ThrowRewriter.typeName).op_native(number)
                }
                let value = Value.op_decode(&reader)
                reader.discard()
                return value
            }
        }

        extension Foundation.JSONEncoder {
            func encode<Value: Foundation.Encodable>(
                _ value: Value
            ) throws(\(ThrowRewriter.typeName)) -> Foundation.Data {
                var reader = op_answer(value)
                if reader.bool() {
                    let number = reader.integer(UInt64.self)
                    reader.discard()
                    throw \(ThrowRewriter.typeName).op_native(number)
                }
                let data = Foundation.Data(reader.binary())
                reader.discard()
                return data
            }
        }

        """

    // MARK: - One type

    private static func text(
        _ type: ValueType, _ entry: AppTypes.Entry, _ extensions: [String],
        _ index: DeclarationIndex
    ) -> String? {
        let conformances = Set(entry.inherited + extensions)
        let decodes = !conformances.isDisjoint(with: ["Codable", "Decodable", "Swift.Codable"])
        let encodes = !conformances.isDisjoint(with: ["Codable", "Encodable", "Swift.Codable"])
        guard decodes || encodes, !hasOwnCoding(entry, index),
            let shape = shape(type, entry, index)
        else { return nil }
        let name = type.reference.path
        var members = ["static func op_shape(_ shape: inout Foundation.JSONShape) { \(shape) }"]
        if decodes {
            members.append(
                "static func op_decode(_ reader: inout PatchGuest.GuestReader) -> \(name) "
                    + "{ \(TypeCode.decoder(type.reference))(&reader) }")
        }
        if encodes {
            members.append(
                "func op_encode(_ writer: inout PatchGuest.GuestWriter) "
                    + "{ \(TypeCode.encoder(type.reference))(self, &writer) }")
        }
        let protocols =
            (decodes ? ["Foundation.Decodable"] : [])
            + (encodes ? ["Foundation.Encodable"] : [])
        return "extension \(name): \(protocols.joined(separator: ", ")) {\n"
            + members.map { "    \($0)\n" }.joined() + "}\n"
    }

    /// Whether a type says itself how it is coded.
    private static func hasOwnCoding(
        _ entry: AppTypes.Entry, _ index: DeclarationIndex
    ) -> Bool {
        index.declarations.contains { declaration in
            declaration.container == entry.path
                && (declaration.kind == .initializer
                    && declaration.references.free.contains("Decoder")
                    || declaration.names.contains("encode")
                        && declaration.references.free.contains("Encoder"))
        }
    }

    private static func shape(
        _ type: ValueType, _ entry: AppTypes.Entry, _ index: DeclarationIndex
    ) -> String? {
        let name = literal(type.reference.path.split(separator: ".").last.map(String.init) ?? "")
        let id = "0x" + type.suffix
        switch type.shape {
        case .structure(let fields):
            guard !hasConstants(entry), let keys = keys(fields, entry, index),
                fields.allSatisfy({ isCoded($0.type) && $0.anchor == nil })
            else { return nil }
            let parts = keys.map { key, position in
                "shape.field(\(literal(key)), \(position)); "
                    + "\(fields[position].type.swift).op_shape(&shape)"
            }
            return "if shape.structure(\(id), \(name), \(fields.count)) "
                + "{ \(parts.joined(separator: "; ")) }"
        case .enumeration:
            guard let raws = raws(entry) else { return nil }
            return "shape.cases(\(id), \(name), [\(raws.joined(separator: ", "))])"
        case .object: return nil
        }
    }

    /// Constants with a value are coded and do not cross.
    private static func hasConstants(_ entry: AppTypes.Entry) -> Bool {
        entry.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
            return variable.bindingSpecifier.text == "let"
                && !FunctionScanner.isStatic(variable.modifiers)
                && variable.bindings.contains { $0.initializer != nil }
        }
    }

    /// Whether Swift codes values of a type as the host does.
    private static func isCoded(_ type: ABIType) -> Bool {
        switch type {
        case .bool, .integer, .float, .double, .string, .foundation, .named: true
        case .optional(let inner), .array(let inner), .set(let inner): isCoded(inner)
        case .dictionary(.string, let value), .dictionary(.integer(.Int), let value):
            isCoded(value)
        // Bytes cross in one piece, and JSON has a list of numbers.
        case .bytes, .text, .position, .tuple, .dictionary, .function: false
        }
    }

    /// The key of each property with its position, in the order in which Swift codes them.
    private static func keys(
        _ fields: [ValueType.Field], _ entry: AppTypes.Entry, _ index: DeclarationIndex
    ) -> [(String, Int)]? {
        let names = fields.map { plain($0.name) }
        let own = index.declarations.first {
            $0.container == entry.path && $0.kind == .type && $0.names == ["CodingKeys"]
        }
        guard let own else { return names.enumerated().map { ($0.element, $0.offset) } }
        guard let declared = own.node.as(EnumDeclSyntax.self) else { return nil }
        var keys: [(String, Int)] = []
        for (name, raw) in elements(declared) {
            guard let position = names.firstIndex(of: name) else { return nil }
            guard let raw else {
                keys.append((name, position))
                continue
            }
            guard let text = string(raw) else { return nil }
            keys.append((text, position))
        }
        return keys.count == fields.count ? keys : nil
    }

    /// The raw values of an enum, as Swift text.
    private static func raws(_ entry: AppTypes.Entry) -> [String]? {
        guard let declared = entry.node.as(EnumDeclSyntax.self) else { return nil }
        let cases = elements(declared)
        switch entry.inherited.first {
        case "String":
            var raws: [String] = []
            for (name, raw) in cases {
                guard let raw else {
                    raws.append(literal(name))
                    continue
                }
                guard let text = string(raw) else { return nil }
                raws.append(literal(text))
            }
            return raws
        case "Int":
            var raws: [String] = []
            var next = 0
            for (_, raw) in cases {
                if let raw {
                    let digits = raw.trimmedDescription.filter { $0 != "_" }
                    guard let number = Int(digits) else { return nil }
                    next = number
                }
                raws.append(String(next))
                next &+= 1
            }
            return raws
        default: return nil
        }
    }

    private static func elements(_ node: EnumDeclSyntax) -> [(name: String, raw: ExprSyntax?)] {
        node.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            .flatMap { $0.elements.map { (plain($0.name.text), $0.rawValue?.value) } }
    }

    /// The text of a literal without anything in it that has to be worked out.
    private static func string(_ value: ExprSyntax) -> String? {
        guard let literal = value.as(StringLiteralExprSyntax.self), literal.segments.count <= 1,
            literal.openingPounds == nil
        else { return nil }
        guard let segment = literal.segments.first else { return "" }
        guard let text = segment.as(StringSegmentSyntax.self)?.content.text,
            !text.contains("\\")
        else { return nil }
        return text
    }

    private static func literal(_ text: String) -> String { "\"\(text)\"" }

    private static func plain(_ name: String) -> String { name.filter { $0 != "`" } }
}
