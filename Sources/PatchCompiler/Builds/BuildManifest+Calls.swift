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
        self.init(
            code.tree, functions: code.scan.functions, natives: code.scan.natives,
            views: code.scan.views)
    }
}
