/// What a module covers of a store build, and why.
public struct CoverageReport: Sendable, Equatable {
    /// Why a function is in a module.
    public enum Cause: String, Sendable {
        /// Its own body differs from the build's.
        case bodyChanged = "body_changed"
        /// It uses something that differs.
        case usesChanged = "uses_changed"
    }

    /// A function that the module serves.
    public struct Covered: Sendable, Equatable {
        /// 16 hex digits.
        public var id: String
        /// As in `Cart.total(of:)`.
        public var name: String
        /// Where it is now.
        public var place: SourcePlace
        /// Why it is covered.
        public var cause: Cause
        /// The changed declaration that it uses, for ``Cause/usesChanged``.
        public var through: String?
    }

    /// Something that does not compile, with the place.
    public struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// The routed function, as in `Cart.total(of:)`.
        public var function: String
        /// What the compiler or the linter said.
        public var message: String
        /// Where.
        public var place: SourcePlace?

        /// `file:line: function: message`.
        public var description: String {
            (place.map { "\($0): " } ?? "") + "\(function): \(message)"
        }
    }

    /// Covered functions, by place.
    public var covered: [Covered] = []
    /// Number of routed functions that are as in the build and cost nothing.
    public var unchanged = 0
    /// Declarations of the build that are gone from the tree; the installed app still has them.
    public var removed: [String] = []
    /// Functions of the installed app that the module calls, because they cannot be compiled into
    /// it; known once it was built.
    public var calls: [String] = []
    /// Routed functions of the tree that the build does not have.
    public var unknownToBuild: [String] = []
}
