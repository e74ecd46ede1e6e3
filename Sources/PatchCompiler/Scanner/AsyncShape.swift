import SwiftSyntax

/// Which async bodies a module can have: those that wait for one thing after the other. A module
/// runs as ordinary code that its host suspends (decision 0120), so what starts work beside itself
/// has no counterpart there and is refused by name.
enum AsyncShape {
    /// - Throws: ``Reason`` `async` that names what stands in the way.
    static func check(_ body: Syntax) throws {
        if let found = Finder.find(in: body) { throw Reason(.isAsync, found) }
    }

    /// What in `node` starts work beside itself, or nil.
    static func obstacle(in node: Syntax) -> String? { Finder.find(in: node) }

    private final class Finder: SyntaxVisitor {
        private var found: String?

        static func find(in node: Syntax) -> String? {
            let finder = Finder(viewMode: .sourceAccurate)
            finder.walk(node)
            return finder.found
        }

        private func note(_ what: String) { if found == nil { found = what } }

        override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
            if node.modifiers.contains(where: { $0.name.text == "async" }) { note("async let") }
            return .visitChildren
        }

        override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
            if node.awaitKeyword != nil { note("for await") }
            return .visitChildren
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            let name = node.baseName.text
            if Self.concurrent.contains(name) { note(name) }
            return .visitChildren
        }

        private static let concurrent: Set<String> = [
            "Task", "withTaskGroup", "withThrowingTaskGroup",
            "withDiscardingTaskGroup",  // newer API: a name to look for, not a call
            "withThrowingDiscardingTaskGroup",  // newer API: a name to look for, not a call
            "withTaskCancellationHandler",
            "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
            "withUnsafeThrowingContinuation", "AsyncStream", "AsyncThrowingStream", "MainActor",
            "DispatchQueue", "TaskLocal",
        ]
    }
}
