import ModuleABI

extension RoutingTable {
    /// The module that draws a view now; nil when the app does.
    func module(forView id: UInt64) -> LoadedModule? {
        let module = unlessDemoted(id)
        return module?.views[id] == nil ? nil : module
    }

    /// Gives a view back to the app until the next release, and says why.
    func demote(view id: UInt64, _ module: LoadedModule, _ error: PatchError) {
        if error.reason == .timeLimit { leave(module, error) }
        guard markDemoted(id, of: module) else { return }
        let name = "view \(DeclarationID.hex16(id))"
        report(PatchError(error.reason, "\(name): \(error.context)"), module.release)
        report(PatchError(.demoted, name), module.release)
    }
}
