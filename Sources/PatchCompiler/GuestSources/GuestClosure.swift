/// The declarations that functions need in order to be compiled apart from the app.
///
/// Names are all there is to go by, so the closure takes every declaration that a mentioned name
/// could mean. Too many cost nothing after linking; too few are a compiler error.
struct GuestClosure {
    /// Indices of declarations to compile.
    private(set) var included: Set<Int> = []
    /// Types of which values are used; of the others only static members are.
    private(set) var valueTypes: Set<Int> = []

    /// Declarations in it whose bodies stay native.
    let natives: Set<Int>
    /// Declarations in it that are names only: what uses one does not compile.
    let barred: Set<Int>
    /// Classes whose objects stay in the app, by path. Of what is stored in them a module has
    /// accessors, of their initialisers calls.
    let proxied: Set<String>

    private let index: DeclarationIndex
    private var references = References()

    /// - Parameters:
    ///   - natives: declarations whose bodies stay native, so that what they use is not needed.
    ///   - barred: declarations of which nothing but the name is needed.
    init(
        of functions: [RoutableFunction], views: [RoutableView] = [], in index: DeclarationIndex,
        natives: Set<Int> = [], barred: Set<Int> = [], proxied: Set<String> = []
    ) {
        self.index = index
        self.natives = natives
        self.barred = barred
        self.proxied = proxied
        for function in functions {
            if let seed = index.index(of: function.id) { include(seed) }
        }
        for view in views {
            if let seed = index.index(ofView: view.id) { include(seed) }
        }
        var before = -1
        // Each round may bring names that make more types and members wanted.
        while before != included.count &+ valueTypes.count {
            before = included.count &+ valueTypes.count
            for position in index.declarations.indices where !included.contains(position) {
                if isWanted(position) { include(position) }
            }
            for position in included where !valueTypes.contains(position) {
                guard isUsedAsValue(index.declarations[position]) else { continue }
                valueTypes.insert(position)
                // Now its header counts: protocols, a superclass, generic requirements.
                references.formUnion(index.declarations[position].references)
            }
        }
    }

    private mutating func include(_ position: Int) {
        guard included.insert(position).inserted else { return }
        let declaration = index.declarations[position]
        // The header of a type that is only a namespace is not compiled.
        if barred.contains(position) || natives.contains(position) {
            // A name alone brings nothing, a heading its types.
            references.formUnion(References(in: NativeStub.heading(of: declaration.node)))
        } else if declaration.kind != .type {
            references.formUnion(declaration.references)
        }
        if let parent = declaration.parent { include(parent) }
        // An extension needs the type that it extends.
        if declaration.kind == .extensionHeader {
            for part in index.typeParts[declaration.typePath.joined(separator: ".")] ?? []
            where index.declarations[part].kind != .extensionHeader {
                include(part)
            }
        }
    }

    private func isWanted(_ position: Int) -> Bool {
        let declaration = index.declarations[position]
        switch declaration.kind {
        case .script, .other: return false
        case .extensionHeader:
            // A conformance goes with a type whose values are used.
            return !declaration.inherited.isEmpty && isValue(declaration.typePath)
        case .constant, .variable, .computed:
            return mentions(declaration)
                && !declaration.names.allSatisfy { isOnlyLocal($0, declaration) }
        default: break
        }
        if declaration.container.isEmpty { return mentions(declaration) }
        if !index.declaresType(declaration.container) {
            // An extension of a library type.
            return mentions(declaration)
        }
        guard isIncluded(declaration.container) else {
            return declaration.kind == .type && mentions(declaration)
        }
        if declaration.kind.isStructural, declaration.kind != .subscriptMember,
            isProxied(declaration.container)
        {
            guard natives.contains(position) else { return false }
            let name = declaration.container.last ?? ""
            return declaration.kind == .initializer
                ? references.whole.contains(name) || references.members.contains("init")
                : mentions(declaration)
        }
        if declaration.kind.isStructural {
            return isValue(declaration.container) && !mentionsCoding(declaration)
        }
        return mentions(declaration) || isWitness(declaration)
    }

    private func mentions(_ declaration: Declaration) -> Bool {
        declaration.names.contains {
            references.free.contains($0) || references.members.contains($0)
        }
    }

    /// Whether a name on file level is only ever the name of a local value.
    private func isOnlyLocal(_ name: String, _ declaration: Declaration) -> Bool {
        guard declaration.container.isEmpty else { return false }
        return !included.contains { position in
            let other = index.declarations[position].references
            return other.free.contains(name) && !other.bound.contains(name)
                && !natives.contains(position)
        }
    }

    private func isProxied(_ path: [String]) -> Bool {
        proxied.contains(path.joined(separator: "."))
    }

    private func isIncluded(_ path: [String]) -> Bool {
        index.typeParts[path.joined(separator: ".")]?.contains { included.contains($0) } ?? false
    }

    private func isValue(_ path: [String]) -> Bool {
        index.typeParts[path.joined(separator: ".")]?.contains { valueTypes.contains($0) } ?? false
    }

    /// Whether values of an included type are made or passed, not just its static members named.
    private func isUsedAsValue(_ declaration: Declaration) -> Bool {
        guard declaration.kind == .type, let name = declaration.names.first else { return false }
        if isProxied(declaration.typePath) { return true }
        if references.whole.contains(name) { return true }
        for position in included {
            let member = index.declarations[position]
            guard member.container == declaration.typePath,
                !natives.contains(position) || !member.isStatic
            else { continue }
            if [.method, .property, .subscriptMember, .initializer].contains(member.kind),
                !member.isStatic
            {
                return true
            }
            if member.references.whole.contains("Self") || member.references.whole.contains("self")
            {
                return true
            }
        }
        // `Name.something` where that is no static member makes a value.
        for something in references.qualified[name] ?? [] {
            let isStaticMember = (index.byName[something] ?? []).contains {
                let member = index.declarations[$0]
                return member.container == declaration.typePath
                    && (member.isStatic || member.kind == .type || member.kind == .alias)
            }
            if !isStaticMember { return true }
        }
        return false
    }

    /// Whether a protocol that the type keeps asks for it.
    private func isWitness(_ declaration: Declaration) -> Bool {
        guard isValue(declaration.container) else { return false }
        if !Declaration.unnamed.isDisjoint(with: declaration.names) { return true }
        let protocols = (index.typeParts[declaration.container.joined(separator: ".")] ?? [])
            .flatMap { index.declarations[$0].inherited }
        for name in protocols {
            if let known = Self.witnesses[name], !known.isDisjoint(with: declaration.names) {
                return true
            }
            for position in index.byName[name] ?? []
            where index.declarations[position].kind == .protocolType {
                let text = index.declarations[position].node.description
                if declaration.names.contains(where: text.contains) { return true }
            }
        }
        return false
    }

    private func mentionsCoding(_ declaration: Declaration) -> Bool {
        declaration.kind == .initializer
            && !declaration.references.free.isDisjoint(with: ["Decoder", "Encoder"])
    }

    private static let witnesses: [String: Set<String>] = [
        "View": ["body"], "ViewModifier": ["body"], "ButtonStyle": ["makeBody"],
        "CustomStringConvertible": ["description"], "Comparable": ["<"], "Equatable": ["=="],
        "Hashable": ["hash", "=="], "Identifiable": ["id"], "CaseIterable": ["allCases"],
        "RawRepresentable": ["rawValue"], "Sequence": ["makeIterator"],
        "IteratorProtocol": ["next"], "AdditiveArithmetic": ["+", "-", "zero"],
    ]
}
