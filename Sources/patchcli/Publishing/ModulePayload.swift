import CommandLineKit
import Foundation
import ModuleABI
import PatchCompiler
import PatchCompression
import PatchCrypto
import Rollout

/// A built module, packed for publishing.
struct ModulePayload: Sendable {
    let raw: [UInt8]
    let debug: [UInt8]?
    /// What is downloaded; brotli unless that is larger.
    let packed: [UInt8]
    let encoding: PayloadEncoding
    let section: ModuleSection
    let summary: CoverageSummary
    /// As it was built; nil for one under another name.
    var module: BuiltModule?

    var digest: String { SHA256.hash(raw).hex }

    var sizes: String {
        encoding == .brotli
            ? "\(Quantity.bytes(raw.count)), \(Quantity.bytes(packed.count)) to download"
            : Quantity.bytes(raw.count)
    }

    /// Compiles and packs.
    static func build(
        _ project: PatchProject, _ manifest: BuildManifest, _ identity: ReleaseIdentity,
        allowingRemoval: Bool, _ console: Console
    ) async throws -> ModulePayload {
        try await console.step("Compile the module") { progress in
            let built = try project.buildModule(
                for: manifest, release: identity, allowingRemoval: allowingRemoval)
            progress.update(nil, Quantity.bytes(built.wasm.count))
            var payload = try ModulePayload(
                raw: built.wasm, debug: built.debug, section: built.section,
                summary: CoverageSummary(built.coverage))
            payload.module = built
            return payload
        }
    }

    init(
        raw: [UInt8], debug: [UInt8]?, section: ModuleSection, summary: CoverageSummary
    ) throws {
        let brotli = try Brotli.compress(raw, quality: 11)
        let isSmaller = brotli.count < raw.count
        self.raw = raw
        self.debug = debug
        packed = isSmaller ? brotli : raw
        encoding = isSmaller ? .brotli : .identity
        self.section = section
        self.summary = summary
    }

    /// The same module under another name: what compiling it for that release would have given.
    func restamped(version: String, sequence: Int) throws -> ModulePayload {
        var section = section
        section.release = version
        section.sequence = sequence
        let bare = try WasmBinary.removingCustomSections(
            named: ModuleSection.sectionName, from: raw)
        return try ModulePayload(
            raw: WasmBinary.appendingCustomSection(
                ModuleSection.sectionName, section.encoded(), to: bare),
            debug: debug, section: section, summary: summary)
    }
}

/// What a module covers, for people and for `--json`.
struct CoverageSummary: Sendable {
    struct Function: Encodable, Sendable {
        let id: String
        let name: String
        let place: String
        let cause: String
        let through: String?
    }

    struct Native: Encodable, Sendable {
        let unchanged: Int
        let removed: [String]
        let unknown_to_build: [String]
    }

    let covered: [Function]
    let native: Native

    init(_ report: CoverageReport) {
        covered = report.covered.map {
            Function(
                id: $0.id, name: $0.name, place: $0.place.description, cause: $0.cause.rawValue,
                through: $0.through)
        }
        native = Native(
            unchanged: report.unchanged, removed: report.removed,
            unknown_to_build: report.unknownToBuild)
    }

    func show(on console: Console) {
        let style = console.style
        if covered.isEmpty {
            console.print("Covers no function of the app; guest code only.")
        } else {
            console.print("Covers \(style.bold(Quantity.count(covered.count, "function"))):")
            var table = Table("", "", "")
            for function in covered {
                let why =
                    function.through.map { "uses \($0), which changed" } ?? "changed"
                table.add([style.green(function.name), style.dim(function.place), style.dim(why)])
            }
            console.print(table, indent: "  ")
        }
        console.print(
            style.dim("Native: \(Quantity.count(native.unchanged, "routed function")) unchanged."))
        for name in native.removed {
            console.print(style.yellow("Removed here, still in the installed app: ") + name)
        }
        for name in native.unknown_to_build {
            console.print(style.yellow("New here, reachable from covered functions only: ") + name)
        }
    }
}
