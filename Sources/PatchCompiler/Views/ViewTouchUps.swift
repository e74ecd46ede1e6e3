import Foundation
import SwiftSyntax

/// Rewrites what Embedded Swift lacks in the sources of views into what means the same:
/// key paths, parts of bindings, `@Observable`, attributes and conformances that have no meaning in
/// a guest. What cannot be rewritten without types stays, and is a compiler error, never another
/// meaning.
final class ViewTouchUps: SyntaxVisitor {
    private(set) var edits: SourceEdits
    /// What was found that no rewriting helps with.
    private(set) var refusals: [(node: Syntax, message: String)] = []
    /// Bodies of `#Preview`, in order: the title and the name of the function that they became.
    private(set) var previews: [(title: String, function: String)] = []
    private let suffix: String
    /// Whether the full compiler gets the text, which has all of the language.
    private let isNative: Bool

    /// - Parameters:
    ///   - suffix: distinguishes what is generated for this file.
    ///   - isNative: leaves what only Embedded Swift lacks.
    init(_ text: String, suffix: String, isNative: Bool = false) {
        edits = SourceEdits(text)
        self.suffix = suffix
        self.isNative = isNative
        super.init(viewMode: .sourceAccurate)
    }

    func append(_ text: String) { edits.append(text) }

    func insert(_ text: String, at offset: Int) { edits.insert(text, at: offset) }

    // MARK: - Imports, attributes, conformances

