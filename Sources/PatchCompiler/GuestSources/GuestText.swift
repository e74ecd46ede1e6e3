import SwiftSyntax

/// The app's own text with everything blanked out that a module does not need.
///
/// Lines and columns stay where they are, so that the compiler's messages point into the
/// developer's files.
struct GuestText {
    private let index: DeclarationIndex
    private let closure: GuestClosure
    /// Functions with an export, and whether types of their signatures are private.
    private let seeds: [Int: Bool]
    private let thrower: ThrowRewriter?
    /// Paths of errors that the source with the generated enum names.
    private let errors: Set<String>
    /// Whether anything refers to objects weakly, so that they have to know whether they live.
    let hasWeakReferences: Bool

    init(
        index: DeclarationIndex, closure: GuestClosure, functions: [RoutableFunction],
        errors: [ValueType]?
    ) {
        thrower = errors.map {
            ThrowRewriter(errors: $0, in: closure.included.map { index.declarations[$0] })
        }
        self.errors = Set((errors ?? []).map(\.reference.path))
        hasWeakReferences = closure.included.contains {
            let declaration = index.declarations[$0]
            return declaration.kind != .type && declaration.kind != .extensionHeader
                && WeakText.isUsed(in: declaration.node)
        }
        self.index = index
        self.closure = closure
        var seeds: [Int: Bool] = [:]
        for function in functions {
            guard let position = index.index(of: function.id) else { continue }
            seeds[position] = function.home != .anywhere || seeds[position] == true
        }
        self.seeds = seeds
    }

    /// The text of a file; nil when nothing in it is needed.
    func text(ofFile number: Int) -> String? {
        let wanted = closure.included.filter { index.declarations[$0].file == number }
        guard !wanted.isEmpty else { return nil }
        let file = index.files[number]
        var page = Page(file.bytes)
        for position in wanted.sorted() { keep(position, on: &page) }
        for statement in file.tree.statements {
            // The libraries that have a counterpart in a module.
            guard let node = statement.item.as(ImportDeclSyntax.self),
                ["Foundation", "SwiftUI"].contains(node.path.trimmedDescription)
            else { continue }
            page.keep(node.importKeyword)
            page.keep(node.path)
        }
        return page.text
    }

    /// Classes of a file whose objects are referred to weakly.
    func mortals(ofFile number: Int) -> [String] {
        closure.included.sorted().filter { index.declarations[$0].file == number && isMortal($0) }
            .map { index.declarations[$0].typePath.joined(separator: ".") }
    }

    /// Whether a class holds the life of its objects: the first of its line does.
    private func isMortal(_ position: Int) -> Bool {
        let declaration = index.declarations[position]
        guard hasWeakReferences, declaration.kind == .type, declaration.typeKind == .classType,
            !isProxied(declaration.typePath), closure.valueTypes.contains(position)
        else { return false }
        return !declaration.inherited.contains { name in
            (index.byName[name] ?? []).contains {
                index.declarations[$0].typeKind == .classType
            }
        }
    }

