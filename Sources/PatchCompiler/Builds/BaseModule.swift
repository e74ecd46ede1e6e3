import ModuleABI

/// The module of a store build's own routed functions. Patches are deltas of it.
///
/// A function that does not compile as guest code is left out: it stays native until an edit
/// makes it compile.
enum BaseModule {
    struct Result {
        var wasm: [UInt8]
        /// What the numbers in it stand for.
        var numbers: ModuleNumbers
        var problems: [CoverageReport.Problem]
    }

    static func build(
        index: DeclarationIndex, functions: [RoutableFunction], types: ValueTypes,
        guests: [GuestSource], builder: GuestBuilder, section: ModuleSection,
        standsAlone: Bool = false
    ) throws -> Result {
        var attempts = ModuleAttempts(
            index: index, functions: functions, types: types, builder: builder, like: nil,
            fate: .leftOut, isCallable: { _ in !standsAlone }
        ) { generator in
            let sources = generator.sources() + guests
            return .init(sources: sources.isEmpty ? [placeholder] : sources, section: section)
        }
        let outcome = try attempts.run()
        return Result(
            wasm: outcome.module.wasm, numbers: outcome.module.numbers,
            problems: outcome.problems)
    }

    /// A module must export something.
    private static let placeholder = GuestSource(
        name: "OpenPatchBase.swift",
        text: "@_cdecl(\"op_abi\") public func op_abi() -> Int32 { \(abiVersion) }\n")
}
