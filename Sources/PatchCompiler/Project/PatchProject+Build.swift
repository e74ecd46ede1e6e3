import Foundation
import ModuleABI
import PatchCrypto

extension PatchProject {
    /// Records the working tree as a store build: its manifest and `base.wasm`, the build's own
    /// routed functions and guest code as a module, which ships in the app.
    ///
    /// Registering the same build again changes nothing.
    /// - Parameter replacing: whether a registered build with the same native code and other
    ///   bodies, which never reached anybody, is overwritten.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError``.
    public func registerBuild(replacing: Bool = false) throws -> RegisteredBuild {
        let code = try AppCode(folder: folder, configuration: configuration)
        let index = DeclarationIndex(code)
        var lock = try ProjectLock(folder: folder)
        let before = lock
        try lock.allot(code.scan)

        let known = try manifests()
        let same = known.first { $0.fingerprint == code.fingerprint.value }
        let functions = Self.manifestFunctions(code.scan.functions, lock.gates)
        let views = Self.manifestViews(code.scan.views, lock.gates)
        if let same, !replacing, same.functions != functions || same.views != views {
            throw PatchProjectError(
                .buildConflict,
                "build \(same.short) is registered with the same native code and other bodies of "
                    + "routed functions; installed apps of both would get the same modules. "
                    + "Release the difference, or run 'patchcli fingerprint register --replace' if "
                    + "that build never reached anybody")
        }
        let toolchain = try Toolchain.discover(target: guestOptions.target)
        let base = try baseModule(of: code, index, toolchain)
        let manifest = BuildManifest(
            app_id: configuration.appID, fingerprint: code.fingerprint.value,
            surface: code.fingerprint.surface, abi: abiVersion,
            number: same?.number ?? (known.map(\.number).max() ?? 0) + 1,
            toolchain: try toolchain.identity(timeout: guestOptions.timeout)
                .split(separator: "\n").first.map(String.init) ?? "",
            inputs: code.fingerprint.inputs, functions: functions,
            natives: Coverage.natives(of: index), base: Hex.encode(SHA256.hash(base.wasm)),
            errors: code.scan.types.errors.map(ErrorCode.key),
            calls: Self.manifestCalls(code.scan.natives), views: views)
        let target = buildFolder(manifest)
        if same != manifest || !isStored(manifest, base) { try store(manifest, base, in: target) }
        if lock != before { try writeLock(lock) }
        return RegisteredBuild(
            manifest: manifest, base: base.wasm, folder: target, wasKnown: same == manifest,
            notInBase: base.problems)
    }

    /// Builds the module that brings a store build to the working tree: all changes since that
    /// build, never since the last patch.
    /// - Parameter allowingRemoval: whether routed functions and guest exports of the build may be
    ///   gone; installed apps then go on with what they have.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError``.
    public func buildModule(
        for manifest: BuildManifest, release: ReleaseIdentity, allowingRemoval: Bool = false
    ) throws -> BuiltModule {
        // What a release is measured against has to be what was registered.
        let base = manifest.base.isEmpty ? nil : try baseModule(of: manifest)
        let code = try AppCode(folder: folder, configuration: configuration)
        let index = DeclarationIndex(code)
        let coverage = try Coverage(code: code, index: index, manifest: manifest)
        if !allowingRemoval { try Self.refuseRemoval(of: code.scan.functions, manifest) }
        let standsAlone = standsAlone
        let guests = try PatchSourceGenerator.guestFolders(configuration, in: folder)
        var attempts = ModuleAttempts(
            index: index, functions: coverage.functions, views: coverage.views,
            types: code.scan.types,
            builder: GuestBuilder(
                toolchain: try Toolchain.discover(target: guestOptions.target),
                options: moduleOptions),
            like: try base.flatMap { try numbers(of: manifest, $0) }, fate: .refused,
            isCallable: { position in
                !standsAlone && !coverage.affected.contains(position)
                    && index.declarations[position].natives.allSatisfy(manifest.offers)
            }
        ) { generator in
            try Self.refuseNewErrors(generator, manifest)
            let sources = try generator.viewSources() + guests
            guard !sources.isEmpty else {
                throw PatchProjectError(
                    .nothingChanged,
                    "nothing differs from build \(manifest.short), so there is nothing to release")
            }
            let section = section(
                release: release, fingerprint: manifest.fingerprint, covered: coverage.functions,
                called: generator.called, views: coverage.views)
            return .init(sources: sources, section: section)
        }
        let outcome = try attempts.run()
        let module = outcome.module
        try PlaceholderCheck.check(module.wasm, coverage.functions)
        if !allowingRemoval, let base { try ExportRemoval.refuse(base, module.wasm) }
        guard let section = try ModuleSection.read(fromBytes: module.wasm) else {
            throw GuestBuildError.malformedOutput("it does not say what it is")
        }
        var report = coverage.report
        report.calls = outcome.generator.called.map(\.displayName)
        return BuiltModule(
            wasm: module.wasm, debug: module.debug, section: section, coverage: report,
            timings: module.timings)
    }

