import ModuleABI

/// Builds a module again and again, each time without what cannot be part of it, until it compiles.
///
/// What fails becomes native, so that the module calls it in the app, or else what uses it does; a
/// function of the module itself that fails is left out or refused. What the compiler and the
/// linter say decides; a crash of the compiler counts as what it says. Compiler runs are bounded,
/// and what the linter finds costs none.
struct ModuleAttempts {
    /// Compiler runs after which nothing more becomes native. As many again may leave functions
    /// out.
    static let maximumRuns = 12

    /// What becomes of functions that the module was to serve and that cannot be compiled.
    enum Fate { case leftOut, refused }

    /// What a generator gives the builder.
    struct Input {
        var sources: [GuestSource]
        var section: ModuleSection
    }

    struct Outcome {
        var generator: PatchSourceGenerator
        var module: GuestModule
        /// What was left out, and why.
        var problems: [CoverageReport.Problem]
    }

    /// Why a module was not built.
    private struct Failure {
        /// By declaration; empty when nothing says what failed.
        var faults: [Int: CoverageReport.Problem] = [:]
        /// What the linter found, when it did.
        var findings: [GuestLinter.Finding] = []
        /// What the developer is told.
        var error: any Error
    }

    private let index: DeclarationIndex
    private let types: ValueTypes
    private let views: [RoutableView]
    private let builder: GuestBuilder
    private let model: Renumbering.Model?
    private let fate: Fate
    private let input: (PatchSourceGenerator) throws -> Input
    private var functions: [RoutableFunction]
    private var demotion: Demotion
    private var problems: [CoverageReport.Problem] = []
    private var runs = 0

    /// - Parameters:
    ///   - model: whose numbers the module takes over.
    ///   - isCallable: whether the installed app has a declaration as it is in the tree, and
    ///     modules may call it.
    ///   - input: what to compile; may refuse.
    init(
        index: DeclarationIndex, functions: [RoutableFunction], views: [RoutableView] = [],
        types: ValueTypes, builder: GuestBuilder, like model: Renumbering.Model?, fate: Fate,
        isCallable: @escaping (Int) -> Bool,
        input: @escaping (PatchSourceGenerator) throws -> Input
    ) {
        self.index = index
        self.functions = functions
        self.views = views
        self.types = types
        self.builder = builder
        self.model = model
        self.fate = fate
        self.input = input
        // Objects have numbers during calls only, and views live longer.
        demotion = Demotion(index) { position in
            isCallable(position)
                && (views.isEmpty
                    || !index.declarations[position].natives.flatMap(\.types)
                        .contains(where: types.holdsObject))
        }
    }

    /// - Throws: ``PatchProjectError`` `cannot_ship` or `cannot_compile`, and what has nothing to do
    ///   with the functions of the module: ``GuestBuildError``.
    mutating func run() throws -> Outcome {
        // Each time around something becomes native or is left out, so this ends.
        while true {
            let generator = generator(for: functions)
            let failure: Failure
            let findings = generator.findings(for: builder.options.target)
            if findings.isEmpty {
                guard runs < limit else { return try giveUp() }
                do {
                    let module = try build(generator)
                    return Outcome(generator: generator, module: module, problems: problems)
                } catch let error as GuestBuildError {
                    failure = try self.failure(error, generator)
                }
            } else {
                failure = Self.failure(findings)
            }
            guard try handle(failure, generator) else { return try giveUp() }
        }
    }

    private var limit: Int { fate == .refused ? Self.maximumRuns : 2 * Self.maximumRuns }

    private func generator(for functions: [RoutableFunction]) -> PatchSourceGenerator {
        PatchSourceGenerator(
            index: index, functions: functions, types: types, natives: demotion.natives,
            barred: Set(demotion.barred.keys), views: views, isCallable: demotion.isAllowed)
    }

    private mutating func build(_ generator: PatchSourceGenerator) throws -> GuestModule {
        let input = try input(generator)
        runs += 1
        return try builder.build(
            sources: input.sources, adding: views.isEmpty ? [] : ViewModuleBuilder.exports,
            section: input.section, like: model)
    }

    // MARK: - What failed

    private static func failure(_ findings: [GuestLinter.Finding]) -> Failure {
        var faults: [Int: CoverageReport.Problem] = [:]
        for finding in findings where faults[finding.position] == nil {
            faults[finding.position] = .init(
                function: "", message: finding.message, place: finding.place)
        }
        return Failure(faults: faults, findings: findings, error: refusal(findings))
    }

