import SwiftSyntax

/// What the written declarations say about actors. A native call has to be made on the right one,
/// and a call of a nonisolated function from the main actor is always allowed, so what cannot be
/// told counts as the main actor's.
struct IsolationFacts {
    private var isMain: Set<String> = []
    private var inherited: [String: [String]] = [:]
    private let isMainByDefault: Bool

    init(_ tree: SourceTree) {
        isMainByDefault = tree.isMainByDefault
        let collector = Collector(viewMode: .sourceAccurate)
        for file in tree.files { collector.walk(file.tree) }
        isMain = collector.isMain
        inherited = collector.inherited
    }

    /// Whether members of a type, or of an extension of it with these attributes, may belong to the
    /// main actor.
    func mayBeMain(_ path: [String], _ attributes: Set<String> = []) -> Bool {
        if attributes.contains("MainActor") || isMainByDefault { return true }
        var seen: Set<String> = []
        // Members of a nested type do not belong to the actor of the outer one.
        return mayBeMain(path.joined(separator: "."), &seen)
    }

    private func mayBeMain(_ name: String, _ seen: inout Set<String>) -> Bool {
        guard seen.insert(name).inserted else { return false }
        if isMain.contains(name) { return true }
        let last = name.split(separator: ".").last.map(String.init) ?? name
        guard let parents = inherited[name] ?? inherited[last] else {
            return !Self.free.contains(name)
        }
        if isMain.contains(last) { return true }
        for parent in parents {
            let plain = parent.split(separator: "<").first.map(String.init) ?? parent
            if Self.free.contains(plain) { continue }
            if mayBeMain(plain, &seen) { return true }
        }
        return false
    }

    /// Where a call of a function may have to run.
    func executor(of node: Syntax, _ context: TypeContext) -> RoutableFunction.Executor {
        let modifiers = node.asProtocol((any WithModifiersSyntax).self)?.modifiers
        if modifiers?.contains(where: { $0.name.text == "nonisolated" }) ?? false { return .any }
        let attributes = node.asProtocol((any WithAttributesSyntax).self)?.attributes
        if attributes.map(TypeContext.names)?.contains("MainActor") ?? false { return .main }
        if context.isFileLevel { return isMainByDefault ? .main : .any }
        return context.mayBeMain ? .main : .any
    }

    /// Protocols and raw types that say nothing about actors.
    private static let free: Set<String> = Set(
        ABIType.Integer.allCases.map(\.rawValue) + ABIType.Foundation.allCases.map(\.rawValue)
    ).union([
        "Bool", "Float", "Double", "String", "Character", "Array", "Set", "Dictionary", "Optional",
        "Equatable", "Hashable", "Comparable", "Codable", "Encodable", "Decodable", "CodingKey",
        "Identifiable", "CaseIterable", "RawRepresentable", "OptionSet", "SetAlgebra", "Error",
        "LocalizedError", "CustomNSError", "Sendable", "Copyable", "CustomStringConvertible",
        "CustomDebugStringConvertible", "LosslessStringConvertible", "TextOutputStream",
        "Sequence", "IteratorProtocol", "Collection", "BidirectionalCollection",
        "RandomAccessCollection", "MutableCollection", "RangeReplaceableCollection", "Strideable",
        "AdditiveArithmetic", "Numeric", "SignedNumeric", "ExpressibleByStringLiteral",
        "ExpressibleByIntegerLiteral", "ExpressibleByFloatLiteral", "ExpressibleByBooleanLiteral",
        "ExpressibleByArrayLiteral", "ExpressibleByDictionaryLiteral", "ExpressibleByNilLiteral",
        "ExpressibleByStringInterpolation", "ExpressibleByUnicodeScalarLiteral",
        "ExpressibleByExtendedGraphemeClusterLiteral", "AnyObject", "CustomReflectable",
    ])

    private final class Collector: SyntaxVisitor {
        var isMain: Set<String> = []
        var inherited: [String: [String]] = [:]
        private var path: [String] = []

        private func enter(
            _ node: some DeclGroupSyntax, _ name: String
        ) -> SyntaxVisitorContinueKind {
            path.append(name)
            let full = path.joined(separator: ".")
            if TypeContext.names(node.attributes).contains("MainActor") { isMain.insert(full) }
            inherited[full, default: []] +=
                node.inheritanceClause?.inheritedTypes.flatMap {
                    $0.type.trimmedDescription.split(separator: "&").map {
                        $0.filter { $0 != " " }
                    }
                } ?? []
            return .visitChildren
        }

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node, node.name.text)
        }
        override func visitPost(_ node: StructDeclSyntax) { path.removeLast() }
        override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node, node.name.text)
        }
        override func visitPost(_ node: EnumDeclSyntax) { path.removeLast() }
        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node, node.name.text)
        }
        override func visitPost(_ node: ClassDeclSyntax) { path.removeLast() }
        override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node, node.name.text)
        }
        override func visitPost(_ node: ProtocolDeclSyntax) { path.removeLast() }
        override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node, node.extendedType.trimmedDescription)
        }
        override func visitPost(_ node: ExtensionDeclSyntax) { path.removeLast() }
    }
}
