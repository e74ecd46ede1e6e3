import Foundation

/// What the repository remembers of a store build: `.openpatch/builds/<fp16>/build.json`.
///
/// `release` compares the working tree with it, never with the previous patch.
public struct BuildManifest: Sendable, Equatable, Codable {
    /// A routed function of the build.
    public struct Function: Sendable, Equatable, Codable {
        /// 16 hex digits.
        public var id: String
        /// As in `Cart.total(of:)`.
        public var name: String
        /// The Swift module.
        public var module: String
        /// Its gate.
        public var gate: Int
        /// The hash of its signature, 16 hex digits.
        public var sig: String
        /// The hash of its body, 16 hex digits.
        public var body: String
    }

    /// A declaration that is not routed.
    public struct Native: Sendable, Equatable, Codable {
        /// Module, kind and path, unique in the build.
        public var key: String
        /// The hash of its tokens, 16 hex digits.
        public var hash: String
        /// Where it was.
        public var place: SourcePlace
    }

    /// A native function that modules may call.
    public struct Call: Sendable, Equatable, Codable {
        /// 16 hex digits.
        public var id: String
        /// The hash of its signature, 16 hex digits.
        public var sig: String
    }

    /// Version of this form: 1.
    public var v: Int
    /// The app.
    public var app_id: String
    /// The fingerprint, 64 hex digits.
    public var fingerprint: String
    /// The surface's hash, 64 hex digits.
    public var surface: String
    /// Version of the conventions by which values cross.
    public var abi: Int
    /// Place in the order in which builds were registered, from 1.
    public var number: Int
    /// The compiler that `base.wasm` was built with, in its own words.
    public var toolchain: String
    /// What the fingerprint was taken over.
    public var inputs: [Fingerprint.Input]
    /// All routed functions, by id.
    public var functions: [Function]
    /// All other declarations, by key.
    public var natives: [Native]
    /// Errors that the build can take from functions that say no more than `throws`; absent in
    /// manifests of earlier versions.
    public var errors: [String]?
    /// Native functions that modules may call, by id; absent in manifests of earlier versions.
    public var calls: [Call]?
    /// Routed views, by id; absent in manifests of earlier versions.
    public var views: [Function]?
    /// SHA-256 of `base.wasm`, 64 hex digits.
    public var base: String

    /// The first 16 digits of the fingerprint.
    public var short: String { String(fingerprint.prefix(16)) }

    /// Where manifests lie in a project.
    static let folder = ".openpatch/builds"
    static let fileName = "build.json"
    static let baseFileName = "base.wasm"

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        var data = try encoder.encode(self)
        data.append(0x0a)
        return data
    }

    /// Reads one manifest.
    /// - Throws: ``PatchProjectError`` `manifest_invalid`.
    init(reading file: URL, path: String) throws {
        do {
            self = try JSONDecoder().decode(BuildManifest.self, from: try Data(contentsOf: file))
        } catch {
            throw Self.invalid(path, "\(error)")
        }
        guard v == 1 else { throw Self.invalid(path, "its version is \(v)") }
    }

    private static func invalid(_ path: String, _ why: String) -> PatchProjectError {
        PatchProjectError(
            .manifestInvalid,
            "the build manifest cannot be read: \(why). Restore it from version control",
            at: [SourcePlace(file: path, line: 0)])
    }

    /// All manifests of a project, oldest first.
    static func all(in project: URL) throws -> [BuildManifest] {
        let root = project.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return try names.sorted().compactMap { name in
            let file = root.appendingPathComponent(name).appendingPathComponent(fileName)
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            return try BuildManifest(reading: file, path: "\(folder)/\(name)/\(fileName)")
        }.sorted { ($0.number, $0.fingerprint) < ($1.number, $1.fingerprint) }
    }

    init(
        v: Int = 1, app_id: String, fingerprint: String, surface: String, abi: Int, number: Int,
        toolchain: String, inputs: [Fingerprint.Input], functions: [Function], natives: [Native],
        base: String, errors: [String]? = nil, calls: [Call]? = nil,
        views: [Function]? = nil
    ) {
        self.views = views
        self.calls = calls
        self.errors = errors
        self.v = v
        self.app_id = app_id
        self.fingerprint = fingerprint
        self.surface = surface
        self.abi = abi
        self.number = number
        self.toolchain = toolchain
        self.inputs = inputs
        self.functions = functions
        self.natives = natives
        self.base = base
    }
}