    private static func refusal(_ findings: [GuestLinter.Finding]) -> PatchProjectError {
        PatchProjectError(
            .cannotShip, findings.map(\.message).joined(separator: "; "),
            at: findings.map(\.place), findings: findings.map { .init($0.message, at: $0.place) })
    }

    private func failure(
        _ error: GuestBuildError, _ generator: PatchSourceGenerator
    ) throws -> Failure {
        // A base module has nothing but guest code that must compile, and says so as it is.
        let explained = fate == .leftOut ? error : error.inTheDevelopersTerms
        switch error {
        case .compile, .compilerCrashed, .undefinedSymbols: break
        default: throw explained
        }
        var faults = generator.faults(of: error)
        // The developer's own guest code is at fault, which nobody can do without.
        if faults.isEmpty, error.errors.contains(where: generator.isElsewhere) { throw explained }
        if generator.functions.isEmpty, generator.views.isEmpty { throw explained }
        // What uses a name without anything behind it is told why there is nothing.
        var reasons: [Int: GuestLinter.Finding] = [:]
        for position in faults.keys {
            let mentioned = index.declarations[position].references.all
            guard
                let reason = demotion.barred.sorted(by: { $0.key < $1.key }).first(where: {
                    !mentioned.isDisjoint(with: index.declarations[$0.key].names)
                })
            else { continue }
            reasons[position] = reason.value
            faults[position] = .init(
                function: "", message: reason.value.message, place: reason.value.place)
        }
        let isAllKnown = !faults.isEmpty && reasons.count == faults.count
        let known = Dictionary(reasons.values.map { ($0.position, $0) }) { first, _ in first }
        return Failure(
            faults: faults,
            error: isAllKnown
                ? Self.refusal(known.values.sorted { $0.position < $1.position }) : explained)
    }

    // MARK: - What becomes of it

    /// - Returns: whether the next attempt is another one.
    private mutating func handle(
        _ failure: Failure, _ generator: PatchSourceGenerator
    ) throws -> Bool {
        if fate == .leftOut, leaveOutHolders(of: failure, generator) { return true }
        var isProgress = false
        var guilty: [Int: CoverageReport.Problem] = [:]
        let mayDemote = runs <= Self.maximumRuns
        var faults = failure.faults
        for finding in failure.findings where mayDemote {
            let position = finding.position
            guard !demotion.canBeNative(position), !generator.seeds.contains(position),
                demotion.bar(finding)
            else { continue }
            faults[position] = nil
            isProgress = true
        }
        for (position, problem) in faults.sorted(by: { $0.key < $1.key }) {
            let outcome = demotion.demote(
                position, in: generator.closure, seeds: generator.seeds, mayAdd: mayDemote)
            for seed in outcome.guilty { guilty[seed] = guilty[seed] ?? problem }
            if outcome.isProgress { isProgress = true }
        }
        if failure.faults.isEmpty, mayDemote {
            isProgress = demotion.demoteAll(in: generator.closure, seeds: generator.seeds)
        }
        // What one fault made native may have been all that led to another.
        if fate == .refused {
            guard isProgress else { throw failure.error }
            return true
        }
        if !isProgress, guilty.isEmpty {
            guilty =
                failure.faults.isEmpty ? try culprit(failure) : bringers(of: failure.faults)
        }
        let before = functions.count
        functions.removeAll { function in
            guard let seed = index.index(of: function.id), var problem = guilty[seed] else {
                return false
            }
            problem.function = function.displayName
            problems.append(problem)
            return true
        }
        return isProgress || functions.count < before
    }

    /// A class whose objects cross is less in a module than in the app. Where something cannot do
    /// with that, functions that take such objects are left out, and the others have it whole.
    private mutating func leaveOutHolders(
        of failure: Failure, _ generator: PatchSourceGenerator
    ) -> Bool {
        let names = Dictionary(
            generator.closure.proxied.map {
                ($0.split(separator: ".").last.map(String.init) ?? $0, $0)
            }
        ) { first, _ in first }
        guard !names.isEmpty else { return false }
        var classes: [String: CoverageReport.Problem] = [:]
        for (position, problem) in failure.faults.sorted(by: { $0.key < $1.key }) {
            let declaration = index.declarations[position]
            for (name, path) in names
            where declaration.container.joined(separator: ".") == path
                || declaration.references.all.contains(name)
            {
                classes[path] = classes[path] ?? problem
            }
        }
        let before = functions.count
        functions.removeAll { function in
            let held = types.reachable(from: function.types).filter(\.isObject)
            guard
                var problem = held.lazy.compactMap({ classes[$0.reference.path] }).first
            else { return false }
            problem.function = function.displayName
            problems.append(problem)
            return true
        }
        return functions.count < before
    }

