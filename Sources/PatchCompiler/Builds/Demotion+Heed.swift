import ModuleABI

extension BuildManifest {
    /// Whether the build has a native function in the form that the tree gives it.
    func offers(_ function: RoutableFunction) -> Bool {
        calls?.contains(
            Call(id: function.hexID, sig: DeclarationID.hex16(function.signature))) ?? false
    }
}

extension DeclarationIndex {
    init(_ code: AppCode) {
        self.init(code.tree, functions: code.scan.functions, natives: code.scan.natives)
    }
}

extension Demotion {
    /// Keeps what the linter found out of a module of changed functions.
    /// - Returns: whether something became native, so that the module is another one.
    /// - Throws: ``PatchProjectError`` `cannot_ship` when a changed function itself is at fault.
    mutating func heed(
        _ findings: [GuestLinter.Finding], _ generator: PatchSourceGenerator
    ) throws -> Bool {
        var isProgress = false
        var refused: [GuestLinter.Finding] = []
        for finding in findings {
            let outcome = demote(finding.position, in: generator.closure, seeds: generator.seeds)
            if !outcome.guilty.isEmpty || !outcome.isProgress { refused.append(finding) }
            if outcome.isProgress { isProgress = true }
        }
        // What one finding made native may have been all that led to another.
        if isProgress, refused.isEmpty || refused.count < findings.count { return true }
        guard !refused.isEmpty else { return false }
        throw PatchProjectError(
            .cannotShip, refused.map(\.message).joined(separator: "; "), at: refused.map(\.place),
            findings: refused.map { .init($0.message, at: $0.place) })
    }

    /// Keeps what the compiler complained about out of a module of changed functions.
    /// - Returns: whether the module is another one now.
    mutating func heed(_ error: GuestBuildError, _ generator: PatchSourceGenerator) -> Bool {
        let found = generator.faults(of: error)
        if found.isEmpty {
            guard case .compilerCrashed = error else { return false }
            return demoteAll(in: generator.closure, seeds: generator.seeds)
        }
        var isProgress = false
        for position in found.keys.sorted() {
            let outcome = demote(position, in: generator.closure, seeds: generator.seeds)
            guard outcome.guilty.isEmpty else { return false }
            if outcome.isProgress { isProgress = true }
        }
        return isProgress
    }
}

extension PatchSourceGenerator {
    /// The declarations of the functions that the module serves.
    var seeds: Set<Int> { Set(functions.compactMap { index.index(of: $0.id) }) }

    /// The declarations that a failed build complains about, with what it says.
    func faults(of error: GuestBuildError) -> [Int: CompilerDiagnostic] {
        guard case .compile(let all) = error.withoutCrash else { return [:] }
        var found: [Int: CompilerDiagnostic] = [:]
        for diagnostic in all where diagnostic.severity == .error {
            guard let file = diagnostic.file else { continue }
            for position in declarations(at: SourcePlace(file: file, line: diagnostic.line))
            where found[position] == nil { found[position] = diagnostic }
        }
        return found
    }
}

extension GuestBuildError {
    /// A crash counts as what the compiler was at.
    var withoutCrash: GuestBuildError {
        if case .compilerCrashed(let found) = self { return .compile(found) }
        return self
    }
}
