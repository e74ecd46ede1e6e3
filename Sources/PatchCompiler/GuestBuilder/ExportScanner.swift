import SwiftParser
import SwiftSyntax

/// Finds the C names that Swift sources give to functions.
enum ExportScanner {
    struct Found: Equatable {
        /// Names defined whatever the conditions are, in order of appearance.
        var certain: [String] = []
        /// Names inside `#if`: exported when the compiler took that branch.
        var conditional: [String] = []
    }

    static func scan(_ sources: [GuestSource]) -> Found {
        var found = Found()
        for source in sources where source.text.contains("@") {
            let visitor = Visitor(viewMode: .sourceAccurate)
            visitor.walk(Parser.parse(source: source.text))
            found.certain += visitor.found.certain
            found.conditional += visitor.found.conditional
        }
        return found
    }

    private final class Visitor: SyntaxVisitor {
        var found = Found()
        private var depth = 0

        override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
            depth += 1
            return .visitChildren
        }

        override func visitPost(_ node: IfConfigDeclSyntax) { depth -= 1 }

        override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
            guard let name = exportedName(node) else { return .skipChildren }
            if depth == 0 { found.certain.append(name) } else { found.conditional.append(name) }
            return .skipChildren
        }

        private func exportedName(_ node: AttributeSyntax) -> String? {
            let arguments = node.arguments.map { Array($0.tokens(viewMode: .sourceAccurate)) } ?? []
            switch node.attributeName.trimmedDescription {
            case "_cdecl":
                // `@_cdecl("name")`
                return arguments.first { $0.isText }?.text
            case "c":
                // `@c`, `@c(name)`
                return arguments.first?.text ?? functionName(of: node)
            case "_expose":
                // `@_expose(wasm)`, `@_expose(wasm, "name")`
                guard arguments.first?.text == "wasm" else { return nil }
                return arguments.first { $0.isText }?.text ?? functionName(of: node)
            default:
                return nil
            }
        }

        private func functionName(of node: AttributeSyntax) -> String? {
            var parent = node.parent
            while let current = parent {
                if let function = current.as(FunctionDeclSyntax.self) { return function.name.text }
                parent = current.parent
            }
            return nil
        }
    }
}

extension TokenSyntax {
    fileprivate var isText: Bool {
        if case .stringSegment = tokenKind { return true }
        return false
    }
}
