import ModuleABI

/// The module of a store build's own routed functions. Patches are deltas of it.
///
/// A function that does not compile as guest code is left out: it stays native until an edit
/// makes it compile.
enum BaseModule {
    struct Result {
        var wasm: [UInt8]
        var problems: [CoverageReport.Problem]
    }

    /// Compiler runs before giving up on all but the guest code.
    static let maximumRounds = 12

    static func build(
        index: DeclarationIndex, functions: [RoutableFunction], types: ValueTypes,
        guests: [GuestSource], builder: GuestBuilder, section: ModuleSection
    ) throws -> Result {
        var kept: [RoutableFunction] = []
        var problems: [CoverageReport.Problem] = []
        for function in functions {
            let findings = PatchSourceGenerator(
                index: index, functions: [function], types: types
            )
            .findings(for: builder.options.target)
            if let finding = findings.first {
                problems.append(
                    .init(
                        function: function.displayName, message: finding.message,
                        place: finding.place))
            } else {
                kept.append(function)
            }
        }
        for _ in 0..<maximumRounds {
            do {
                let wasm = try build(index, kept, types, guests, builder, section)
                return Result(wasm: wasm, problems: problems)
            } catch let error as GuestBuildError {
                guard !kept.isEmpty else { throw error }
                let guilty = try blame(error, index, kept, types)
                problems += guilty
                let names = Set(guilty.map(\.function))
                kept.removeAll { names.contains($0.displayName) }
            }
        }
        problems += kept.map {
            .init(
                function: $0.displayName, message: "too many functions do not compile",
                place: $0.place)
        }
        return Result(
            wasm: try build(index, [], types, guests, builder, section), problems: problems)
    }

    private static func build(
        _ index: DeclarationIndex, _ functions: [RoutableFunction], _ types: ValueTypes,
        _ guests: [GuestSource], _ builder: GuestBuilder, _ section: ModuleSection
    ) throws -> [UInt8] {
        let generator = PatchSourceGenerator(index: index, functions: functions, types: types)
        var sources = generator.sources() + guests
        if sources.isEmpty {
            // A module must export something.
            sources = [
                GuestSource(
                    name: "OpenPatchBase.swift",
                    text: "@_cdecl(\"op_abi\") public func op_abi() -> Int32 { \(abiVersion) }\n")
            ]
        }
        return try builder.build(sources: sources, section: section).wasm
    }

    /// The functions that a failed build is due to; all of them when it does not say.
    private static func blame(
        _ error: GuestBuildError, _ index: DeclarationIndex, _ functions: [RoutableFunction],
        _ types: ValueTypes
    ) throws -> [CoverageReport.Problem] {
        let diagnostics: [CompilerDiagnostic]
        switch error {
        case .compile(let found), .compilerCrashed(let found):
            diagnostics = found.filter { $0.severity == .error }
        case .undefinedSymbols: diagnostics = []
        default: throw error
        }
        let generator = PatchSourceGenerator(index: index, functions: functions, types: types)
        var problems: [CoverageReport.Problem] = []
        for diagnostic in diagnostics {
            guard let file = diagnostic.file else { continue }
            let place = SourcePlace(file: file, line: diagnostic.line)
            for function in generator.functions(involving: place)
            where !problems.contains(where: { $0.function == function.displayName }) {
                problems.append(
                    .init(
                        function: function.displayName, message: diagnostic.message, place: place))
            }
        }
        if problems.isEmpty, functions.isEmpty || isAboutGuests(diagnostics, index) { throw error }
        guard problems.isEmpty else { return problems }
        return functions.map {
            .init(function: $0.displayName, message: error.description, place: $0.place)
        }
    }

    private static func isAboutGuests(
        _ diagnostics: [CompilerDiagnostic], _ index: DeclarationIndex
    ) -> Bool {
        let own = Set(index.files.map(\.path))
        return diagnostics.contains { $0.file.map { !own.contains($0) } ?? false }
    }
}
