import Rollout
import WebAssembly

/// A module that was looked at from all sides without running any of it.
struct InspectedModule: Sendable {
    let module: Module
    /// Nil for a plain module, where those are accepted.
    let section: ModuleSection?
    /// Provides what it imports beyond the SDK's own functions.
    let plainModules: (any PatchPlainModules)?
}

/// The checks between bytes and instantiation. Each refusal has a reason of its own; nothing the
/// module says is believed without a look.
struct ModuleInspection {
    let expected: ModuleExpectation
    /// The signed description, for a downloaded module.
    let release: Release?

    /// - Throws: ``PatchError``.
    func inspect(_ bytes: [UInt8]) throws -> InspectedModule {
        guard bytes.count <= expected.limits.moduleBytes else {
            throw PatchError(.moduleMalformed, "\(bytes.count) bytes")
        }
        guard bytes.starts(with: [0x00, 0x61, 0x73, 0x6D]) else {
            throw PatchError(.notWasm, Self.impression(of: bytes))
        }
        let module = try Self.translatingErrors { try parseWasm(bytes: bytes) }
        if module.exports.contains(where: { $0.name == "_start" }) {
            throw PatchError(.commandModule)
        }
        let section = try section(of: bytes)
        if let section { try check(section, of: module) }
        try checkImports(of: module, declared: section?.capabilities)
        try checkMemory(of: module)
        if expected.validatesAll { try Self.translatingErrors { try module.validate() } }
        return InspectedModule(
            module: module, section: section, plainModules: expected.plainModules)
    }

    /// The first bytes, so that a log tells an error page from noise.
    private static func impression(of bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "it is empty" }
        let text = bytes.prefix(24).map { byte in
            (0x20...0x7E).contains(byte) ? Character(UnicodeScalar(byte)) : "."
        }
        return "it begins with '\(String(text))'"
    }

    /// Names the engine's errors by our reasons.
    static func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as WasmDecodingError {
            throw PatchError(.moduleMalformed, "\(error)")
        } catch let error as WasmValidationError {
            throw PatchError(.moduleInvalid, "\(error)")
        } catch let error as WasmUnsupportedProposal {
            throw PatchError(.moduleUnsupported, "\(error)")
        }
    }

    // MARK: Section

    private func section(of bytes: [UInt8]) throws -> ModuleSection? {
        let section: ModuleSection?
        do {
            section = try ModuleSection.read(fromBytes: bytes)
        } catch let error as WasmBinary.Fault {
            throw PatchError(.moduleMalformed, "\(error)")
        } catch {
            throw PatchError(.sectionMalformed, "\(error)")
        }
        if section == nil, expected.plainModules == nil {
            throw PatchError(.sectionMissing)
        }
        return section
    }

    private func check(_ section: ModuleSection, of module: Module) throws {
        if let appID = expected.appID, section.app_id != appID {
            throw PatchError(
                .moduleOfOtherApp, "the module says \(section.app_id), this app is \(appID)")
        }
        guard section.abi == abiVersion else {
            throw PatchError(
                .abiUnsupported, "the module has \(section.abi), this SDK \(abiVersion)")
        }
        if let release {
            guard section.release == release.version, section.sequence == release.sequence else {
                throw PatchError(
                    .moduleOfOtherRelease,
                    "the module says \(section.release) (\(section.sequence)), signed is "
                        + "\(release.version) (\(release.sequence))")
            }
        }
        try checkBuild(section)
        try checkSurface(section)
        try checkFunctions(section, module)
        try checkViews(section, module)
    }

    /// A module for another build is fine when this one's metadata lists it, because one release
    /// may serve several builds; its needs are checked in any case.
    private func checkBuild(_ section: ModuleSection) throws {
        if !expected.checksBuild || section.fp.isEmpty { return }
        if section.fp == expected.fingerprint { return }
        let isListedHere = release?.fingerprint == expected.fingerprint
        guard isListedHere else {
            throw PatchError(
                .moduleOfOtherBuild,
                "the module says \(section.fp.prefix(16)), this build is "
                    + "\(expected.fingerprint.prefix(16))")
        }
    }

    private func checkSurface(_ section: ModuleSection) throws {
        let surface = expected.surface
        for need in section.needs where surface?.signature(need.id) != need.sig {
            let id = DeclarationID.hex16(need.id)
            throw PatchError(
                .surfaceMissing,
                surface?.signature(need.id) == nil
                    ? "function \(id) is not in this build"
                    : "function \(id) has another signature in this build")
        }
    }

    private func checkFunctions(_ section: ModuleSection, _ module: Module) throws {
        var exported: Set<String> = []
        for export in module.exports {
            if case .function = export.kind { exported.insert(export.name) }
        }
        for function in section.functions where !exported.contains(function.export) {
            throw PatchError(
                .sectionMalformed, "the export '\(function.export)' does not exist")
        }
    }

    private func checkViews(_ section: ModuleSection, _ module: Module) throws {
        guard !section.views.isEmpty else { return }
        guard section.vocabulary_max <= viewVocabularyMaximum else {
            throw PatchError(
                .viewVocabularyUnsupported,
                "the module draws with operation \(section.vocabulary_max), this SDK knows "
                    + "\(viewVocabularyMaximum)")
        }
        let needs = Set(section.needs)
        for view in section.views where !needs.contains(.init(id: view.id, sig: view.sig)) {
            throw PatchError(
                .sectionMalformed, "view \(DeclarationID.hex16(view.id)) is no need of the module")
        }
        for (name, _) in ViewInstance.exports
        where !module.exports.contains(where: { $0.name == name }) {
            throw PatchError(.sectionMalformed, "the export '\(name)' does not exist")
        }
    }

    // MARK: Imports and memory

    private func checkImports(of module: Module, declared: [CapabilityName]?) throws {
        for item in module.imports {
            let name = "\(item.module).\(item.name)"
            guard case .function(let type) = item.kind else {
                throw PatchError(.importUnknown, "'\(name)' is not a function")
            }
            if item.module == expected.plainModules?.importModule {
                continue
            }
            guard item.module == CapabilityName.importModule,
                let capability = CapabilityName(importName: item.name)
            else { throw PatchError(.importUnknown, "'\(name)'") }
            guard expected.capabilities.contains(capability) else {
                throw PatchError(
                    .capabilityDenied, "'\(name)' needs the capability '\(capability.rawValue)'")
            }
            if let declared, !declared.contains(capability) {
                throw PatchError(
                    .capabilityDenied,
                    "'\(name)' is imported, but the module does not declare "
                        + "'\(capability.rawValue)'")
            }
            guard let provided = HostFunctions.type(of: item.name) else {
                throw PatchError(.importUnknown, "'\(name)' is not provided by this SDK")
            }
            guard provided == type else {
                throw PatchError(.importUnknown, "'\(name)' is \(provided), not \(type)")
            }
        }
    }

    private func checkMemory(of module: Module) throws {
        for export in module.exports {
            guard case .memory(let type) = export.kind else { continue }
            let (bytes, overflow) = type.minimum.multipliedReportingOverflow(by: 65536)
            if overflow || bytes > expected.limits.memoryBytes {
                throw PatchError(
                    .memoryLimit,
                    "\(type.minimum) pages at the start, of "
                        + "\(expected.limits.memoryBytes / 65536) allowed")
            }
        }
    }
}
