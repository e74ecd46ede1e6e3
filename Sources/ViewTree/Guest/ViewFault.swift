/// Why a patched view cannot be shown: the app's own view takes its place.
public struct ViewFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A stable name of the fault.
    public enum Code: String, Sendable, CaseIterable {
        /// The module exports no function of this name, or one of another type.
        case exportMissing = "view_export_missing"
        /// The module has no view of this id.
        case unknownView = "view_unknown"
        /// The module cannot be instantiated.
        case startFailed = "view_start_failed"
        /// The guest ended by an error of its own.
        case trapped = "view_trapped"
        /// The guest took longer than it may.
        case timeLimit = "view_time_limit"
        /// The guest named bytes that it does not have.
        case memoryFault = "view_memory_fault"
        /// What the guest drew cannot be read.
        case badTree = "view_bad_tree"
        /// A call into a guest that failed before.
        case notSound = "view_not_sound"
    }

    /// What is wrong.
    public var kind: Code
    /// What was met.
    public var detail: String
    /// The fault in the tree's bytes, when it was that.
    public var tree: TreeError?

    /// A fault.
    public init(_ kind: Code, _ detail: String, tree: TreeError? = nil) {
        self.kind = kind
        self.detail = detail
        self.tree = tree
    }

    /// The stable code, in snake case: the tree's own code for a tree that cannot be read.
    public var code: String { tree?.code ?? kind.rawValue }

    /// The sentence for people.
    public var description: String {
        "the patched view cannot be shown (\(code): \(detail)), so the app's own view is; build "
            + "the patch again, and see it with 'patchcli preview' first"
    }
}
