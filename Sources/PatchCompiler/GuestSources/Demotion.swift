import SwiftSyntax

/// Which declarations of a module stay native and are called from it, because they cannot be
/// compiled into one. What the compiler and the linter say decides.
struct Demotion {
    private let index: DeclarationIndex
    /// Whether the installed app has a declaration as it is in the tree, and modules may call it.
    let isAllowed: (Int) -> Bool
    /// Declarations whose bodies stay native.
    private(set) var natives: Set<Int> = []
    /// Declarations that may only be named, and what a use of one is told.
    private(set) var barred: [Int: GuestLinter.Finding] = [:]

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
    /// - Parameter mayAdd: whether more may become native; else functions are at fault.
    mutating func demote(
        _ position: Int, in closure: GuestClosure, seeds: Set<Int>, mayAdd: Bool = true
    ) -> Outcome {
        var outcome = Outcome()
        var pending = [position]
        var seen: Set<Int> = [position]
        while let current = pending.popLast() {
            if seeds.contains(current) {
                outcome.guilty.insert(current)
                continue
            }
            if mayAdd, canBeNative(current) {
                natives.insert(current)
                outcome.isProgress = true
                continue
            }
            pending += users(of: current, in: closure).filter { seen.insert($0).inserted }
        }
        return outcome
    }

    /// Whether a declaration that is not native yet can be.
    func canBeNative(_ position: Int) -> Bool {
        !natives.contains(position) && Self.isCallable(index.declarations[position])
            && isAllowed(position)
    }

    /// Whether the name of a declaration can stand in a module without it. The closure of a module
    /// takes every declaration that a name could mean, also those that nothing in it means.
    func isBarrable(_ position: Int) -> Bool {
        let declaration = index.declarations[position]
        guard !declaration.isConditional else { return false }
        if let variable = declaration.node.as(VariableDeclSyntax.self) {
            let isStored =
                [.constant, .variable].contains(declaration.kind)
                || declaration.kind == .storedProperty && declaration.isStatic
            return isStored
                && variable.bindings.allSatisfy { $0.pattern.is(IdentifierPatternSyntax.self) }
        }
        guard let function = declaration.node.as(FunctionDeclSyntax.self), function.body != nil
        else { return false }
        return isUnmistakable(function, position)
    }

    /// Whether a call of a function could mean no other one when it is not there: it takes
    /// something under a label that no function of its name has, and belongs to a type of the app.
    private func isUnmistakable(_ function: FunctionDeclSyntax, _ position: Int) -> Bool {
        let declaration = index.declarations[position]
        guard index.declaresType(declaration.container) else { return false }
        func labels(_ function: FunctionDeclSyntax, required: Bool) -> Set<String> {
            Set(
                function.signature.parameterClause.parameters.filter {
                    !required || $0.defaultValue == nil
                }.map(\.firstName.text)
            ).subtracting(["_"])
        }
        var own = labels(function, required: true)
        for name in declaration.names {
            for other in index.byName[name] ?? [] where other != position {
                guard let other = index.declarations[other].node.as(FunctionDeclSyntax.self) else {
                    return false
                }
                own.subtract(labels(other, required: false))
            }
        }
        return !own.isEmpty
    }

    /// Leaves the name of a declaration in the module and nothing else of it.
    /// - Returns: whether that is another module.
    mutating func bar(_ finding: GuestLinter.Finding) -> Bool {
        let position = finding.position
        guard barred[position] == nil, isBarrable(position) else {
            return false
        }
        barred[position] = finding
        return true
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