    /// The functions that bring along what failed without anything mentioning it.
    private func bringers(
        of faults: [Int: CoverageReport.Problem]
    ) -> [Int: CoverageReport.Problem] {
        var found: [Int: CoverageReport.Problem] = [:]
        for function in functions {
            guard let seed = index.index(of: function.id) else { continue }
            let closure = generator(for: [function]).closure
            found[seed] = faults.first { closure.included.contains($0.key) }?.value
        }
        return found
    }

    /// A function without which those before it compile, found by halves: nothing else says what
    /// the compiler died of.
    private mutating func culprit(_ failure: Failure) throws -> [Int: CoverageReport.Problem] {
        var good = 0
        var bad = functions.count
        while bad - good > 1 {
            guard runs < limit else { return [:] }
            let middle = (good + bad) / 2
            do {
                _ = try build(generator(for: Array(functions[..<middle])))
                good = middle
            } catch let error as GuestBuildError {
                _ = try self.failure(error, generator(for: Array(functions[..<middle])))
                bad = middle
            }
        }
        guard functions.indices.contains(good), let seed = index.index(of: functions[good].id)
        else { return [:] }
        return [
            seed: .init(
                function: "", message: "\(failure.error)", place: functions[good].place)
        ]
    }

    /// Nothing but the guest code is left, or nothing at all.
    private mutating func giveUp() throws -> Outcome {
        guard fate == .leftOut else {
            throw PatchProjectError(
                .cannotShip, "too many functions would have to stay native", at: [])
        }
        problems += functions.map {
            .init(
                function: $0.displayName, message: "too many functions do not compile",
                place: $0.place)
        }
        functions = []
        let generator = generator(for: [])
        return Outcome(
            generator: generator, module: try build(generator), problems: problems)
    }
}

extension PatchSourceGenerator {
    /// The declarations of the functions and views that the module serves.
    var seeds: Set<Int> {
        Set(
            functions.compactMap { index.index(of: $0.id) }
                + views.compactMap { index.index(ofView: $0.id) })
    }

    /// The declarations that a failed build complains about, with what it says.
    fileprivate func faults(of error: GuestBuildError) -> [Int: CoverageReport.Problem] {
        var found: [Int: CoverageReport.Problem] = [:]
        for diagnostic in error.errors {
            guard let file = diagnostic.file else { continue }
            let place = SourcePlace(file: file, line: diagnostic.line)
            for position in declarations(at: place) where found[position] == nil {
                found[position] = .init(function: "", message: diagnostic.message, place: place)
            }
        }
        return found
    }

    /// Whether a diagnostic is about a file that is not the app's.
    fileprivate func isElsewhere(_ diagnostic: CompilerDiagnostic) -> Bool {
        diagnostic.file.map { file in !index.files.contains { $0.path == file } } ?? false
    }
}

extension GuestBuildError {
    /// What the compiler refused or died of.
    fileprivate var errors: [CompilerDiagnostic] {
        switch self {
        case .compile(let found), .compilerCrashed(let found):
            found.filter { $0.severity == .error }
        default: []
        }
    }

    /// A failed build in the developer's terms.
    fileprivate var inTheDevelopersTerms: any Error {
        switch self {
        case .compile, .compilerCrashed: break
        case .undefinedSymbols: return PatchProjectError(.cannotCompile, description)
        default: return self
        }
        func place(_ diagnostic: CompilerDiagnostic) -> SourcePlace? {
            diagnostic.file.map { SourcePlace(file: $0, line: diagnostic.line) }
        }
        return PatchProjectError(
            .cannotCompile,
            "the changed code does not compile for a module: "
                + errors.prefix(5).map(\.message).joined(separator: "; ")
                + ". A module is Embedded Swift and has what it uses from the app's own sources",
            at: Array(errors.compactMap(place).prefix(5)),
            findings: errors.map { .init($0.message, at: place($0)) })
    }
}