    private func keep(_ position: Int, on page: inout Page) {
        let declaration = index.declarations[position]
        if declaration.kind == .storedProperty, !declaration.isStatic,
            isProxied(declaration.container), closure.natives.contains(position),
            let text = NativeStub.property(declaration)
        {
            let breaks = declaration.node.trimmedDescription.filter { $0.isNewline }.count
            page.replace(declaration.node, with: text + String(repeating: "\n", count: breaks))
            keepSeparator(after: declaration.node, on: &page)
            return
        }
        let isBarred = closure.barred.contains(position)
        if isBarred, !declaration.node.is(FunctionDeclSyntax.self) {
            bar(declaration, on: &page)
            return
        }
        switch declaration.node.as(DeclSyntax.self)?.as(DeclSyntaxEnum.self) {
        case .structDecl(let node):
            keepType(position, node, node.structKeyword, node.inheritanceClause, on: &page)
        case .enumDecl(let node):
            keepType(position, node, node.enumKeyword, node.inheritanceClause, on: &page)
        case .classDecl(let node):
            keepType(position, node, node.classKeyword, node.inheritanceClause, on: &page)
            if isProxied(declaration.typePath) {
                page.insert(
                    " let op_handle: PatchGuest.Handle; init(op_handle: PatchGuest.Handle) { "
                        + "self.op_handle = op_handle; "
                        + "PatchGuest.Objects.remember(self, op_handle.number) };",
                    at: node.memberBlock.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset)
            }
            if isMortal(position) {
                page.insert(
                    " let op_life = PatchGuest.Life();",
                    at: node.memberBlock.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset)
            }
        case .actorDecl(let node):
            keepType(position, node, node.actorKeyword, node.inheritanceClause, on: &page)
        case .extensionDecl(let node):
            keepHeader(node, on: &page)
            blankPublic(node.modifiers, on: &page)
            // The conformances of a mere namespace would ask for members that are not there.
            let isValue = (index.typeParts[declaration.typePath.joined(separator: ".")] ?? [])
                .contains { closure.valueTypes.contains($0) }
            strip(
                node.inheritanceClause,
                all: index.declaresType(declaration.typePath) && !isValue, on: &page)
            blankAttributes(node.attributes, on: &page)
        default:
            page.keep(declaration.node)
            if closure.natives.contains(position) { replaceBody(of: declaration, on: &page) }
            if isBarred { barFunction(declaration, on: &page) }
            keepSeparator(after: declaration.node, on: &page)
            blankInside(position, on: &page)
            TouchUps.apply(to: declaration.node, on: &page)
            if hasWeakReferences {
                WeakText.apply(to: declaration.node, on: &page)
                if let brace = declaration.node.as(DeinitializerDeclSyntax.self)?.body?.leftBrace {
                    page.insert(
                        " op_life.end();", at: brace.endPositionBeforeTrailingTrivia.utf8Offset)
                }
            }
            AsyncText.apply(to: declaration.node, on: &page)
            thrower?.apply(to: declaration.node, on: &page)
        }
    }

    /// Leaves names that nothing may use.
    private func bar(_ declaration: Declaration, on page: inout Page) {
        let modifiers = declaration.node.asProtocol((any WithModifiersSyntax).self)?.modifiers
        let isPrivate =
            modifiers?.contains { ["private", "fileprivate"].contains($0.name.text) } ?? false
        let words = (isPrivate ? "fileprivate " : "") + (declaration.isStatic ? "static " : "")
        let text = declaration.names.map {
            "@available(*, unavailable) \(words)var `\($0)`: Swift.Never { while true {} }"
        }.joined(separator: "; ")
        let breaks = declaration.node.trimmedDescription.filter { $0.isNewline }.count
        page.replace(declaration.node, with: text + String(repeating: "\n", count: breaks))
        keepSeparator(after: declaration.node, on: &page)
    }

    /// Leaves the heading of a function that nothing may call.
    private func barFunction(_ declaration: Declaration, on page: inout Page) {
        guard let body = NativeStub.body(of: declaration.node) else { return }
        page.insert(
            "@available(*, unavailable) ",
            at: declaration.node.positionAfterSkippingLeadingTrivia.utf8Offset)
        let breaks = body.trimmedDescription.filter { $0.isNewline }.count
        page.replace(body, with: "{ while true {} }" + String(repeating: "\n", count: breaks))
    }

    /// Puts a call of the app in the place of a body. What is left of its lines stays empty.
    private func replaceBody(of declaration: Declaration, on page: inout Page) {
        guard let body = NativeStub.body(of: declaration.node),
            let text = NativeStub.text(declaration.natives, for: declaration.node)
        else { return }
        let breaks = body.trimmedDescription.filter { $0 == "\n" || $0 == "\r\n" }.count
        page.replace(body, with: text + String(repeating: "\n", count: breaks))
    }