    /// What a module would cover, without building it.
    /// - Throws: ``PatchProjectError``.
    public func coverage(of manifest: BuildManifest) throws -> CoverageReport {
        let code = try AppCode(folder: folder, configuration: configuration)
        let index = DeclarationIndex(code)
        return try Coverage(code: code, index: index, manifest: manifest).report
    }

    // MARK: - Parts

    /// All routed functions and guest code as a module, without those that do not compile.
    func baseModule(
        of code: AppCode, _ index: DeclarationIndex, _ toolchain: Toolchain
    ) throws -> BaseModule.Result {
        try BaseModule.build(
            index: index, functions: code.scan.functions, types: code.scan.types,
            guests: try PatchSourceGenerator.guestFolders(configuration, in: folder),
            builder: GuestBuilder(toolchain: toolchain, options: moduleOptions),
            section: section(
                release: ReleaseIdentity(version: "embedded", sequence: 0),
                fingerprint: code.fingerprint.value, covered: []), standsAlone: standsAlone)
    }

    /// The sources are compiled under the app module's name, so that `Module.name` means the same.
    private var moduleOptions: GuestBuildOptions {
        var options = guestOptions
        if !standsAlone { options.unicode = .host }
        if configuration.sources.count == 1, let module = configuration.sources.first?.module {
            options.moduleName = module
        }
        return options
    }

    private func section(
        release: ReleaseIdentity, fingerprint: String, covered: [RoutableFunction],
        called: [RoutableFunction] = [], views: [RoutableView] = []
    ) -> ModuleSection {
        let sorted = covered.sorted { $0.id < $1.id }
        let needed = Set(
            (covered + called).map {
                ModuleSection.Need(id: $0.id, sig: $0.signature)
            } + views.map { ModuleSection.Need(id: $0.id, sig: $0.signature) })
        return ModuleSection(
            app_id: configuration.appID, release: release.version, sequence: release.sequence,
            fp: fingerprint, needs: needed.sorted { $0.id < $1.id },
            functions: sorted.map {
                .init(id: $0.id, export: GuestExport.function($0.id), sig: $0.signature)
            },
            views: views.sorted { $0.id < $1.id }.map { .init(id: $0.id, sig: $0.signature) },
            app_targets: Set(covered.map(\.module) + views.map(\.module)).sorted(),
            vocabulary_max: views.isEmpty ? 0 : viewVocabularyMaximum)
    }

    static func manifestFunctions(
        _ functions: [RoutableFunction], _ gates: [UInt64: Int]
    ) -> [BuildManifest.Function] {
        functions.sorted { $0.id < $1.id }.map {
            BuildManifest.Function(
                id: $0.hexID, name: $0.displayName, module: $0.module, gate: gates[$0.id] ?? 0,
                sig: DeclarationID.hex16($0.signature), body: $0.bodyHash)
        }
    }

    static func manifestViews(
        _ views: [RoutableView], _ gates: [UInt64: Int]
    ) -> [BuildManifest.Function]? {
        guard !views.isEmpty else { return nil }
        return views.sorted { $0.id < $1.id }.map {
            BuildManifest.Function(
                id: $0.hexID, name: $0.displayName, module: $0.module, gate: gates[$0.id] ?? 0,
                sig: DeclarationID.hex16($0.signature), body: $0.bodyHash)
        }
    }

