import Foundation

/// What `openpatch.json` says (schema: `Docs/openpatch.schema.json`).
public struct ProjectConfiguration: Sendable, Equatable {
    /// The name of the file.
    public static let fileName = "openpatch.json"

    /// A Swift module of the app whose functions are routed.
    public struct Target: Sendable, Equatable {
        /// The Swift module's name.
        public var module: String
        /// The folder of its sources, from the project's folder.
        public var path: String

        /// A module and its folder.
        public init(module: String, path: String) {
            self.module = module
            self.path = path
        }
    }

    /// How long what this project signs is valid, in days; nil leaves the default of a role.
    public struct Expiry: Sendable, Equatable {
        /// Root.
        public var root: Int?
        /// Targets and build roles.
        public var targets: Int?
        /// Snapshot and timestamp of a static project.
        public var freshness: Int?

        /// All defaults.
        public init() {}
    }

    /// The app's id, a lower-case UUID.
    public var appID: String
    /// The app's key on the server, `pak_…`; empty until it has one.
    public var appKey: String
    /// The name shown to people.
    public var name: String
    /// Where releases are published, or nil.
    public var server: String?
    /// The channel that releases go to unless told otherwise.
    public var channel: String
    /// `ios`, `macos`, `tvos`, `visionos` or `linux`.
    public var platform: String
    /// The app's own modules; the surface is generated into the first.
    public var sources: [Target]
    /// Folders of Swift files with `@_cdecl` exports that go into every module.
    public var guest: [String]
    /// The folder of the app's resources, or nil.
    public var resources: String?
    /// Info.plist files of which some keys are part of the fingerprint.
    public var infoPlists: [String] = []
    /// Entitlements, which are part of the fingerprint.
    public var entitlements: [String] = []
    /// How long signed metadata is valid.
    public var expiry = Expiry()

    static let platforms = ["ios", "macos", "tvos", "visionos", "linux"]

    /// A configuration made in code, as `patchcli init` does.
    public init(
        appID: String, appKey: String = "", name: String, server: String? = nil,
        channel: String = "production", platform: String = "linux", sources: [Target],
        guest: [String] = [], resources: String? = nil
    ) {
        self.appID = appID
        self.appKey = appKey
        self.name = name
        self.server = server
        self.channel = channel
        self.platform = platform
        self.sources = sources
        self.guest = guest
        self.resources = resources
    }

    /// Reads the file of a project's folder.
    /// - Throws: ``PatchProjectError`` that names line and field.
    public init(folder: URL) throws {
        let file = folder.appendingPathComponent(Self.fileName)
        guard let data = try? Data(contentsOf: file) else {
            throw PatchProjectError(
                .configurationMissing,
                "there is no \(Self.fileName) in \(folder.path); run `patchcli init` there, or go "
                    + "to the folder that has one")
        }
        try self.init(json: String(decoding: data, as: UTF8.self))
    }

    /// Reads the text of the file.
    /// - Throws: ``PatchProjectError`` that names line and field.
    public init(json: String) throws {
        let document: PositionedJSON
        do {
            document = try PositionedJSON(parsing: json)
        } catch let fault as PositionedJSON.Fault {
            throw Self.invalid(fault.line, "\(fault.message); correct the JSON")
        }
        var fields = try FieldReader(document, path: "")
        let version = try fields.integer("v")
        guard version == 1 else {
            throw Self.invalid(
                fields.line("v"),
                "field 'v' is \(version); this patchcli reads version 1, so use a newer one")
        }
        appID = try fields.string("app_id")
        guard UUID(uuidString: appID) != nil, appID == appID.lowercased() else {
            throw Self.invalid(fields.line("app_id"), "field 'app_id' is not a lower-case UUID")
        }
        appKey = try fields.optionalString("app_key") ?? ""
        guard appKey.utf8.allSatisfy(Self.isKeyByte), appKey.utf8.count <= 100 else {
            throw Self.invalid(
                fields.line("app_key"), "field 'app_key' may only have letters, digits, '_' and '-'"
            )
        }
        name = try fields.string("name")
        server = try fields.optionalString("server")
        channel = try fields.optionalString("channel") ?? "production"
        platform = try fields.string("platform")
        guard Self.platforms.contains(platform) else {
            throw Self.invalid(
                fields.line("platform"),
                "field 'platform' is '\(platform)'; it is one of "
                    + Self.platforms.joined(separator: ", "))
        }
        sources = try fields.objects("sources").map { target in
            var target = target
            let module = try target.string("module")
            guard Self.isIdentifier(module) else {
                throw Self.invalid(
                    target.line("module"), "field '\(target.path)module' is no Swift module name")
            }
            let path = try target.string("path")
            try Self.check(path, field: target.path + "path", line: target.line("path"))
            try target.finish()
            return Target(module: module, path: path)
        }
        guard !sources.isEmpty else {
            throw Self.invalid(fields.line("sources"), "field 'sources' names no module")
        }
        guest = try fields.optionalStrings("guest") ?? []
        infoPlists = try fields.optionalStrings("info_plists") ?? []
        entitlements = try fields.optionalStrings("entitlements") ?? []
        for (field, paths) in [
            ("guest", guest), ("info_plists", infoPlists), ("entitlements", entitlements),
        ] {
            for path in paths { try Self.check(path, field: field, line: fields.line(field)) }
        }
        resources = try fields.optionalString("resources")
        if let resources {
            try Self.check(resources, field: "resources", line: fields.line("resources"))
        }
        if var days = try fields.optionalObject("expiry_days") {
            func read(_ name: String) throws -> Int? {
                guard let value = try days.optionalInteger(name) else { return nil }
                guard (1...36_500).contains(value) else {
                    throw Self.invalid(
                        days.line(name), "field '\(days.path)\(name)' is not 1 to 36500 days")
                }
                return value
            }
            expiry.root = try read("root")
            expiry.targets = try read("targets")
            expiry.freshness = try read("freshness")
            try days.finish()
        }
        try fields.finish()
        var seen = Set<String>()
        for target in sources where !seen.insert(target.module).inserted {
            throw Self.invalid(
                fields.line("sources"), "field 'sources' names the module '\(target.module)' twice")
        }
    }

    static func invalid(_ line: Int, _ message: String) -> PatchProjectError {
        PatchProjectError(
            .configurationInvalid, message, at: [SourcePlace(file: fileName, line: line)])
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first == "_" || first.properties.isXIDStart
        else { return false }
        return text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }

    /// Paths stay inside the project, so that nothing else can be rewritten.
    private static func check(_ path: String, field: String, line: Int) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if path.isEmpty || path.hasPrefix("/") || parts.contains("..") || path.contains("\\") {
            throw invalid(
                line, "field '\(field)' must be a path inside the project, without '..'")
        }
    }
}