    /// Modules whose names the guest's own `SwiftUI` has.
    private static let covered: Set<String> = ["UIKit", "Combine", "Observation"]

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if Self.covered.contains(node.path.trimmedDescription) { edits.blank(node) }
        return .skipChildren
    }

    private static let meaningless: Set<String> = ["MainActor", "main", "Observable"]

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.attributeName.trimmedDescription
        if Self.meaningless.contains(name), !(isNative && name == "Observable") {
            edits.blank(node)
            return .skipChildren
        }
        if isNative { return .skipChildren }
        if name == "Environment", let argument = node.arguments?.as(LabeledExprListSyntax.self),
            let path = argument.first?.expression.as(KeyPathExprSyntax.self),
            let access = Self.access(of: path)
        {
            edits.replace(path, with: "{ $0\(access) }")
            return .skipChildren
        }
        return .visitChildren
    }

    private static let coding: Set<String> = ["Codable", "Encodable", "Decodable"]

    override func visit(_ node: InheritanceClauseSyntax) -> SyntaxVisitorContinueKind {
        if isNative { return .visitChildren }
        let kept = node.inheritedTypes.filter {
            !Self.coding.contains($0.type.trimmedDescription)
        }
        guard kept.count < node.inheritedTypes.count else { return .visitChildren }
        let list = kept.map { $0.type.trimmedDescription }.joined(separator: ", ")
        edits.replace(node, with: list.isEmpty ? "" : ": \(list)")
        return .skipChildren
    }

    // MARK: - Observable models

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !isNative, node.attributes.contains(where: { $0.named("Observable") }) else {
            return .visitChildren
        }
        for member in node.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored,
                variable.bindingSpecifier.tokenKind == .keyword(.var), !variable.isStatic
            else { continue }
            if let ignored = variable.attributes.first(where: { $0.named("ObservationIgnored") }) {
                edits.blank(ignored)
            } else if variable.attributes.isEmpty {
                let place = variable.positionAfterSkippingLeadingTrivia.utf8Offset
                edits.insert("@Published ", at: place)
            }
        }
        return .visitChildren
    }

    override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
        // Nothing outlives the guest, so a strong capture is as good.
        if !isNative, let specifier = node.specifier, specifier.specifier.text == "weak" {
            edits.blank(specifier)
        }
        return .visitChildren
    }

    // MARK: - Key paths

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
        guard !isNative, let access = Self.access(of: node) else { return .visitChildren }
        edits.replace(node, with: "{ $0\(access) }")
        return .skipChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if !isNative, let callee = node.calledExpression.as(MemberAccessExprSyntax.self),
            callee.declName.baseName.text == "environment", node.arguments.count == 2,
            let path = node.arguments.first?.expression.as(KeyPathExprSyntax.self),
            let access = Self.access(of: path)
        {
            edits.replace(callee.declName, with: "_environment")
            edits.replace(path, with: "{ $0\(access) = $1 }")
            if let base = callee.base { walk(base) }
            for argument in node.arguments.dropFirst() { walk(argument) }
            return .skipChildren
        }
        return .visitChildren
    }

    /// `\.a.b` and `\Type.a.b` as `.a.b`; nil for what a closure cannot say.
    private static func access(of path: KeyPathExprSyntax) -> String? {
        var text = ""
        for component in path.components {
            switch component.component {
            case .property(let property):
                if property.declName.baseName.text == "self" { continue }
                text += "." + property.declName.trimmedDescription
            case .optional(let mark): text += mark.questionOrExclamationMark.text
            case .subscript(let index):
                text += index.trimmedDescription
            default: return nil
            }
        }
        return text.contains("\n") ? nil : text
    }

    // MARK: - Parts of bindings

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        project(ExprSyntax(node)) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: SubscriptCallExprSyntax) -> SyntaxVisitorContinueKind {
        project(ExprSyntax(node)) ? .skipChildren : .visitChildren
    }

    private static let ofBindings: Set<String> = [
        "wrappedValue", "projectedValue", "animation", "_project", "publisher",
    ]

    /// `$form.address.city` as a pair of closures.
    private func project(_ node: ExprSyntax) -> Bool {
        if isNative { return false }
        // A call of a method is not a part.
        if node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == node.id {
            return false
        }
        var path = ""
        var rest = node
        while true {
            if let member = rest.as(MemberAccessExprSyntax.self), let base = member.base {
                path = "." + member.declName.trimmedDescription + path
                rest = base
            } else if let index = rest.as(SubscriptCallExprSyntax.self) {
                path = "[\(index.arguments.trimmedDescription)]" + path
                rest = index.calledExpression
            } else {
                break
            }
        }
        guard let base = rest.as(DeclReferenceExprSyntax.self),
            base.baseName.text.hasPrefix("$"), Int(base.baseName.text.dropFirst()) == nil,
            !path.contains("\n"),
            let first = path.dropFirst().split(whereSeparator: { ".[".contains($0) }).first,
            !Self.ofBindings.contains(String(first))
        else { return false }
        // A closure inside of a closure has parameters of its own.
        guard !path.contains("$0") else { return false }
        let name = base.baseName.text
        edits.replace(node, with: "\(name)._project({ $0\(path) }, { $0\(path) = $1 })")
        return true
    }

    // MARK: - Previews

    override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind {
        preview(node, node.macroName, node.arguments, node.trailingClosure)
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        preview(node, node.macroName, node.arguments, node.trailingClosure)
    }

    private func preview(
        _ node: some SyntaxProtocol, _ name: TokenSyntax, _ arguments: LabeledExprListSyntax,
        _ body: ClosureExprSyntax?
    ) -> SyntaxVisitorContinueKind {
        guard name.text == "Preview" else { return .visitChildren }
        guard let body, body.signature == nil else {
            edits.blank(node)
            return .skipChildren
        }
        let title = arguments.first?.expression.as(StringLiteralExprSyntax.self)?
            .representedLiteralValue
        let function = "_opPreview\(suffix)_\(previews.count)"
        previews.append((title ?? "Preview \(previews.count + 1)", function))
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let brace = body.leftBrace.positionAfterSkippingLeadingTrivia.utf8Offset
        edits.replace(
            start..<brace, with: "@ViewBuilder func \(function)() -> some View ")
        walk(body)
        return .skipChildren
    }

    // MARK: - What ends the compiler

    override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
        switch token.tokenKind {
        case .keyword(.async), .keyword(.await):
            if isNative { break }
            refusals.append(
                (
                    Syntax(token),
                    "'\(token.text)' cannot run in a patch; move the asynchronous work into a "
                        + "native function and keep its result in a model"
                ))
        default: break
        }
        return .skipChildren
    }
}

extension AttributeListSyntax.Element {
    /// Whether it is the attribute called `name`.
    func named(_ name: String) -> Bool {
        self.as(AttributeSyntax.self)?.attributeName.trimmedDescription == name
    }
}

extension VariableDeclSyntax {
    /// Whether it has a place in memory, not code.
    var isStored: Bool {
        bindings.allSatisfy { binding in
            guard let block = binding.accessorBlock else { return true }
            guard case .accessors(let list) = block.accessors else { return false }
            return list.allSatisfy {
                ["willSet", "didSet"].contains($0.accessorSpecifier.text)
            }
        }
    }

    var isStatic: Bool {
        modifiers.contains { ["static", "class", "lazy"].contains($0.name.text) }
    }
}
