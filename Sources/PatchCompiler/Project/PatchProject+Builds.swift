import ModuleABI

extension PatchProject {
    /// Refuses to offer a module, made for one build, to another one that it does not serve: that
    /// build lacks a function that the module replaces, or differs from the sources in one that the
    /// module leaves as it is.
    /// - Throws: ``PatchProjectError`` `build_not_served`, which names each function, and what
    ///   ``coverage(of:)`` throws when that build is not to be reached over the air at all.
    public func refuse(_ module: BuiltModule, unlessServing manifest: BuildManifest) throws {
        let built = Dictionary(manifest.functions.map { ($0.id, $0.sig) }) { first, _ in first }
        let names = Dictionary(module.coverage.covered.map { ($0.id, $0) }) { first, _ in first }
        var findings: [PatchProjectError.Finding] = []
        for need in module.section.needs {
            let id = DeclarationID.hex16(need.id)
            let name = names[id]?.name ?? id
            guard built[id] != DeclarationID.hex16(need.sig) else { continue }
            let why = built[id] == nil ? "is not in that build" : "has another signature there"
            findings.append(.init("'\(name)' \(why)", at: names[id]?.place))
        }
        let served = Set(module.section.functions.map { DeclarationID.hex16($0.id) })
        for function in try coverage(of: manifest).covered where !served.contains(function.id) {
            findings.append(
                .init(
                    "'\(function.name)' differs from that build and is not in the module",
                    at: function.place))
        }
        guard !findings.isEmpty else { return }
        throw PatchProjectError(
            .buildNotServed,
            "build \(manifest.short) cannot run this module. Release for it apart, with "
                + "`patchcli release --fingerprint \(manifest.short)`", findings: findings)
    }
}