    /// A semicolon that ends an item, for the case that another one follows on its line.
    private func keepSeparator(after node: Syntax, on page: inout Page) {
        if let semicolon = node.parent?.as(MemberBlockItemSyntax.self)?.semicolon
            ?? node.parent?.as(CodeBlockItemSyntax.self)?.semicolon
            ?? node.parent?.parent?.as(CodeBlockItemSyntax.self)?.semicolon
        {
            page.keep(semicolon)
        }
    }

    private func keepType(
        _ position: Int, _ node: some DeclGroupSyntax, _ keyword: TokenSyntax,
        _ inheritance: InheritanceClauseSyntax?, on page: inout Page
    ) {
        keepHeader(node, on: &page)
        blankPublic(node.modifiers, on: &page)
        keepSeparator(after: Syntax(node), on: &page)
        blankAttributes(node.attributes, on: &page)
        let declaration = index.declarations[position]
        if errors.contains(declaration.typePath.joined(separator: ".")) {
            for modifier in node.modifiers where Self.access.contains(modifier.name.text) {
                page.blank(modifier)
            }
        } else if !declaration.container.isEmpty {
            openAccess(node.modifiers, on: &page)
        }
        guard !closure.valueTypes.contains(position) else {
            strip(inheritance, all: false, isProxy: isProxied(declaration.typePath), on: &page)
            return
        }
        // Only static members are used: a namespace is enough, whatever the type is.
        strip(inheritance, all: true, on: &page)
        page.replace(keyword, with: "enum")
        for modifier in node.modifiers where !Self.access.contains(modifier.name.text) {
            page.blank(modifier)
        }
    }

    private func keepHeader(_ node: some DeclGroupSyntax, on page: inout Page) {
        for child in node.children(viewMode: .sourceAccurate) {
            if let block = child.as(MemberBlockSyntax.self) {
                page.keep(block.leftBrace)
                page.keep(block.rightBrace)
            } else {
                page.keep(child)
            }
        }
    }

    private func isProxied(_ path: [String]) -> Bool {
        closure.proxied.contains(path.joined(separator: "."))
    }

    /// - Parameter isProxy: whether a superclass stays behind in the app.
    private func strip(
        _ clause: InheritanceClauseSyntax?, all: Bool, isProxy: Bool = false, on page: inout Page
    ) {
        guard let clause else { return }
        // As an array: filtering the syntax itself would make a detached copy.
        let types = Array(clause.inheritedTypes)
        let kept = types.filter {
            let name = $0.type.trimmedDescription
            return !all && !Self.unavailableProtocols.contains(name)
                && (!isProxy || isKnownProtocol(name))
        }
        if kept.isEmpty { return page.blank(clause) }
        let names = Set(kept.map(\.id))
        for type in types where !names.contains(type.id) { page.blank(type) }
        // The last one kept must not be followed by a comma.
        if let last = kept.last, last.id != types.last?.id, let comma = last.trailingComma {
            page.blank(comma)
        }
    }

    /// Whether a name can only mean a protocol that a module has.
    private func isKnownProtocol(_ name: String) -> Bool {
        Self.plainProtocols.contains(name)
            || (index.byName[name] ?? []).contains { index.declarations[$0].kind == .protocolType }
    }

    private static let plainProtocols: Set<String> = [
        "AnyObject", "Comparable", "CustomStringConvertible", "Equatable", "Hashable",
        "Identifiable",
    ]

    private func blankInside(_ position: Int, on page: inout Page) {
        let declaration = index.declarations[position]
        guard let node = declaration.node.asProtocol((any WithAttributesSyntax).self) else {
            return
        }
        blankAttributes(node.attributes, on: &page)
        guard let modified = declaration.node.asProtocol((any WithModifiersSyntax).self) else {
            return
        }
        for modifier in modified.modifiers {
            switch modifier.name.text {
            case "private" where modifier.detail == nil && !declaration.container.isEmpty:
                // The wrapper at the end of the file has to reach it.
                guard let mentionsPrivate = seeds[position] else { break }
                if mentionsPrivate {
                    page.replace(modifier, with: "fileprivate")
                } else {
                    page.blank(modifier)
                }
            case "class": page.replace(modifier.name, with: "static")
            case "override" where hasOwnSuperclass(declaration.container): break
            case "convenience" where isProxied(declaration.container): page.blank(modifier)
            case "override", "nonisolated", "dynamic": page.blank(modifier)
            case "final": if declaration.isStatic { page.blank(modifier) }
            case "public", "package", "open": page.blank(modifier)
            default: break
            }
        }
    }

