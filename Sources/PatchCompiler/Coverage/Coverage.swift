import ModuleABI

/// What a module has to cover so that a store build behaves as the working tree does.
///
/// Compares declarations with the build's manifest. A changed declaration that is not routed can
/// only reach the device inside the functions that use it, so all its users must be routed, or
/// helpers with such users; otherwise native code of the installed app would go on with the old
/// one, and the change cannot ship.
struct Coverage {
    var report = CoverageReport()
    /// The routed functions to compile.
    var functions: [RoutableFunction] = []
    /// The views to compile.
    var views: [RoutableView] = []
    /// Declarations whose installed form does something else than the tree's.
    private(set) var affected: Set<Int> = []

    private let index: DeclarationIndex
    private let manifest: BuildManifest
    private let built: [String: BuildManifest.Function]
    private let builtViews: [String: BuildManifest.Function]
    private let natives: [String: String]
    private let builtPaths: Set<String>
    private var blockers: [(message: String, place: SourcePlace)] = []

    /// - Throws: ``PatchProjectError`` `native_change` that lists every change that cannot ship.
    init(code: AppCode, index: DeclarationIndex, manifest: BuildManifest) throws {
        self.index = index
        self.manifest = manifest
        built = Dictionary(manifest.functions.map { ($0.id, $0) }) { first, _ in first }
        builtViews = Dictionary((manifest.views ?? []).map { ($0.id, $0) }) { first, _ in first }
        natives = Dictionary(manifest.natives.map { ($0.key, $0.hash) }) { first, _ in first }
        builtPaths = Set(manifest.natives.map { Self.withoutDiscriminator($0.key) })
        compareInputs(code)
        var causes: [UInt64: (CoverageReport.Cause, String?)] = [:]
        var reshaped: [Int] = []
        for function in code.scan.functions {
            guard let old = built[function.hexID], old.body != function.bodyHash else { continue }
            if isRouted(function) {
                causes[function.id] = (.bodyChanged, nil)
            } else if let position = index.index(of: function.id) {
                // A type of its signature has another shape than the build's.
                reshaped.append(position)
            }
        }
        for view in code.scan.views {
            guard let old = builtViews[view.hexID], old.body != view.bodyHash else { continue }
            if isRouted(view) {
                causes[view.id] = (.bodyChanged, nil)
            } else if let position = index.index(ofView: view.id) {
                reshaped.append(position)
            }
        }
        for position in index.declarations.indices {
            guard let change = change(at: position) else { continue }
            follow(position, change, &causes)
        }
        for position in reshaped { refuseReshaped(position, &causes) }
        try refuseIfBlocked()
        for function in code.scan.functions {
            guard isRouted(function) else {
                report.unknownToBuild.append(function.displayName)
                continue
            }
            guard let (cause, through) = causes[function.id] else {
                report.unchanged += 1
                continue
            }
            functions.append(function)
            if let position = index.index(of: function.id) { affected.insert(position) }
            report.covered.append(
                CoverageReport.Covered(
                    id: function.hexID, name: function.displayName, place: function.place,
                    cause: cause, through: through))
        }
        for view in code.scan.views {
            guard isRouted(view) else {
                report.unknownToBuild.append(view.displayName)
                continue
            }
            guard let (cause, through) = causes[view.id] else {
                report.unchanged += 1
                continue
            }
            views.append(view)
            if let position = index.index(ofView: view.id) { affected.insert(position) }
            report.covered.append(
                CoverageReport.Covered(
                    id: view.hexID, name: view.displayName, place: view.place, cause: cause,
                    through: through))
        }
        let present = Set(index.declarations.map(\.key))
        report.removed = manifest.natives.filter { !present.contains($0.key) }
            .map { Self.readable($0.key) }
    }

