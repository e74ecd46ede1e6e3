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

    /// Compiler runs that may make declarations native that functions of the module call; as many
    /// again may leave functions out before all but the guest code is given up. What the linter
    /// finds costs no run.
    static let maximumRuns = 12

    static func build(
        index: DeclarationIndex, functions: [RoutableFunction], types: ValueTypes,
        guests: [GuestSource], builder: GuestBuilder, section: ModuleSection,
        standsAlone: Bool = false
    ) throws -> Result {
        var kept = functions
        var problems: [CoverageReport.Problem] = []
        var demotion = Demotion(index) { _ in !standsAlone }
        let strict = Demotion(index) { _ in false }
        var runs = 0
        // Each time around something becomes native or is left out, so this ends.
        while runs < 2 * maximumRuns {
            let generator = PatchSourceGenerator(
                index: index, functions: kept, types: types, natives: demotion.natives)
            var faults: [Int: CoverageReport.Problem] = [:]
            for finding in generator.findings(for: builder.options.target)
            where faults[finding.position] == nil {
                faults[finding.position] = .init(
                    function: "", message: finding.message, place: finding.place)
            }
            if faults.isEmpty {
                runs += 1
                do {
                    let wasm = try build(generator, guests, builder, section)
                    return Result(wasm: wasm, problems: problems)
                } catch let error as GuestBuildError {
                    guard !kept.isEmpty else { throw error }
                    faults = try self.faults(of: error, generator)
                }
            }
            // A function that fails is left out; others may still call it natively.
            var guilty: [Int: CoverageReport.Problem] = [:]
            var isProgress = false
            for (position, problem) in faults {
                var careful = strict
                let outcome =
                    runs <= maximumRuns
                    ? demotion.demote(position, in: generator.closure, seeds: generator.seeds)
                    : careful.demote(position, in: generator.closure, seeds: generator.seeds)
                for seed in outcome.guilty { guilty[seed] = guilty[seed] ?? problem }
                isProgress = isProgress || outcome.isProgress || !outcome.guilty.isEmpty
            }
            if !isProgress {
                // What failed came along without being mentioned: whoever brings it is left out.
                for function in kept {
                    guard let seed = index.index(of: function.id) else { continue }
                    let alone = PatchSourceGenerator(
                        index: index, functions: [function], types: types,
                        natives: demotion.natives)
                    let fault = faults.first { alone.closure.included.contains($0.key) }
                    if let fault { guilty[seed] = fault.value }
                }
            }
            guard isProgress || !guilty.isEmpty else { break }
            kept.removeAll { function in
                guard let position = index.index(of: function.id), var problem = guilty[position]
                else { return false }
                problem.function = function.displayName
                problems.append(problem)
                return true
            }
        }
        problems += kept.map {
            .init(
                function: $0.displayName, message: "too many functions do not compile",
                place: $0.place)
        }
        let nothing = PatchSourceGenerator(index: index, functions: [], types: types)
        return Result(wasm: try build(nothing, guests, builder, section), problems: problems)
    }

    private static func build(
        _ generator: PatchSourceGenerator, _ guests: [GuestSource], _ builder: GuestBuilder,
        _ section: ModuleSection
    ) throws -> [UInt8] {
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

    /// The declarations that a failed build is due to; all functions when it does not say.
    private static func faults(
        of error: GuestBuildError, _ generator: PatchSourceGenerator
    ) throws -> [Int: CoverageReport.Problem] {
        let diagnostics: [CompilerDiagnostic]
        switch error {
        case .compile(let found), .compilerCrashed(let found):
            diagnostics = found.filter { $0.severity == .error }
        case .undefinedSymbols: diagnostics = []
        default: throw error
        }
        let found = generator.faults(of: error).mapValues { diagnostic in
            CoverageReport.Problem(
                function: "", message: diagnostic.message,
                place: diagnostic.file.map { SourcePlace(file: $0, line: diagnostic.line) })
        }
        guard found.isEmpty else { return found }
        if isAboutGuests(diagnostics, generator.index) { throw error }
        return Dictionary(
            generator.seeds.map {
                let place = generator.index.declarations[$0].place
                return ($0, .init(function: "", message: error.description, place: place))
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func isAboutGuests(
        _ diagnostics: [CompilerDiagnostic], _ index: DeclarationIndex
    ) -> Bool {
        let own = Set(index.files.map(\.path))
        return diagnostics.contains { $0.file.map { !own.contains($0) } ?? false }
    }
}
