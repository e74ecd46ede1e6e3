import TUF
import WebAssembly

/// What a module says about itself: the custom section `openpatch`, one UTF-8 JSON object with
/// sorted keys (schema: `Docs/module-section.schema.json`).
public struct ModuleSection: Equatable, Sendable {
    /// The name of the custom section.
    public static let sectionName = "openpatch"
    /// Bytes that the section may have.
    public static let maximumSize = 1 << 20

    /// A declaration of the installed app that the module relies on, with its signature.
    public struct Need: Equatable, Hashable, Sendable {
        /// The declaration's id.
        public var id: UInt64
        /// The hash of its signature.
        public var sig: UInt64

        /// An entry of the section.
        public init(id: UInt64, sig: UInt64) {
            self.id = id
            self.sig = sig
        }
    }

    /// A routed function that the module serves.
    public struct Function: Equatable, Sendable {
        /// The declaration's id.
        public var id: UInt64
        /// The wasm export to call.
        public var export: String
        /// The hash of its signature.
        public var sig: UInt64

        /// An entry of the section.
        public init(id: UInt64, export: String, sig: UInt64) {
            self.id = id
            self.export = export
            self.sig = sig
        }
    }

    /// A view whose body the module renders.
    public struct View: Equatable, Sendable {
        /// The declaration's id.
        public var id: UInt64
        /// The hash of its signature.
        public var sig: UInt64

        /// An entry of the section.
        public init(id: UInt64, sig: UInt64) {
            self.id = id
            self.sig = sig
        }
    }

    /// Version of this schema: 1.
    public var v: Int
    /// The app that the module is for.
    public var app_id: String
    /// ``abiVersion`` of the compiler that built the module.
    public var abi: Int
    /// The release version, free text chosen by the developer.
    public var release: String
    /// The release's place in the order of all releases of the app.
    public var sequence: Int
    /// The full fingerprint of the store build, 64 hex digits; empty for a module that is not tied
    /// to one.
    public var fp: String
    /// What the installed app must have, whatever else changed in it.
    public var needs: [Need]
    /// The routed functions it serves.
    public var functions: [Function]
    /// The views it renders.
    public var views: [View]
    /// Swift modules of the app that it replaces parts of.
    public var app_targets: [String]
    /// What it imports; the app must grant all of them.
    public var capabilities: [CapabilityName]
    /// The highest view operation it emits; 0 without views.
    public var vocabulary_max: Int

    /// A description of a module built by this compiler.
    public init(
        app_id: String, release: String, sequence: Int, fp: String, needs: [Need] = [],
        functions: [Function] = [], views: [View] = [], app_targets: [String] = [],
        capabilities: [CapabilityName] = [], vocabulary_max: Int = 0
    ) {
        v = 1
        self.app_id = app_id
        abi = abiVersion
        self.release = release
        self.sequence = sequence
        self.fp = fp
        self.needs = needs
        self.functions = functions
        self.views = views
        self.app_targets = app_targets
        self.capabilities = capabilities
        self.vocabulary_max = vocabulary_max
    }

    /// Reads the section's bytes.
    /// - Throws: ``ModuleSectionError``.
    public init(json: [UInt8]) throws {
        guard json.count <= Self.maximumSize else {
            throw ModuleSectionError(code: "section_too_large", detail: "\(json.count) bytes")
        }
        do {
            try self.init(document: JSONValue(parsing: json, limits: Self.jsonLimits))
        } catch {
            throw ModuleSectionError(code: "section_malformed", detail: "\(error)")
        }
        guard v == 1 else {
            throw ModuleSectionError(code: "section_version", detail: "version \(v)")
        }
    }

    /// The section's bytes: one JSON object with sorted keys, the same on every machine.
    public func encoded() -> [UInt8] { document.encoded() }

    /// The section of a module given as bytes, or nil when it has none.
    /// - Throws: ``ModuleSectionError``, or ``WasmBinary/Fault`` for bytes that are no module.
    public static func read(fromBytes wasm: [UInt8]) throws -> ModuleSection? {
        try single(
            WasmBinary.customSections(of: wasm).filter { $0.name == sectionName }.map(\.bytes))
    }

    /// The section of a decoded module, or nil when it has none.
    /// - Throws: ``ModuleSectionError``.
    public static func read(from module: Module) throws -> ModuleSection? {
        try single(module.customSections.filter { $0.name == sectionName }.map(\.bytes))
    }

    private static func single(_ sections: [[UInt8]]) throws -> ModuleSection? {
        if sections.count > 1 {
            throw ModuleSectionError(code: "section_repeated", detail: "\(sections.count) times")
        }
        return try sections.first.map { try ModuleSection(json: $0) }
    }
}

/// Why a module's description of itself cannot be used.
public struct ModuleSectionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// `section_too_large`, `section_malformed`, `section_version` or `section_repeated`.
    public var code: String
    /// What was met instead.
    public var detail: String

    /// The sentence for people.
    public var description: String {
        "the module's section '\(ModuleSection.sectionName)' cannot be used (\(code): \(detail)); "
            + "build the module with a patchcli that matches the app's SDK"
    }
}
