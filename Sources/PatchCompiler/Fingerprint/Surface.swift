import ModuleABI
import PatchCrypto

/// What an app offers to modules (patching.md §5): ids and signatures of routed functions and of
/// native ones that modules may call, per
/// module of the app, and the versions of what both sides speak.
struct Surface: Equatable {
    /// One line for each thing offered, sorted.
    let lines: [String]

    init(
        configuration: ProjectConfiguration, functions: [RoutableFunction],
        natives: [RoutableFunction], views: [RoutableView] = []
    ) {
        let vocabulary = views.isEmpty ? 0 : viewVocabularyMaximum
        var lines = ["abi \(abiVersion)", "vocabulary \(vocabulary)"]
        lines += views.map {
            "view \($0.module) \($0.hexID) \(DeclarationID.hex16($0.signature))"
        }
        lines += configuration.sources.map { "target \($0.module)" }
        lines += functions.map {
            "function \($0.module) \($0.hexID) \(DeclarationID.hex16($0.signature))"
        }
        lines += natives.map {
            "native \($0.module) \($0.hexID) \(DeclarationID.hex16($0.signature))"
        }
        self.lines = lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// SHA-256 over the lines, in hex.
    var hash: String { Hex.encode(SHA256.hash(lines.joined(separator: "\n"))) }
}
