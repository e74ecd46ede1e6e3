/// Which declarations of a module stay native and are called from it, because they cannot be
/// compiled into one. What the compiler and the linter say decides.
struct Demotion {
    private let index: DeclarationIndex
    private let isAllowed: (Int) -> Bool
    /// Declarations whose bodies stay native.
    private(set) var natives: Set<Int> = []

    /// - Parameter isAllowed: whether the installed app has the declaration as it is in the tree,
    ///   and modules may call it.
    init(_ index: DeclarationIndex, isAllowed: @escaping (Int) -> Bool) {
        self.index = index
        self.isAllowed = isAllowed
    }

    struct Outcome {
        /// Functions that the module serves itself and that cannot do without what failed.
        var guilty: Set<Int> = []
        /// Whether anything became native.
        var isProgress = false
    }

    /// Whether modules can call all that a declaration consists of.
    static func isCallable(_ declaration: Declaration) -> Bool {
        !declaration.natives.isEmpty && !declaration.isConditional
            && declaration.natives.count == NativeStub.accessorCount(declaration.node)
            && NativeStub.body(of: declaration.node) != nil
    }

    /// Keeps what failed out of the module: it becomes native itself, or what uses it does.
    mutating func demote(
        _ position: Int, in closure: GuestClosure, seeds: Set<Int>
    ) -> Outcome {
        var outcome = Outcome()
        var pending = [position]
        var seen: Set<Int> = [position]
        while let current = pending.popLast() {
            if seeds.contains(current) {
                outcome.guilty.insert(current)
                continue
            }
            if !natives.contains(current), Self.isCallable(index.declarations[current]),
                isAllowed(current)
            {
                natives.insert(current)
                outcome.isProgress = true
                continue
            }
            pending += users(of: current, in: closure).filter { seen.insert($0).inserted }
        }
        return outcome
    }

    /// Makes everything native that can be, when nothing says what failed.
    mutating func demoteAll(in closure: GuestClosure, seeds: Set<Int>) -> Bool {
        let before = natives.count
        for position in closure.included where !seeds.contains(position) {
            if Self.isCallable(index.declarations[position]), isAllowed(position) {
                natives.insert(position)
            }
        }
        return natives.count > before
    }

    /// What is compiled and mentions a declaration.
    private func users(of position: Int, in closure: GuestClosure) -> [Int] {
        let declaration = index.declarations[position]
        var names = Set(declaration.names)
        if declaration.kind.isStructural || declaration.kind == .extensionHeader {
            names = declaration.container.last.map { [$0] } ?? []
        }
        return closure.included.filter { other in
            guard other != position, !natives.contains(other) else { return false }
            let references = index.declarations[other].references
            return !names.isDisjoint(with: references.free)
                || !names.isDisjoint(with: references.members)
        }
    }
}