    /// Whether a class inherits from one of the app; a library's is not there in a module.
    private func hasOwnSuperclass(_ path: [String]) -> Bool {
        (index.typeParts[path.joined(separator: ".")] ?? []).contains { part in
            index.declarations[part].inherited.contains { name in
                (index.byName[name] ?? []).contains {
                    index.declarations[$0].typeKind == .classType
                }
            }
        }
    }

    /// A module is one piece, and its errors are not public.
    private func blankPublic(_ modifiers: DeclModifierListSyntax, on page: inout Page) {
        for modifier in modifiers
        where ["public", "package", "open"].contains(modifier.name.text) {
            page.blank(modifier)
        }
    }

    /// Lets the code at the end of the file name a type that is private inside another one.
    private func openAccess(_ modifiers: DeclModifierListSyntax, on page: inout Page) {
        for modifier in modifiers where modifier.name.text == "private" {
            page.replace(modifier, with: "fileprivate")
        }
    }

    private func blankAttributes(_ attributes: AttributeListSyntax, on page: inout Page) {
        for element in attributes {
            guard let attribute = element.as(AttributeSyntax.self),
                Self.meaninglessAttributes.contains(attribute.attributeName.trimmedDescription)
            else { continue }
            page.blank(attribute)
        }
    }

    private static let access: Set<String> = [
        "public", "package", "internal", "fileprivate", "private",
    ]

    /// Protocols that Embedded Swift lacks and whose conformances a module has no use for.
    private static let unavailableProtocols: Set<String> = [
        "Codable", "Encodable", "Decodable", "CodingKey", "Swift.Codable",
    ]

    /// Attributes that say nothing inside a module, which runs on no actor and no old system.
    private static let meaninglessAttributes: Set<String> = [
        "MainActor", "objc", "objcMembers", "nonobjc", "main", "available", "preconcurrency",
        "concurrent", "IBAction", "usableFromInline", "frozen",
    ]
}

/// Bytes that are blank until kept.
struct Page {
    private let source: [UInt8]
    private var bytes: [UInt8]
    private var replacements: [(range: Range<Int>, text: [UInt8])] = []

    init(_ source: [UInt8]) {
        self.source = source
        bytes = source.map { $0 == 0x0a || $0 == 0x0d ? $0 : 0x20 }
    }

    mutating func keep(_ node: some SyntaxProtocol) {
        let range = Self.range(node)
        bytes.replaceSubrange(range, with: source[range])
    }

    mutating func blank(_ node: some SyntaxProtocol) {
        for offset in Self.range(node) where bytes[offset] != 0x0a && bytes[offset] != 0x0d {
            bytes[offset] = 0x20
        }
    }

    mutating func insert(_ text: String, at offset: Int) {
        replacements.append((offset..<offset, Array(text.utf8)))
    }

    mutating func replace(_ node: some SyntaxProtocol, with text: String) {
        replacements.append((Self.range(node), Array(text.utf8)))
    }

    var text: String {
        var result: [UInt8] = []
        var position = 0
        let sorted = replacements.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
        for replacement in sorted {
            guard replacement.range.lowerBound >= position else { continue }
            result += bytes[position..<replacement.range.lowerBound]
            result += replacement.text
            // A shorter word is padded, so that columns stay.
            let missing = replacement.range.count - replacement.text.count
            if missing > 0 { result += [UInt8](repeating: 0x20, count: missing) }
            position = replacement.range.upperBound
        }
        return String(decoding: result + bytes[position...], as: UTF8.self)
    }

    private static func range(_ node: some SyntaxProtocol) -> Range<Int> {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        return start..<max(start, node.endPositionBeforeTrailingTrivia.utf8Offset)
    }
}
