/// Why bytes are not a view tree.
public struct TreeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A stable name of the fault.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes end inside an operation.
        case truncated = "tree_truncated"
        /// An operation's fields and contents do not fill its bytes, or go beyond them.
        case badLength = "tree_bad_length"
        /// A number that the vocabulary does not have, or not there.
        case unknownOperation = "tree_unknown_operation"
        /// A value that its type does not have.
        case badValue = "tree_bad_value"
        /// Text that is not UTF-8.
        case badText = "tree_bad_text"
        /// Views inside of views beyond the limit.
        case tooDeep = "tree_too_deep"
        /// More views and modifiers than the limit.
        case tooManyNodes = "tree_too_many_nodes"
        /// More bytes than the limit.
        case tooLarge = "tree_too_large"
    }

    /// What is wrong.
    public var kind: Code
    /// Offset of the fault in the tree's bytes.
    public var offset: Int

    /// A fault at a place in the bytes.
    public init(_ kind: Code, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// The stable code, in snake case.
    public var code: String { kind.rawValue }

    /// The sentence for people.
    public var description: String {
        "the patch drew something that cannot be read at byte \(offset) (\(code)), so the app's "
            + "own view is shown; build the patch again with a patchcli that matches the app's SDK"
    }
}

/// How large a tree may be. The bytes come from a guest, so everything is bounded before memory is
/// taken for it.
public struct TreeLimits: Equatable, Sendable {
    /// Bytes of a tree.
    public var bytes: Int
    /// Views inside of views.
    public var depth: Int
    /// Views and modifiers in all.
    public var nodes: Int

    /// Limits; the defaults are far above any screen.
    public init(bytes: Int = 8 << 20, depth: Int = 200, nodes: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