    static func manifestCalls(_ natives: [RoutableFunction]) -> [BuildManifest.Call] {
        natives.sorted { $0.id < $1.id }.map {
            BuildManifest.Call(id: $0.hexID, sig: DeclarationID.hex16($0.signature))
        }
    }

    /// What the installed app routes and the tree has no more goes on as it was installed.
    private static func refuseRemoval(
        of functions: [RoutableFunction], _ manifest: BuildManifest
    ) throws {
        let present = Set(functions.map(\.hexID))
        let gone = manifest.functions.filter { !present.contains($0.id) }.map { "'\($0.name)'" }
        guard !gone.isEmpty else { return }
        throw PatchProjectError(
            .removed,
            "gone from the sources or not routable any more: \(gone.joined(separator: ", ")). "
                + "Installed apps keep what they have of it; pass --allow-removed if that is meant",
            findings: gone.map { .init("\($0) is gone or not routable any more") })
    }

    /// An error that the build does not know cannot leave the module.
    private static func refuseNewErrors(
        _ generator: PatchSourceGenerator, _ manifest: BuildManifest
    ) throws {
        let throwing = generator.functions.filter {
            if case .untyped = $0.throwing { true } else { false }
        }
        guard !throwing.isEmpty else { return }
        let known = Set(manifest.errors ?? [])
        let new = (generator.errors ?? []).filter { !known.contains(ErrorCode.key($0)) }
        guard let first = new.first else { return }
        throw PatchProjectError(
            .cannotShip,
            "errors of type '\(first.reference.path)' are new or have another shape than in the "
                + "build, so the installed app cannot catch them; throw one that it knows",
            at: throwing.map(\.place))
    }

    private func isStored(_ manifest: BuildManifest, _ base: BaseModule.Result) -> Bool {
        func isThere(_ name: String, _ bytes: some Sequence<UInt8>) -> Bool {
            let file = buildFolder(manifest).appendingPathComponent(name)
            return (try? Data(contentsOf: file))?.elementsEqual(bytes) ?? false
        }
        guard let numbers = try? base.numbers.encoded() else { return false }
        return isThere(BuildManifest.baseFileName, base.wasm)
            && isThere(ModuleNumbers.fileName, numbers)
    }

    private func store(
        _ manifest: BuildManifest, _ base: BaseModule.Result, in target: URL
    ) throws {
        do {
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            for (name, data) in [
                (BuildManifest.baseFileName, Data(base.wasm)),
                (ModuleNumbers.fileName, try base.numbers.encoded()),
                (BuildManifest.fileName, try manifest.encoded()),
            ] {
                try data.write(to: target.appendingPathComponent(name), options: .atomic)
            }
        } catch {
            throw PatchProjectError(
                .fileAccess,
                "the build cannot be recorded in \(BuildManifest.folder) "
                    + "(\(error.localizedDescription))")
        }
    }

    /// The numbers of a build's module; nil for a build that was registered before they were kept,
    /// of which patches are larger.
    private func numbers(
        of manifest: BuildManifest, _ base: [UInt8]
    ) throws -> Renumbering.Model? {
        let file = buildFolder(manifest).appendingPathComponent(ModuleNumbers.fileName)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        if let data = try? Data(contentsOf: file),
            let numbers = try? JSONDecoder().decode(ModuleNumbers.self, from: data),
            numbers.v == 1, numbers.module == manifest.base,
            let model = try? Renumbering.Model(numbers, wasm: base)
        {
            return model
        }
        throw PatchProjectError(
            .manifestInvalid,
            "it does not belong to the build's module. Restore it from version control",
            at: [
                SourcePlace(
                    file: "\(BuildManifest.folder)/\(manifest.short)/\(ModuleNumbers.fileName)",
                    line: 0)
            ])
    }

    private func writeLock(_ lock: ProjectLock) throws {
        do {
            try Data(lock.encoded()).write(
                to: folder.appendingPathComponent(ProjectLock.fileName), options: .atomic)
        } catch {
            throw PatchProjectError(
                .fileAccess, "the file cannot be written",
                at: [SourcePlace(file: ProjectLock.fileName, line: 0)])
        }
    }
}