    /// What the manifest remembers of declarations that are not routed, and of the parts of routed
    /// ones that are not their bodies.
    static func natives(of index: DeclarationIndex) -> [BuildManifest.Native] {
        index.declarations.filter(isCompared).map {
            BuildManifest.Native(key: $0.key, hash: $0.hash, place: $0.place)
        }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    // MARK: - Differences

    private enum Change { case edited, added }

    /// An extension that adds no conformance is nothing apart from its members.
    private static func isCompared(_ declaration: Declaration) -> Bool {
        declaration.kind != .extensionHeader || !declaration.inherited.isEmpty
    }

    private func change(at position: Int) -> Change? {
        let declaration = index.declarations[position]
        guard Self.isCompared(declaration) else { return nil }
        if let old = natives[declaration.key] {
            return old == declaration.hash ? nil : .edited
        }
        // The same name with another signature replaces what native code was compiled against.
        return builtPaths.contains(Self.withoutDiscriminator(declaration.key)) ? .edited : .added
    }

    private mutating func compareInputs(_ code: AppCode) {
        let current = code.fingerprint
        func dependencies(_ inputs: [Fingerprint.Input]) -> String? {
            inputs.first { $0.name == "dependencies" }?.hash
        }
        if dependencies(manifest.inputs) != dependencies(current.inputs) {
            blockers.append(
                (
                    "the resolved versions of packages differ from the build's",
                    SourcePlace(file: "Package.resolved", line: 0)
                ))
        }
        let before = Dictionary(manifest.inputs.map { ($0.name, $0.hash) }) { first, _ in first }
        let now = Dictionary(code.lists.map { ($0.name, $0) }) { first, _ in first }
        for entry in code.lists where before[entry.name] != entry.hash {
            blockers.append(
                (
                    "'\(entry.key)' is not as in the build",
                    SourcePlace(file: entry.file, line: entry.line)
                ))
        }
        for input in manifest.inputs where now[input.name] == nil {
            guard let (file, key) = PropertyListInputs.parts(of: input.name) else { continue }
            blockers.append(("'\(key)' is gone", SourcePlace(file: file, line: 0)))
        }
    }

    private func isRouted(_ function: RoutableFunction) -> Bool {
        built[function.hexID]?.sig == DeclarationID.hex16(function.signature)
    }

    private func isRouted(_ view: RoutableView) -> Bool {
        builtViews[view.hexID]?.sig == DeclarationID.hex16(view.signature)
    }

    // MARK: - Users

    /// Covers the routed users of a changed declaration and complains about native ones.
    private mutating func follow(
        _ start: Int, _ change: Change,
        _ causes: inout [UInt64: (CoverageReport.Cause, String?)]
    ) {
        let changed = index.declarations[start]
        // A new override or entry point changes what native code does without being mentioned in
        // it; a new member of the starting type does not.
        let isEntry = changed.kind == .script || changed.isOverride || isMarked(changed)
        if isEntry || change == .edited && isUsedByRuntime(changed) {
            let verb = change == .edited ? "changed" : "is new"
            blockers.append(
                ("'\(changed.path)' \(verb), and only a store build runs it", changed.place))
            return
        }
        var pending = [start]
        var seen: Set<Int> = [start]
        defer { affected.formUnion(seen) }
        while let current = pending.popLast() {
            for user in users(of: current) where seen.insert(user).inserted {
                let declaration = index.declarations[user]
                if let view = declaration.view, isRouted(view) {
                    if causes[view.id] == nil { causes[view.id] = (.usesChanged, changed.path) }
                    continue
                }
                let functions = declaration.routed.filter(isRouted)
                for function in functions where causes[function.id] == nil {
                    causes[function.id] = (.usesChanged, changed.path)
                }
                if !functions.isEmpty, functions.count == declaration.routed.count { continue }
                guard change == .edited || self.change(at: user) != nil else { continue }
                if change == .edited, !canTravel(user) {
                    block(changed, user)
                } else {
                    // It goes where its own users go.
                    pending.append(user)
                }
            }
        }
    }

    /// A changed function that the build's gate cannot serve, because values of its types do not
    /// cross any more, goes where its users go; without any, nobody would see the change.
    private mutating func refuseReshaped(
        _ position: Int, _ causes: inout [UInt64: (CoverageReport.Cause, String?)]
    ) {
        let declaration = index.declarations[position]
        guard !users(of: position).isEmpty else {
            blockers.append(
                (
                    "'\(declaration.path)' changed, and the shape of a type that it takes or "
                        + "gives has changed as well", declaration.place
                ))
            return
        }
        follow(position, .edited, &causes)
    }

    /// Whether a declaration that is not routed runs only inside what names it, so that a changed
    /// one, or one that uses what changed, reaches the device inside its users.
    private func canTravel(_ position: Int) -> Bool {
        let declaration = index.declarations[position]
        if isUsedByRuntime(declaration) || declaration.kind == .deinitializer { return false }
        if declaration.kind == .method || declaration.kind == .property,
            mayBeWitness(declaration), !isBody(declaration)
        {
            return false
        }
        // Nobody names it: somebody unseen may, or it is dead. Changed dead code is let through.
        return change(at: position) != nil || !users(of: position).isEmpty
    }

    private mutating func block(_ changed: Declaration, _ user: Int) {
        let native = index.declarations[user]
        blockers.append(
            (
                "'\(changed.path)' changed and '\(native.path)' (\(native.place)) uses it, which "
                    + "stays native",
                changed.place
            ))
    }

    /// Declarations that mention one of the names of `position`, itself left out.
    private func users(of position: Int) -> [Int] {
        let declaration = index.declarations[position]
        var names = Set(declaration.names)
        switch declaration.kind {
        case .extensionHeader, .storedProperty, .initializer, .deinitializer:
            // Whoever mentions the type may depend on how it is made.
            names = container(declaration)
        case .subscriptMember:
            // Who uses one of a library's type need not mention the type.
            if index.declaresType(declaration.container) { names = container(declaration) }
        case .enumCase:
            names.formUnion(container(declaration))
        case .method, .property:
            // A protocol's machinery calls witnesses without naming them, as the language calls
            // some members.
            if isBody(declaration) {
                // Nobody but the system names the body of a view, and much else is called so.
                names = container(declaration)
            } else if mayBeWitness(declaration) || !names.isDisjoint(with: Declaration.unnamed) {
                names.formUnion(container(declaration))
            }
        default: break
        }
        return index.declarations.indices.filter { other in
            guard other != position else { return false }
            let candidate = index.declarations[other]
            if names.isDisjoint(with: candidate.references.free),
                names.isDisjoint(with: candidate.references.members)
            {
                return false
            }
            return !shadows(candidate, names, declaration)
        }
    }

    /// Whether `candidate` only mentions a value of its own by one of the names.
    private func shadows(
        _ candidate: Declaration, _ names: Set<String>, _ declaration: Declaration
    ) -> Bool {
        guard
            declaration.kind == .constant || declaration.kind == .variable
                || declaration.kind == .computed
        else { return false }
        return names.intersection(candidate.references.all).allSatisfy {
            candidate.references.bound.contains($0) && !candidate.references.members.contains($0)
        }
    }

    private func container(_ declaration: Declaration) -> Set<String> {
        declaration.container.last.map { [$0] } ?? []
    }

    private func conforms(_ container: [String]) -> Bool {
        index.typeParts[container.joined(separator: ".")]?.contains {
            !index.declarations[$0].inherited.isEmpty
        } ?? false
    }

    /// Whether a protocol's machinery may call it. Of a view that is its body, nothing else.
    private func mayBeWitness(_ declaration: Declaration) -> Bool {
        conforms(declaration.container)
            && (isBody(declaration) || !isView(declaration.container))
    }

    /// Whether it is what a view draws: the system calls it of views that somebody made by name.
    private func isBody(_ declaration: Declaration) -> Bool {
        declaration.names == ["body"] && !declaration.isStatic && isView(declaration.container)
    }

    /// Whether a type is a view, and conforms to nothing else.
    private func isView(_ container: [String]) -> Bool {
        let all = (index.typeParts[container.joined(separator: ".")] ?? [])
            .flatMap { index.declarations[$0].inherited }
        return !all.isEmpty && all.allSatisfy { ["View", "SwiftUI.View"].contains($0) }
    }

    /// Whether something calls it that does not name it: the system, or code that knows only a
    /// superclass.
    private func isUsedByRuntime(_ declaration: Declaration) -> Bool {
        if declaration.kind == .script || declaration.isOverride { return true }
        if isMarked(declaration) { return true }
        // Members of the type that the program starts with.
        return index.typeParts[declaration.container.joined(separator: ".")]?.contains {
            isMarked(index.declarations[$0])
        } ?? false
    }

    /// Whether an attribute hands it to the system.
    private func isMarked(_ declaration: Declaration) -> Bool {
        declaration.attributes.contains(where: Self.entryAttributes.contains)
    }

    private static let entryAttributes: Set<String> = [
        "main", "UIApplicationMain", "NSApplicationMain", "objc", "IBAction", "IBOutlet", "_cdecl",
        "c", "_expose",
    ]

    // MARK: - Words

    private func refuseIfBlocked() throws {
        guard !blockers.isEmpty else { return }
        var lines: [String] = []
        for blocker in blockers where !lines.contains(blocker.message) {
            lines.append(blocker.message)
        }
        var message = "this change needs a store build: " + lines.prefix(5).joined(separator: "; ")
        if lines.count > 5 { message += "; and \(lines.count - 5) more" }
        message += ". Take it back, or register and ship a new build"
        var findings: [PatchProjectError.Finding] = []
        for blocker in blockers {
            let finding = PatchProjectError.Finding(blocker.message, at: blocker.place)
            if !findings.contains(finding) { findings.append(finding) }
        }
        throw PatchProjectError(
            .nativeChange, message, at: [blockers[0].place], findings: findings)
    }

    private static func withoutDiscriminator(_ key: String) -> String {
        key.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "|")
    }

    static func readable(_ key: String) -> String {
        let parts = key.split(separator: "|", omittingEmptySubsequences: false)
        return parts.count > 2 ? String(parts[2]) : key
    }
}
