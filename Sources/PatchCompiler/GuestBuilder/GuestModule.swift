import Foundation
import ModuleABI
import PatchCrypto
import WebAssembly

/// What a guest build gives: a module to ship and what explains it.
public struct GuestModule: Sendable, Equatable {
    /// The module, stripped of names and debug information.
    public var wasm: [UInt8]
    /// Names and line tables of ``wasm``: a WebAssembly file of custom sections only, to be kept
    /// under ``digest`` with the release. Nil when the build was told to make none.
    ///
    /// Its section `openpatch.debug` holds the 32-byte digest of ``wasm``, `openpatch.sources` what
    /// ``DebugSources`` says. Code offsets in it are
    /// relative to the contents of the code section, as the DWARF convention for WebAssembly says.
    public var debug: [UInt8]?
    /// The functions that the module exports, sorted, runtime exports (`op_alloc` …) included.
    public var exports: [String]
    /// Host functions that the module imports, `<capability>.<function>`, sorted.
    public var imports: [String]
    /// The capabilities that those imports need, sorted.
    public var capabilities: [CapabilityName]
    /// What the compiler had to say although it succeeded.
    public var warnings: [CompilerDiagnostic] = []
    /// How long the steps took.
    public var timings = GuestBuildTimings()
    /// What the numbers in ``wasm`` stand for.
    var numbers: ModuleNumbers

    /// SHA-256 of ``wasm``.
    public var digest: [UInt8] { SHA256.hash(wasm) }

    /// The custom section of ``debug`` that names the module it belongs to.
    public static let debugSectionName = "openpatch.debug"

    /// Checks, strips and signs a linked module with its section.
    init(
        linkerOutput: [UInt8], like model: Renumbering.Model?, wanted: [String],
        section: ModuleSection?,
        files: [CompiledFile]
    ) throws {
        let renumbering: Renumbering
        let linked: [UInt8]
        do {
            renumbering = try Renumbering(LinkedModule(linkerOutput), like: model)
            linked = try renumbering.written()
        } catch let fault as WasmCursor.Unreadable {
            throw GuestBuildError.malformedOutput(
                "the linker wrote what is not known here (\(fault.what))")
        }
        let names = try ReactorCheck.check(linked, wanted: wanted)
        exports = names.exports
        imports = names.imports
        capabilities = names.capabilities
        let customs: [WasmBinary.CustomSection]
        do {
            customs = try WasmBinary.customSections(of: linked)
            wasm = try Set(customs.map(\.name)).sorted().reduce(linked) {
                try WasmBinary.removingCustomSections(named: $1, from: $0)
            }
        } catch let fault as WasmBinary.Fault {
            throw GuestBuildError.malformedOutput(fault.description)
        }
        if var section {
            let all = Set(section.capabilities).union(names.capabilities)
            section.capabilities = all.sorted { $0.rawValue < $1.rawValue }
            wasm = WasmBinary.appendingCustomSection(
                ModuleSection.sectionName, section.encoded(), to: wasm)
        }
        numbers = renumbering.numbers(of: wasm)
        var file: [UInt8] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
        for custom in customs where custom.name == "name" || custom.name.hasPrefix(".debug_") {
            file = WasmBinary.appendingCustomSection(custom.name, custom.bytes, to: file)
        }
        let sources = DebugSources(
            code_start: try parseWasm(bytes: wasm).layout.codeStart ?? 0,
            release: section?.release, sequence: section?.sequence,
            files: Dictionary(files.map { ($0.name, DebugSources.published($0.source.name)) }) {
                first, _ in first
            })
        file = WasmBinary.appendingCustomSection(
            DebugSources.sectionName, try sources.encoded(), to: file)
        debug = WasmBinary.appendingCustomSection(
            Self.debugSectionName, SHA256.hash(wasm), to: file)
    }
}

/// What a debug file says besides names and line tables: enough to find the line of a byte without
/// the module.
public struct DebugSources: Sendable, Equatable, Codable {
    /// The custom section that holds it as JSON.
    public static let sectionName = "openpatch.sources"

    /// Where the contents of the module's code section begin, from which line tables count.
    public var code_start: Int
    /// The release that the module was built as.
    public var release: String?
    /// Its place in the order of releases.
    public var sequence: Int?
    /// The user's files by the names in the line tables.
    public var files: [String: String]

    /// A path inside the project as it is; of any other the file's name alone, since folders of a
    /// machine are nobody's business and would make the same sources give other bytes.
    static func published(_ name: String) -> String {
        let isAbsolute = name.hasPrefix("/") || name.dropFirst().hasPrefix(":")
        guard isAbsolute else { return name }
        return name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? name
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }
}

/// Wall-clock time that a guest build spent, in seconds.
public struct GuestBuildTimings: Sendable, Equatable {
    /// Making the guest runtime and the modules that ship with it; small when cached.
    public var runtime: Double = 0
    /// Compiling the sources; near 0 when these very sources were compiled before.
    public var compile: Double = 0
    /// Linking, stripping and checking.
    public var link: Double = 0

    /// No time at all.
    public init() {}

    /// All of it.
    public var total: Double { runtime + compile + link }
}
